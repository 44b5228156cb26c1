#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks merged in MPI_Finalize: what is merged then and what comes later is together what happened;
the program notices nothing; ranks that are late, killed, or not recorded cost no more than the
merging, and helpers that fail nothing at all."""
import random
import shutil
import sys

import harness as h
import mpi_events as m

suite = h.Suite("mpi_finalize", jobs=1)


def head(trace):
    """The file that MPI_Finalize made, or None; it needs no others but those of images."""
    found = sorted(trace.glob("t*.bob"))
    h.check(len(found) < 2, f"{found}")
    return found[0] if found else None


def reasons(trace):
    marker = b"merging while the ranks run: "
    return [line.split(marker)[1].decode() for p in trace.glob("p*.bob")
            for line in p.read_bytes().split(b"\n") if marker in line]


def alone(trace):
    """The head without the processes' own files."""
    to = h.fresh("head")
    for p in trace.glob("[it]*.bob"):
        shutil.copy(p, to)
    return to


def run(mpi, ranks, *args, options=(), env=None, wait=30):
    """Launchers leave the traces as MPI_Finalize has left them."""
    exe = m.program(mpi, "finalize.c")
    said = h.fresh("said")
    env = {"ORACLE_DIR": str(said), "BOBBIN_MERGE_WAIT": str(wait), **(env or {})}
    r = m.record(mpi, ranks, [exe, *args], options=["--exec", *options], env=env)
    return r, {rank: lines[0] for rank, lines in m.oracle(said).items()}


def all_there(trace, said, problems=False):
    by_rank = {t.rank: t.events for t in m.read(trace, problems=problems)}
    h.check(sorted(by_rank) == sorted(said), f"ranks {sorted(by_rank)} of {sorted(said)}")
    for rank, lines in said.items():
        m.same(by_rank[rank], lines, f"rank {rank}")


def merge(trace, mpi=None):
    """`mpi`: by as many processes as mpirun starts."""
    r = h.run([*m.mpirun(mpi, 3), h.BOBBIN, "merge", trace],
              env=m.environment(mpi)) if mpi else h.bobbin("merge", trace)
    h.check(r.status == 0, f"{r}")
    left = sorted(p.name for p in trace.glob("*.bob") if p.name[0] != "i")
    h.check(left == ["trace.bob"], f"{left}")


def is_invisible(r, ranks):
    want = [f"rank {i}: 0 signals, no child, descriptors free".encode() for i in range(ranks)]
    h.check(r.status == 0 and sorted(r.out.splitlines()) == sorted(want), f"{r}")


def together(mpi, ranks, rounds):
    r, said = run(mpi, ranks, "plain", str(rounds))
    is_invisible(r, ranks)
    h.check(not reasons(r.trace) and head(r.trace), f"{reasons(r.trace)} {list(r.trace.iterdir())}")
    first = {rank: lines[: lines.index("Finalize result=0")] for rank, lines in said.items()}
    all_there(alone(r.trace), first)
    all_there(r.trace, said)
    size = head(r.trace).stat().st_size
    merge(r.trace)
    all_there(r.trace, said)
    return f"{sum(map(len, said.values()))} events, {size} bytes"


def replayed(trace):
    r = h.bobbin("replay", "--mem", "--format=text", trace)
    h.check(r.status == 0 and r.out, f"{r}")
    return r.out


def memory(mpi):
    """Loads and stores, too: of the finalizing thread's folded form only what follows is new."""
    r, said = run(mpi, 3, "plain", "60", options=["--mem"])
    is_invisible(r, 3)
    h.check(not reasons(r.trace) and head(r.trace), f"{reasons(r.trace)}")
    before, first = replayed(r.trace), replayed(alone(r.trace))
    h.check(0 < len(first) < len(before),
            f"{len(first)} of {len(before)} bytes of replay in the head")
    all_there(r.trace, said)
    merge(r.trace)
    h.check(replayed(r.trace) == before, "other accesses after merging")
    all_there(r.trace, said)
    return f"{len(before.splitlines())} accesses"


def late(mpi, ms):
    r, said = run(mpi, 5, "late", "3", str(ms), wait=1)
    is_invisible(r, 5)
    h.check("nothing came from rank 3 in time" in reasons(r.trace), f"{reasons(r.trace)}")
    all_there(r.trace, said)
    merge(r.trace, mpi)
    all_there(r.trace, said)


def killed(mpi, times):
    """At any moment, before, in and after the merge: nothing that was committed is lost."""
    random.seed(mpi)
    made = 0
    for i in range(times):
        r, said = run(mpi, 4, "killed", str(i % 4), str(random.randrange(300000)), wait=1)
        h.check(r.status != 0, f"no rank was killed\n{r}")
        made += head(r.trace) is not None
        for rank, events in {t.rank: t.events for t in m.read(r.trace, problems=True)}.items():
            h.check(len(said[rank]) <= len(events) <= len(said[rank]) + 1,
                    f"rank {rank}: {len(events)} of {len(said[rank])}")
            m.same(events[: len(said[rank])], said[rank], f"rank {rank}")
        h.check(h.bobbin("merge", r.trace).status == 0, "they cannot be merged")
        h.check(h.bobbin("check", r.trace).status == 0, "they cannot be read then")
    return f"{made} of {times} had a head"


def not_all(mpi):
    """One rank of the job is not recorded: no rank waits for it for long, and the rest is as
    ever."""
    exe = m.program(mpi, "finalize.c")
    trace = h.fresh("mpi") / "t"
    parts = [*m.mpirun(mpi, 2), h.BOBBIN, "record", "-q", "--mpi", "-o", trace, "--", exe, "plain",
             "20", ":", "-n", "1", exe, "plain", "20"]
    r = h.run(parts, env=m.environment(mpi))
    is_invisible(r, 3)
    threads = m.read(trace)
    h.check(sorted(t.rank for t in threads) == [0, 1], f"ranks {[t.rank for t in threads]}")


HELPERS = {
    "ends at once": "exit 3",
    "says nonsense": "head -c 100000 /dev/urandom",
    "reads nothing and hangs": "sleep 20",
    "dies of a signal": "kill -9 $$",
    "promises more than it has": "printf '\\000\\020\\000\\000\\000\\000\\000\\000abc'; sleep 20",
}


def helper(name):
    """It is not the program's business."""
    script = h.fresh("helper") / "bobbin"
    script.write_text(f"#!/bin/sh\ncase $1 in merge) {HELPERS[name]} ;; *) exec {h.BOBBIN} \"$@\" "
                      f";; esac\n")
    script.chmod(0o755)
    exe = m.program("openmpi", "finalize.c")
    said = h.fresh("said")
    r = m.record("openmpi", 3, ["env", f"BOBBIN_PLANNER={script}", exe, "plain", "20"],
                 options=["--exec"], env={"ORACLE_DIR": str(said), "BOBBIN_MERGE_WAIT": "1"})
    is_invisible(r, 3)
    h.check(reasons(r.trace) and not head(r.trace), f"{reasons(r.trace)}")
    lines = {rank: lines[0] for rank, lines in m.oracle(said).items()}
    all_there(r.trace, lines)
    merge(r.trace)
    all_there(r.trace, lines)
    return reasons(r.trace)[0] if reasons(r.trace) else None


for name in m.MPIS:
    for ranks in (2, 5):
        suite.add(f"{name}: {ranks} ranks", together, name, ranks, 40 * ranks)
    suite.add(f"{name}: memory", memory, name)
    for ms in (2250, 2300, 3000):  # as others stop waiting, while they are in MPI_Finalize
        suite.add(f"{name}: a rank is {ms} ms late", late, name, ms)
    suite.add(f"{name}: a rank is killed", killed, name, 4)
    suite.add(f"{name}: a rank is not recorded", not_all, name)
for name in HELPERS:
    suite.add(f"a helper {name}", helper, name)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
