#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A regular program on more ranks, squares that are no powers of two among them: recorded as usual
it is what a flat recording is, call by call and word by word, and hardly larger with more ranks,
nor with more steps. BOBBIN_TEST_LONG=1: 36 and 64 ranks as well."""
import re
import sys

import harness as h
import mpi_events as m
import test_mpi_levels as levels

suite = h.Suite("mpi_ranks", jobs=1)
GROWTH = 1.4
PROGRAM = str(h.ROOT / "bench" / "mpi" / "kernels" / "bt.c")
CASES = {"openmpi": (9, 25), "mpich": (16,)}
MANY = {"openmpi": (36, 64), "mpich": ()}


def program(mpi):
    return m.program(mpi, PROGRAM, ["-O2"], libs=["-lm"])


def size(trace):
    """Bytes of what folds: no times, no names."""
    r = h.run([h.BOBBIN, "info", trace])
    found = re.search(rb"MPI calls ([\d.]+) (k?)B", r.out)
    h.check(r.status == 0 and found, f"{r}")
    return float(found[1]) * (1000 if found[2] else 1)


def exact(mpi, ranks):
    """24 points on an axis, 5 steps: 5 x 5 ranks do not divide them, 2 x 2 to 8 x 8 do."""
    argv = [program(mpi), "24", "5"]
    runs = {level: m.record(mpi, ranks, argv, options=[f"--mpi-level={level}", "--time=none"])
            for level in ("flat", "all")}
    for r in runs.values():
        h.check(r.status == 0 and b"24 points, 5 steps: " in r.out, f"the program fails\n{r}")
    h.check(runs["flat"].out == runs["all"].out, "other results")
    trace = runs["all"].trace
    h.check((trace / "trace.bob").exists(), "it is not merged")
    n = levels.equal(levels.lines(runs["flat"].trace), levels.lines(trace), "flat, and all")
    h.check(n > ranks * 100, f"{n} events")
    return f"{n} events, {size(trace):.0f} bytes"


def grows(mpi, ranks):
    """With as many points to a cell, so that messages are equally long. From 3 x 3 ranks on: with
    two cells on an axis no rank passes anything on."""
    bytes_of = {}
    for n in ranks:
        side = int(n ** 0.5)
        r = m.record(mpi, n, [program(mpi), str(2 * side), "3"], options=["--time=none"])
        h.check(r.status == 0, f"{r}")
        bytes_of[n] = size(r.trace)
    h.check(bytes_of[ranks[-1]] <= GROWTH * bytes_of[ranks[0]], f"{bytes_of}")
    return ", ".join(f"{n}: {b:.0f} bytes" for n, b in bytes_of.items())


def steps(mpi, ranks):
    """The partners in a step are six numbers without a rule, and again in the next one: merged or
    not, what folds does not grow with the steps."""
    notes = []
    for level in ("all", "rank"):
        few, many = (h.info(m.record(mpi, ranks, [program(mpi), "24", str(n)],
                                     options=[f"--mpi-level={level}", "--time=none"]).trace)
                     for n in (10, 100))
        h.check(many["mpi_calls"] > 9 * few["mpi_calls"], f"{few} {many}")
        few, many = few["stream_bytes"], many["stream_bytes"]
        # counts are longer; of each rank's own, what has begun of the next step is one by one in up
        # to 10 columns
        most = few + (40 if level == "all" else 50 * ranks)
        h.check(many <= most, f"level {level}: {few} bytes for 10 steps, {many} for 100")
        notes.append(f"{level}: {few}, {many} bytes")
    return "; ".join(notes)


for one in m.MPIS:
    for count in CASES[one] + (MANY[one] if h.LONG else ()):
        suite.add(f"{one}: {count} ranks", exact, one, count)
suite.add("openmpi: size by ranks", grows, "openmpi", h.share((9, 16), (9, 16, 36, 64)))

suite.add("openmpi: size by steps", steps, "openmpi", 9)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
