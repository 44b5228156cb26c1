#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: serial
"""Perturbation: how often one thread polls while another works must be about the same whether
events are only counted as passed (null) or recorded (run); a recorder that collects events in a
buffer and stops to write it out, imitated inside the program, must be noticed.

How fast two threads run beside each other is up to the machine: without any recording the polls
spread by a factor of three between runs on a shared one. So the plain test asks that `run` stays
within LIMIT of `null`, far below what a stalling recorder does; `--strict` asks for the 1.2 that a
quiet machine shows, and belongs to `make torture`."""

import re
import sys

import harness as h

STRICT = "--strict" in sys.argv
RUNS = 25 if STRICT else 9
ROUNDS = "200"
LIMIT = 1.2 if STRICT else 4.0

suite = h.Suite("perturb", jobs=1)


def polls(codec, *more):
    """(median, mean) polls per round; codec None: without recording."""
    exe = h.compile("poll", ["poll.c"], "gcc", ["-O2", "-w", "-pthread"])
    argv = [exe, ROUNDS, *more]
    r = h.run(argv) if codec is None else h.record(argv, [f"--codec={codec}", "--images=main"])
    h.check(r.status == 0 and re.fullmatch(rb"\d+ \d+\n", r.out), f"the program failed\n{r}")
    return tuple(int(w) for w in r.out.split())


def quietest(kinds):
    """The least mean of each kind over interleaved runs: the machine's noise only adds."""
    seen = {k: [] for k in kinds}
    for _ in range(RUNS):
        for k in kinds:
            seen[k].append(polls(*k)[1])
    return {k: min(v) for k, v in seen.items()}


@suite.case("a stalling recorder is noticed")
def _():
    m = quietest([(None,), (None, "stall")])
    ratio = m[(None, "stall")] / max(m[(None,)], 1)
    h.check(ratio > LIMIT, f"the imitated stalls change the polls only by {ratio:.2f}")
    return f"{ratio:.1f}x"


def codecs():
    m = quietest([("null",), ("run",)])
    ratio = m[("run",)] / max(m[("null",)], 1)
    text = f"run {m[('run',)]} null {m[('null',)]} polls per round, {ratio:.2f}x"
    h.check(ratio <= LIMIT, text)
    return text


if __name__ == "__main__":
    if "--native" not in sys.argv:
        h.require_bobbin()
        suite.add("run against null", codecs)
    sys.exit(suite.run())
