#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: serial
"""Perturbation: how often one thread, or one rank, polls while another works must be about the same
whether events are only counted as they pass (null) or recorded (run). A recorder that collects
events in a buffer and stops to compress it (BOBBIN_CHECK=block) must be noticed.

How much of a processor a thread gets is up to the machine, so the programs count polls in processor
time (tests/prog/poll.h); the median over interleaved runs is compared."""

import re
import statistics
import sys

import harness as h

RUNS = 7
MORE = 14
ROUNDS = "50"
LIMIT = 1.2  # of null; the number
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
OPENMPI = ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]

suite = h.Suite("perturb", jobs=1)


def command(kind):
    """(words before the launcher, the program)"""
    if kind == "threads":
        return [], h.compile("poll", ["poll.c"], "gcc", ["-O2", "-w", "-pthread"])
    h.need(f"mpirun.{kind}", f"mpicc.{kind}")
    words = [f"mpirun.{kind}", "-n", "2", *(OPENMPI if kind == "openmpi" else [])]
    return words, h.compile(f"mpi_poll.{kind}", ["mpi_poll.c"], f"mpicc.{kind}", ["-O2", "-w"])


def polls(kind, codec):
    """Per round; `native` is without recording, `block` the recorder that stops."""
    words, exe = command(kind)
    argv = [*words, exe, ROUNDS]
    extra = dict(AS_ROOT)
    if codec != "native":
        trace = h.fresh("perturb") / "t"
        launcher = [h.BOBBIN, "record", "-q", "--images=main", "-o", trace]
        if codec == "block":
            extra["BOBBIN_CHECK"] = "block"
        else:
            launcher.append(f"--codec={codec}")
        argv = [*words, *launcher, "--", exe, ROUNDS]
    r = h.run(argv, env=h.environment(extra))
    h.check(r.status == 0 and re.fullmatch(rb"\d+ \d+\n", r.out), f"the program failed\n{r}")
    if codec == "block":
        codecs = {t["codec"] for p in h.info(trace)["process_list"] for t in p["thread_list"]}
        h.check(codecs == {"null"}, f"the trace of the recorder that stops says {codecs}")
        h.check_trace(trace)
    return int(r.out.split()[0])


def medians(kind, codecs, seen, runs):
    """{codec: polls} of `runs` more runs and those before."""
    for _ in range(runs):
        for c in codecs:
            seen.setdefault(c, []).append(polls(kind, c))
    return {c: statistics.median(v) for c, v in seen.items()}


def perturbs(kind):
    seen, ratio = {}, {"run": 0, "block": 0}
    for runs in (RUNS, MORE):  # more on a machine where it is not clear
        middle = medians(kind, ("null", "run", "block"), seen, runs)
        ratio = {c: middle[c] / middle["null"] for c in ratio}
        if ratio["run"] <= LIMIT < ratio["block"]:
            break
    text = ", ".join(f"{c} {m:.0f}" for c, m in middle.items()) + " polls per round"
    text += "".join(f", {c} {r:.2f}x" for c, r in ratio.items())
    h.check(ratio["run"] <= LIMIT, f"recording stalls the program: {text}")
    h.check(ratio["block"] > LIMIT, f"stops are not noticed: {text}")
    return text


def native(kind):
    return f"{medians(kind, ('native',), {}, RUNS)['native']:.0f} polls per round"


for k in ("threads", "openmpi", "mpich"):
    suite.add(k, native if "--native" in sys.argv else perturbs, k)

if __name__ == "__main__":
    if "--native" not in sys.argv:
        h.require_bobbin()
    sys.exit(suite.run())
