#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whole programs whose main image runs translated for memory tracing (docs/mem-native.md): same output, and
the same accesses in the same order as Valgrind sees them. tests/prog/mem_preload.c stands in for the agent.
What Valgrind records elsewhere (linker-made stubs, start-up code without frame information) is left out, and
counted."""

import bisect
import itertools
import os
import re
import subprocess
import sys

import harness as h

suite = h.Suite("mem_native")
SRC = h.ROOT / "src"
INCLUDE = ["-O2", f"-I{SRC}", f"-I{h.ROOT}/include"]


def tool(name, flags, *parts):
    return h.compile(name, [f"{name}.c", *(SRC / p for p in parts)], "gcc", [*INCLUDE, *flags])


def plan(program):
    """The program's memory plan, and what the planner says of it."""
    cache = h.fresh("plans")
    cache.chmod(0o700)
    r = h.bobbin("plan", "--mem", "-v", "--cache", cache, program)
    h.check(r.status == 0, f"no plan\n{r}")
    return next(cache.glob("*.mem")), r.out.decode()


def translated(program, plan_file, out=None):
    preload = tool("mem_preload", ["-mgeneral-regs-only", "-fPIC", "-shared"], "plan/mem/check.c", "base/hash.c")
    extra = {"LD_PRELOAD": str(preload), "MEM_PLAN": str(plan_file)}
    if out:
        extra["MEM_OUT"] = str(out)
    return h.run([program], env=h.environment(extra))


def summary(r):
    """Words and traps, from the last line of stderr, which is taken off."""
    m = re.search(rb"mem_preload: (\d+) words, \d+ buffers, (\d+) traps\n$", r.err)
    h.check(m, f"no summary\n{r}")
    r.err = r.err[: m.start()]
    return int(m[1]), int(m[2])


def native_events(plan_file, records):
    """(kind, size, program counter), address"""
    expand = tool("mem_expand", [], "mem/record.c", "plan/mem/check.c", "base/hash.c")
    with subprocess.Popen([expand, plan_file, records], stdout=subprocess.PIPE, text=True) as p:
        for line in p.stdout:
            kind, address, size, pc = line.split()
            yield (kind, int(size), int(pc, 16)), int(address, 16)
    h.check(p.returncode == 0, "the records do not expand")


def covered(plan_file):
    expand = tool("mem_expand", [], "mem/record.c", "plan/mem/check.c", "base/hash.c")
    lines = h.run([expand, "-p", plan_file]).out.decode().splitlines()
    return [tuple(int(x, 16) for x in line.split()) for line in lines]


class Oracle:
    """Valgrind's accesses within the plan; `outside` counts the others."""

    def __init__(self, program, plan_file):
        self.ranges, self.outside = covered(plan_file), 0
        self.starts = [lo for lo, _ in self.ranges]
        r = h.record([program], ["--mem", "--engine=valgrind"])
        h.check(r.status == 0, f"recording\n{r}")
        self.trace = r.trace

    def inside(self, pc):
        i = bisect.bisect_right(self.starts, pc) - 1
        return i >= 0 and pc < self.ranges[i][1]

    def events(self):
        with subprocess.Popen([h.BOBBIN, "replay", "--mem", self.trace], stdout=subprocess.PIPE, text=True) as p:
            for line in p.stdout:
                f = line.split()
                if len(f) != 4 or f[0] not in ("L", "S", "A"):
                    continue
                pc = int(f[3].rsplit("+", 1)[1], 16)
                if self.inside(pc):
                    yield (f[0], int(f[2]), pc), int(f[1], 16)
                else:
                    self.outside += 1


def compare(mine, theirs):
    """Event by event; the number of events and of distances between the two runs' addresses: one for each region of
    memory that lies elsewhere."""
    first = next(theirs)
    mine = itertools.dropwhile(lambda e: e[0] != first[0], mine)  # Valgrind begins at main
    apart, n = set(), 0
    for a, b in itertools.zip_longest(mine, itertools.chain([first], theirs)):
        h.check(a and b and a[0] == b[0], f"access {n}: {a} natively, {b} under Valgrind")
        apart.add(b[1] - a[1])
        n += 1
    return n, len(apart)


def case(name, sources, cc, flags, libs=(), oracle=True):
    def run():
        h.need(cc)
        program = h.compile(name, sources, cc, flags, libs)
        plan_file, said = plan(program)
        out = h.fresh("records") / "r"
        r = translated(program, plan_file, out)
        words, traps = summary(r)
        h.same(h.run([program]), r)
        note = f"{words} words, {traps} traps"
        if not oracle:
            return note
        if not os.access(os.path.join(os.path.dirname(h.BOBBIN), "../lib/bobbin/bobbin-valgrind"), os.X_OK):
            raise h.Skip("built without the Valgrind tool: only the output was compared")
        h.need("valgrind")
        theirs = Oracle(program, plan_file)
        n, apart = compare(native_events(plan_file, f"{out}.0"), theirs.events())
        h.check(n > 1000, f"only {n} accesses")
        h.check(apart <= 8, f"addresses lie {apart} different distances apart")
        h.check("traps" in said, f"the planner said\n{said}")
        return f"{note}, {n} accesses equal, {theirs.outside} outside of the plan"

    suite.add(f"{name} {cc} {' '.join(flags)}", run)


KERNELS = ["mem_main.c", "mem_kernels.c"]
case("kernels", KERNELS, "gcc", ["-O0"])
case("kernels", KERNELS, "gcc", ["-O2"])
case("kernels", KERNELS, "gcc", ["-O2", "-no-pie", "-fcf-protection"])
case("kernels", KERNELS, "gcc", ["-Os", "-s"])
case("kernels", KERNELS, "clang", ["-O2"])
case("kernels", KERNELS, "clang", ["-O3", "-mavx2"])
case("classes", ["mem_classes.cc"], "g++", ["-O0"])
case("classes", ["mem_classes.cc"], "g++", ["-O2"])
case("classes", ["mem_classes.cc"], "clang++", ["-O1"])
case("fortran", ["mem_fortran.f90"], "gfortran", ["-O2"])
case("fortran", ["mem_fortran.f90"], "gfortran", ["-O3", "-mavx2"])
case("team", ["mem_team.c"], "gcc", ["-O2", "-fopenmp"], oracle=False)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
