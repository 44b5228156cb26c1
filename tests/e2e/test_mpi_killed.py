#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that are killed, abort, leave without MPI_Finalize, wait for ever, or find the disk full:
all that was complete is there, on all ranks, and the call that was under way is there as such."""
import os
import random
import subprocess
import sys

import harness as h
import mpi_events as m

suite = h.Suite("mpi_killed", jobs=1)


def run(mpi, *args):
    exe = m.program(mpi, "ends.c")
    said = h.fresh("said")
    r = m.record(mpi, 4, [exe, *args], env={"ORACLE_DIR": str(said)})
    return r, {rank: lines[0] for rank, lines in m.oracle(said).items()}


def prefix(threads, said, most=1):
    """All that was said is there; at most so many events besides. {rank: the last event of
    these}"""
    by_rank = {t.rank: t.events for t in threads}
    h.check(sorted(by_rank) == sorted(r for r in said if said[r]),
            f"ranks {sorted(by_rank)} of {sorted(said)}")
    extra = {}
    for rank, lines in said.items():
        events = by_rank[rank]
        h.check(len(lines) <= len(events) <= len(lines) + most,
                f"rank {rank}: {len(events)} events, {len(lines)} were said")
        m.same(events[: len(lines)], lines, f"rank {rank}")
        extra[rank] = events[len(lines):]
        h.check(not any(e.open for e in extra[rank][:-1]),
                f"rank {rank}: an open call is not the last one")
    return extra


def killed(mpi, times):
    random.seed(mpi)
    total = 0
    for _ in range(times):
        r, said = run(mpi, "killed", str(random.randrange(1000, 300000)))
        h.check(r.status != 0, f"no rank was killed\n{r}")
        prefix(m.read(r.trace, problems=True), said)
        total += sum(map(len, said.values()))
    return f"{total} events"


def abort(mpi):
    r, said = run(mpi, "abort", "50")
    # MPICH's mpirun ors it with the statuses of those that it killed meanwhile
    h.check(r.status == 7 or mpi == "mpich" and r.status & 7 == 7,
            f"status {r.status}, not that of MPI_Abort\n{r}")
    extra = prefix(m.read(r.trace, problems=True), said)
    last = extra[2][-1]
    h.check(last.name == "Abort" and last.open and last.values["errorcode"] == 7,
            f"rank 2 ends with {last}")


def leaves(mpi):
    exe = m.program(mpi, "ends.c")
    before = m.native(mpi, 4, [exe, "exit", "50"])
    r, said = run(mpi, "exit", "50")
    if mpi == "openmpi":  # MPICH's mpirun kills those that come later, if any: with and without us
        h.check(r.status == before.status and r.out == before.out,
                f"without a recorder\n{before}\nrecorded\n{r}")
    prefix(m.read(r.trace, problems=True), said, most=1)


def never(mpi):
    r, said = run(mpi, "never")
    h.check(r.status == 0 and not r.err, f"{r}")
    threads = m.read(r.trace)
    h.check(sorted(t.rank for t in threads) == [0, 1, 2], f"ranks {[t.rank for t in threads]}")
    prefix(threads, said, most=0)


def deadlock(mpi):
    r, said = run(mpi, "deadlock", "20")
    h.check(r.status != 0, f"no rank was killed\n{r}")
    extra = prefix(m.read(r.trace, problems=True), said)
    for rank, events in extra.items():
        last = events[-1] if events else None
        want = "Recv" if rank == 0 else "Barrier"
        h.check(last and last.open and last.name == want,
                f"rank {rank} ends with {last}, it waited in {want}")
    h.check(extra[0][-1].values["tag"] == 4711 and extra[0][-1].values["source"] == 1,
            f"{extra[0][-1]}")


def full(mpi, how, size):
    """The program does not notice; what fitted is there."""
    exe = m.program(mpi, "ends.c")
    said, trace = h.fresh("said"), h.fresh("full")
    argv = [exe, "full", "1500"]
    if how == "tmpfs":
        if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs",
                                           trace], capture_output=True).returncode:
            raise h.Skip("a small file system cannot be mounted")
    else:  # of the rank's own files only: the program writes little
        argv = ["sh", "-c", f"trap '' XFSZ; ulimit -f {size}; exec \"$@\"", "sh", *argv]
    try:
        r = h.run([*m.mpirun(mpi, 4), h.BOBBIN, "record", "-q", f"--mpi={mpi}", "-o", trace / "t",
                   "--", *argv], env=m.environment(mpi,
                                                   {"ORACLE_DIR": str(said)} if how == "tmpfs"
                                                   else None))
        h.check(r.status == 0 and sorted(r.out.split(b"\n"))[1:]
                == [b"rank %d is done" % i for i in range(4)], f"{r}")
        events = {t.rank: t.events for t in m.read(trace / "t", problems=True, nothing=True)}
        if how == "tmpfs":
            for rank, (lines,) in m.oracle(said).items():
                have = events.get(rank, [])
                have = have[:-1] if have and have[-1].open else have
                m.same(have, lines[: len(have)], f"rank {rank}")
        return f"{sum(map(len, events.values()))} events"
    finally:
        if how == "tmpfs":
            subprocess.run(["umount", "-l", trace], check=False)


for name in m.MPIS:
    suite.add(f"{name}: a rank is killed at random moments", killed, name, 3)
    suite.add(f"{name}: MPI_Abort", abort, name)
    suite.add(f"{name}: no MPI_Finalize", leaves, name)
    suite.add(f"{name}: a rank that never calls MPI", never, name)
    suite.add(f"{name}: waiting for ever", deadlock, name)
    for kib in (64, 1600):
        suite.add(f"{name}: a file system of {kib} KiB", full, name, "tmpfs", kib)
for half_kib in (200, 4000):  # UCX of MPICH needs larger files itself
    suite.add(f"openmpi: files limited to {half_kib // 2} KiB", full, "openmpi", "rlimit", half_kib)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
