#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A call of MPI that never completes, however the program ends: it is shown with what went in,
vectors too. Also while the program runs, and after a merge."""

import os
import re
import signal
import subprocess
import sys

import harness as h
import mpi_events as m

suite = h.Suite("open mpi")
OPEN = "IN PROGRESS when recording ended"
SHOWN = {"none": f"MPI_Recv(1 INT, source=0, tag=7, COMM_WORLD)  {OPEN}",
         "vector": f"MPI_Waitall(requests=[last-2, last-1, last])  {OPEN}"}


def check(trace, what):
    r = h.bobbin("show", trace)
    h.check(r.status == 0, r)
    last = r.out.decode().rstrip().splitlines()[-1].strip().split("   ")[0]
    h.check(last == SHOWN[what], f"{last}, not {SHOWN[what]}")
    for args in ["report", trace], ["check", trace], ["export", "--format=csv", "-o",
                                                      h.fresh("export") / "x", trace]:
        r = h.bobbin(*args)
        h.check(r.status == 0 and not r.err, f"{args}: {r}")


def matrix(mpi, who, what, how):
    exe = m.program(mpi, "waits.c")
    trace = h.fresh("trace") / "t"
    argv = [*m.mpirun(mpi, 1), h.BOBBIN, "record", "-q", "-o", trace, "--mpi", "--", exe, who, what,
            how]
    p = subprocess.Popen([str(a) for a in argv], env=m.environment(mpi), stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        if how == "hang":
            h.check(p.stdout.readline() == b"there\n", "it does not hang")
            check(trace, what)
            os.killpg(p.pid, signal.SIGKILL)
            for pid in re.findall(r"pid (\d+)", h.bobbin("show", trace).out.decode()):
                os.kill(int(pid), signal.SIGKILL)
        p.wait(timeout=60)
    finally:
        if p.poll() is None:
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
    h.await_end(trace)
    check(trace, what)
    r = h.bobbin("merge", "-q", trace)
    h.check(r.status == 0 and not r.err, r)
    check(trace, what)


for mpi in m.MPIS:
    for who in ("own", "other"):
        for what in SHOWN:
            for how in ("exit", "_exit", "exec", "kill", "hang"):
                suite.add(f"{mpi} {who} {what} {how}", matrix, mpi, who, what, how)

if __name__ == "__main__":
    sys.exit(suite.run())
