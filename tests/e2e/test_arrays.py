#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Variables of instrumented sources where people read them: bounds in the trace, subscripts, `bobbin arrays` against counting. The
program is tests/prog/source/arrays.c."""

import sys

import harness as h

suite = h.Suite("arrays")
SPEC = h.ROOT / "tools" / "spec_decoder.py"


def program():
    return h.compile("arrays", ["source/arrays.c"], "gcc", ["-O2", f"-I{h.ROOT / 'include'}", "-Wall", "-Wextra", "-Werror"])


def record(*argv, status=0, options=()):
    r = h.record([program(), *argv], ["--source", *options])
    h.check(r.status == status, f"{r}")
    h.check_trace(r.trace)
    return r


def shapes(trace):
    """{process: [(variable, what is told of it)]}, as the reader and the format's text have it."""
    told = {}
    dump = h.bobbin("dump", trace).out
    spec = h.run([sys.executable, SPEC, trace])
    h.check(spec.status == 0 and spec.out == dump, f"the dumps differ\n{spec.err.decode()}")
    for line in dump.decode("latin-1").splitlines():
        if line.startswith("shape "):
            _, process, address, *rest = line.split()
            told.setdefault(int(process), []).append(((int(address, 16) >> 36) % 8192 - 1, " ".join(rest)))
    return told


STATIC = [(0, "8 last 0:10 0:6"), (1, "4 first -1:4 1:3"), (2, "4 last 0:60"), (3, "8 last"), (5, "8 first 0:60")]
GROWN = [(4, f"8 first 1:5 1:{m}") for m in (2, 3, 4)]


@suite.case("bounds are told once, those of the source first")
def bounds():
    h.check(shapes(record().trace) == {0: STATIC + GROWN}, "shapes")


@suite.case("in a trace that is not folded; folding keeps them")
def bounds_fold():
    r = record(options=["--codec=none"])
    h.check(shapes(r.trace) == {0: STATIC + GROWN}, "shapes")
    f = h.bobbin("fold", r.trace)
    h.check(f.status == 0, f"{f}")
    h.check(shapes(r.trace) == {0: STATIC + GROWN}, "folded")


@suite.case("at most 16 of a variable")
def bounds_many():
    want = [(4, f"8 first 1:{1 + k} 1:{2 + k}") for k in range(16)]
    h.check(shapes(record("many").trace) == {0: STATIC + want}, "shapes")


@suite.case("a child of fork begins with its parent's; merging keeps them")
def bounds_fork():
    r = record("fork")
    child = r.out.strip()
    want = {0: STATIC, 1: STATIC + GROWN}
    h.check(child and shapes(r.trace) == want, f"{shapes(r.trace)}")
    m = h.bobbin("merge", r.trace)
    h.check(m.status == 0 and (r.trace / "trace.bob").exists(), f"{m}")
    h.check(shapes(r.trace) == want, f"merged: {shapes(r.trace)}")


@suite.case("after kill -9")
def bounds_kill():
    h.check(shapes(record("kill", status=-9).trace) == {0: STATIC + GROWN}, "shapes")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
