#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random programs under MPI, without deadlocks, say what they do: the events are exactly that, in
order, on all ranks; and what report and commmatrix print, from the folded form, is what these
events add up to."""
import sys

import harness as h
import mpi_events as m
import mpi_sums

suite = h.Suite("mpi_random", jobs=1)


def programs(mpi, ranks, first, count):
    exe = m.program(mpi, "random.c")
    said = h.fresh("said")
    r = m.record(mpi, ranks, [exe, str(first), str(count)], env={"ORACLE_DIR": str(said)},
                 timeout=200)
    h.check(r.status == 0 and r.out.startswith(b"%d programs" % count), f"the program fails\n{r}")
    n = m.check_oracle(r.trace, said)
    h.check(n > 20 * count, f"only {n} events")
    mpi_sums.check(r.trace)
    return f"{n} events of {count} programs"


# 524 programs. What takes time is starting ranks and reading what they said: a start runs many; of
# MPICH fewer, which polls more.
for name in m.MPIS:
    for first in (1, 101, 201, 301) if name == "openmpi" else (401, 451):
        suite.add(f"{name}: 4 ranks, programs {first}...", programs, name, 4, first,
                  100 if name == "openmpi" else 30)
suite.add("openmpi: 3 ranks", programs, "openmpi", 3, 501, 40)
suite.add("openmpi: 16 ranks", programs, "openmpi", 16, 601, 4)
suite.add("mpich: 2 ranks", programs, "mpich", 2, 701, 20)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
