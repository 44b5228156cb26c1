#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""record --source: what instrumented sources tell is in the trace, access by access, and nothing else. The programs of
tests/prog/source are instrumented by hand and write down themselves what must be there (oracle.h)."""

import os
import re
import sys

import harness as h

suite = h.Suite("source")
INCLUDE = f"-I{h.ROOT / 'include'}"
LINE = re.compile(rb"([LS]) 0x([0-9a-f]+) (\d+) (.*)\+0x([0-9a-f]+)$")
LEVELS = ("-O0", "-O1", "-O2", "-O3")


def program(name, cc="gcc", flags=("-O2",), libs=()):
    flags = [*flags, INCLUDE, "-Wall", "-Wextra", "-Werror"]
    return h.compile(name, [f"source/{name}.c"], cc, flags, libs)


def replay(trace, *options):
    r = h.bobbin("replay", "--mem", "--order=threads", *options, trace)
    h.check(r.status == 0 and not r.err, f"replay\n{r}")
    return r.out


def accesses(text):
    """[[(kind, variable, offset, size, site, file)] of each thread]."""
    threads = []
    for line in text.splitlines():
        if line.startswith(b"# thread"):
            threads.append([])
            continue
        m = LINE.match(line)
        h.check(m, f"replay: {line!r} is not understood")
        # Offsets are signed: what lies before a variable that shares its storage comes before it.
        address = int(m[2], 16)
        file, rest = (address >> 49) - 1, address & ((1 << 49) - 1)
        threads[-1].append((m[1].decode(), (rest >> 36) - 1, rest & ((1 << 36) - 1), int(m[3]), int(m[5], 16) - 1, file))
    return threads


def read_log(path):
    rows = []
    with open(path, encoding="ascii") as f:
        for line in f:
            w = line.split()
            if w[0] == "thread":
                rows.append([])
            else:
                rows[-1].append((w[0], *map(int, w[1:])))
    return rows


def same(got, want, what=""):
    for i, (a, b) in enumerate(zip(got, want)):
        h.check(a == b, f"{what}access {i} of {len(want)}: recorded {a}, happened {b}; before it {want[max(0, i - 3):i]}")
    h.check(len(got) == len(want), f"{what}{len(got)} recorded, {len(want)} happened; behind: {(got + want)[min(len(got), len(want)):][:3]}")


def busy(rows):
    return sorted(row for row in rows if row)


def recorded(argv, options=(), env=None):
    """Recorded, as it is without; with .log and .rows."""
    argv = [str(a) for a in argv]
    native = h.run(argv, env=h.environment(env))
    h.check(native.status == 0, f"{native}")
    log = h.fresh("log") / "log"
    r = h.record(argv, ["--source", *options], env=h.environment({**(env or {}), "BOB_LOG": str(log)}))
    h.same(native, r)
    h.check_trace(r.trace)
    r.log = log
    return r


def truth(argv, options=()):
    """All threads of a process did what its log says."""
    r = recorded(argv, options)
    r.text = replay(r.trace)
    rows, want = busy(accesses(r.text)), busy(read_log(r.log))
    h.check(len(rows) == len(want), f"{len(rows)} threads recorded, {len(want)} did something")
    for row, expected in zip(rows, want):
        same(row, expected)
    m = re.search(rb"outside (\d+)", r.out)
    if m:
        notes = h.bobbin("info", r.trace).out
        told = re.search(rb"probes told of (\d+) accesses more", notes)
        h.check((int(told[1]) if told else 0) == int(m[1]), f"{m[1]} accesses of nothing that is wanted\n{notes.decode()}")
    r.count = sum(map(len, want))
    return r


# --- variables ---


def variables(kernel, options):
    r = truth([program("truth"), kernel], options)
    return f"{r.count} accesses"


for k in "scalars dimensions boxes structs aliases heap recursion".split():
    suite.add(k, variables, k, [])
suite.add("scalars, not folded", variables, "scalars", ["--codec=none"])
suite.add("aliases, not folded", variables, "aliases", ["--codec=none"])


@suite.case("the trace is the same at -O0 to -O3, of gcc and clang")
def compilers():
    h.need("clang")
    first = None
    for cc in ("gcc", "clang"):
        for level in LEVELS:
            r = truth([program("truth", cc, (level,))])
            first = first or r.text
            h.check(r.text == first, f"{cc} {level} differs from gcc -O0")
    return f"{r.count} accesses each"


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
