#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names in traces of events alone: those of functions that recorded places are in, and the same
texts as with all names."""
import re
import signal
import subprocess
import sys

import harness as h

suite = h.Suite("names_used")
PLACES = ("record_first", "record_middle", "record_last")
CALLED = ("main", *PLACES, "function_0000", "function_0777", "function_1777")
FUNCTIONS = 1024
FEW = 6000  # bytes; the head of a file is 4,096 of them


def program(*flags):
    stamp = (h.ROOT / "include/bobbin/events.h").stat().st_mtime_ns
    return h.compile(f"many_functions_{len(flags)}", ["events/many_functions.c"], "gcc",
                     ["-O1", "-Wall", "-Wextra", "-Werror", f"-I{h.ROOT / 'include'}",
                      f"-DSTAMP={stamp}", *flags])


def alone(trace, *args):
    """Without a launcher: names are as the recorder left them, all."""
    return [str(h.BOBBIN), "record", "-q", "--exec", "--events", "-o", str(trace), "--",
            str(program()), *args]


def size(trace):
    """Of the file of the program's image: the largest one."""
    return max(len(h.image_bytes(f)) for f in trace.glob("i*.bob"))


def reported(trace):
    out = []
    for verb in (["show"], ["show", "-x", "--lines=0"], ["report", "--by=site"],
                 ["report", "--by=parameter"], ["check", "-q", "--complete"],
                 ["export", "--format=csv", "-o", "-"]):
        r = h.bobbin(*verb, trace)
        h.check(r.status == 0 and not r.err, f"{verb}\n{r}")
        out.append(r.out.decode())
    lists = h.info(trace)
    out.append(f"{lists['functions']} functions, {lists['image_list']}")
    return "\n".join(out)


def same(a, b):
    pairs = list(zip(a.splitlines(), b.splitlines()))
    h.check(a == b, next((f"{x}\nnot {y}" for x, y in pairs if x != y),
                         f"{len(a)} and {len(b)} characters"))


def all_named(trace, what):
    """Calls of all functions that were called, by name."""
    r = h.bobbin("report", "--limit=0", trace)
    for name in CALLED:
        h.check(re.search(rf"\b{name}\b", r.out.decode()), f"{what}: {name} has no name\n{r}")


@suite.case("few names, the same texts")
def few():
    trace = h.fresh("plain") / "t"
    r = h.run(alone(trace))
    h.check(r.status == 0 and size(trace) > 40 * FUNCTIONS,
            f"{size(trace)} bytes are not all names\n{r}")
    first = reported(trace)
    r = h.bobbin("merge", trace)
    h.check(r.status == 0 and size(trace) < FEW, f"{size(trace)} bytes of names\n{r}")
    h.check_trace(trace)
    second = reported(trace)
    same(first, second)
    for name in PLACES:
        h.check(name in second, f"no {name} in {second}")
    spec = h.run([sys.executable, h.ROOT / "tools/spec_decoder.py", trace])
    same(spec.out.decode(), h.bobbin("dump", trace).out.decode())


@suite.case("lines of places")
def lines():
    r = h.record([program("-g")], ["--events"])
    h.check(r.status == 0 and not r.err and size(r.trace) < FEW,
            f"{size(r.trace)} bytes of names\n{r}")
    before = reported(r.trace)
    for name in PLACES:
        h.check(f"{name}  many_functions.c:" in before, before)
    again = h.bobbin("merge", r.trace)
    h.check(b"nothing to merge: its threads and processes are merged already" in again.out,
            f"{again}")
    same(before, reported(r.trace))


@suite.case("places in C++ have plain names, or the compiler's")
def plain_names():
    exe = h.compile("spaces", ["events/spaces.cc"], "g++", ["-O1", f"-I{h.ROOT / 'include'}"])
    r = h.record([exe], ["--events"])
    h.check(r.status == 0 and not r.err, f"{r}")
    for verb in (["show"], ["show", "-x"], ["report", "--by=site"]):
        plain, mangled = (h.bobbin(*verb, *options, r.trace).out.decode()
                          for options in ([], ["--no-demangle"]))
        h.check(re.search(r"\bspace::thing::report\+0x", plain) and "_ZN" not in plain,
                f"{verb}\n{plain}")
        h.check("_ZN5space5thing6reportEi+0x" in mangled and "space::" not in mangled,
                f"{verb}\n{mangled}")


@suite.case("a later program of the run records calls")
def later():
    env = h.environment({"SLURM_JOB_ID": "1", "SLURM_STEP_ID": "2"})
    r = h.record([program()], ["--events"], env=env)
    h.check(r.status == 0 and size(r.trace) < FEW, f"{size(r.trace)} bytes of names\n{r}")
    again = h.record([program()], ["--calls", "--images=main"], trace=r.trace, env=env)
    h.check(again.status == 0 and h.info(r.trace)["processes"] == 2, f"{again}")
    all_named(r.trace, "beside it")
    merged = h.bobbin("merge", r.trace)
    h.check(merged.status == 0 and size(r.trace) > 40 * FUNCTIONS,
            f"{size(r.trace)} bytes of names\n{merged}")
    all_named(r.trace, "merged")
    h.check_trace(r.trace)


@suite.case("a program that goes on keeps its names")
def goes_on():
    trace = h.fresh("goes") / "t"
    p = subprocess.Popen(alone(trace, "wait"), env=h.environment(), stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
    h.check(p.stdout.readline() == b"so far\n", "it does not begin")
    r = h.bobbin("merge", trace)
    h.check(size(trace) > 40 * FUNCTIONS, f"names are gone while it runs\n{r}")
    p.communicate(b"go\n")
    h.check(p.returncode == 0, f"status {p.returncode}")
    r = h.bobbin("merge", trace)
    h.check(r.status == 0 and size(trace) < FEW, f"{size(trace)} bytes of names\n{r}")
    h.check("record_late" in reported(trace), "no record_late")


@suite.case("killed")
def killed():
    trace = h.fresh("killed") / "t"
    p = subprocess.Popen(alone(trace, "wait"), env=h.environment(), stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
    h.check(p.stdout.readline() == b"so far\n", "it does not begin")
    p.send_signal(signal.SIGKILL)
    p.communicate()
    before = reported(trace)
    r = h.bobbin("merge", trace)
    h.check(r.status == 0 and size(trace) < FEW, f"{size(trace)} bytes of names\n{r}")
    same(before, reported(trace))
    h.check("record_last" in before, before)


if __name__ == "__main__":
    sys.exit(suite.run())
