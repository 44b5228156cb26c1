#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What is peculiar in MPI's parameters: programs say each call that they make (oracle.c), the
events are exactly that. They print and return the same as without a recorder."""
import sys

import harness as h
import mpi_events as m

PARTS = ("p2p", "requests", "comms", "types", "windows", "files", "topologies", "objects", "life",
         "threads")
suite = h.Suite("mpi_oracle", jobs=1)


def lines(r):
    """Ranks print in any order."""
    return sorted(r.out.splitlines())


def native(mpi, argv, env):
    """Without a recorder; once more if it crashes: Open MPI 4.1 does in its MPI_Finalize, once in
    thousands of runs."""
    r = m.native(mpi, 4, argv, env=env)
    return r if r.status == 0 else m.native(mpi, 4, argv, env=env)


def part(mpi, name):
    exe = m.program(mpi, "oracle.c")
    env = {"ORACLE_FILE": str(h.fresh("file") / "data")}
    before = native(mpi, [exe, name], env)
    h.check(before.status == 0, f"the program fails natively\n{before}")
    said = h.fresh("said")
    after = m.record(mpi, 4, [exe, name], env={**env, "ORACLE_DIR": str(said)})
    h.check(after.status == 0 and lines(after) == lines(before),
            f"without a recorder:\n{before}\nrecorded:\n{after}")
    return f"{m.check_oracle(after.trace, said)} events"


for mpi in m.MPIS:
    for name in PARTS:
        suite.add(f"{mpi}: {name}", part, mpi, name)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
