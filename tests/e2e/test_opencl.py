#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""OpenCL on pocl: its host API recorded by the spec that is there, values from tagged kernels and
into them; the program does and says what it does without."""
import re
import sys

import harness as h

suite = h.Suite("opencl")
# what the three launches of scale with 48 items and the one with 24 say, and that of count with 24
# x 2
STEP, VALUE, HALF = ("168 values, smallest 2, largest 2, sum 336", "168 values, smallest 0, ",
                     "48 values, smallest 2.5, largest 3, sum 132")


def program():
    return h.compile("opencl", ["opencl.c"], "gcc", ["-g", "-O1"], ["-lOpenCL"])


def both(*argv, env=None, options=("--wrap", "opencl"), **kw):
    native = h.run([program(), *argv], **kw)
    h.check(native.status == 0 and b"done" in native.out, f"{native}")
    r = h.record([program(), *argv], list(options), env=h.environment(env or {}), **kw)
    return native, r


def sets(trace):
    """{(kernel, tag): what was said}"""
    out = {}
    for line in h.bobbin("report", "--by=hook", trace).out.decode().splitlines()[1:]:
        kernel, phase, tag, said = line.split(None, 3)
        h.check(phase == "in", line)
        out[kernel, tag] = said.strip()
    return out


def shown(trace):
    r = h.bobbin("show", "-x", "--lines=0", trace)
    h.check(r.status == 0, f"{r}")
    return re.findall(r"^ *[\d,]+  (\w+)\((.*?)\)(?: -> result=(-?\d+))?(?:  |$)", r.out.decode(),
                      re.M)


@suite.case("the host API")
def host():
    native, r = both()
    h.same(native, r)
    h.check_trace(r.trace)
    events = shown(r.trace)
    names = [e[0] for e in events]
    h.check(names.count("clEnqueueNDRangeKernel") == 8 and names.count("clCreateKernel") == 4,
            f"{names}")
    h.check(names.count("clFinish") == 2 and "clBuildProgram" in names
            and "clSetUserEventStatus" in names, f"{names}")
    built = next(e for e in events if e[0] == "clBuildProgram")
    h.check('options="-DUNUSED=1"' in built[1] and built[2] == "0", f"{built}")
    h.check([e[1].split('"')[1] for e in events if e[0] == "clCreateKernel"]
            == ["scale", "count", "plain", "none"], f"{events}")
    return f"{len(events)} events"


@suite.case("values from kernels")
def out_of_kernels():
    native, r = both()
    h.same(native, r)
    have = sets(r.trace)
    h.check(have[("scale", "step")] == STEP and have[("count", "half")] == HALF, f"{have}")
    h.check(have[("scale", "value")].startswith(VALUE)
            and have[("scale", "beyond")].startswith("0 values"), f"{have}")
    launches = [e[1] for e in shown(r.trace) if e[0] in ("scale", "count")]
    h.check(sorted(launches) == sorted(["items=48"] * 3 + ["items=24", "items=48"]), f"{launches}")


@suite.case("values into kernels")
def into_kernels():
    native, r = both(env={"BOBBIN_KERNEL_IN": "scale.limit=40,scale.unused=1.5,count.limit=3"})
    h.same(native, r)
    have = sets(r.trace)
    h.check(have[("scale", "beyond")] == "21 values, smallest 41, largest 47, sum 924", f"{have}")
    h.check(have[("scale", "step")] == STEP, f"{have}")


@suite.case("tags that cannot be built")
def bad():
    native, r = both("bad")
    h.check(native.status == r.status and native.out == r.out, f"{native}\n{r}")
    notes = h.bobbin("info", r.trace).out.decode()
    h.check("with them it cannot be built" in notes, notes)
    h.check(not [e for e in shown(r.trace) if e[0] in ("scale", "count")],
            "launches of instrumented kernels")


@suite.case("too many work-items")
def large():
    native, r = both("large")
    h.same(native, r)
    h.check(sets(r.trace)[("count", "half")] == HALF, f"{sets(r.trace)}")
    h.check("too many work-items" in h.bobbin("info", r.trace).out.decode(), "info does not say so")


@suite.case("a program without OpenCL")
def without():
    native = h.run(["/bin/echo", "x"])
    r = h.record(["/bin/echo", "x"], ["--wrap", "opencl"], env=h.environment({"LD_BIND_NOW": "1"}))
    h.same(native, r)


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
