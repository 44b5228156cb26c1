#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Recording MPI in programs of all languages, and beside other things: calls, memory, errors that
return. Programs print and end as without a recorder, and every stream is exact."""
import re
import sys

import harness as h
import mpi_events as m

suite = h.Suite("mpi_beside", jobs=1)


def lines(r):
    return sorted(r.out.splitlines()), r.status


def fortran(mpi, how):
    exe = m.program(mpi, "languages.F90",
                    [f"-D{how}", "-ffree-line-length-none", "-fallow-argument-mismatch"], "fortran")
    said = h.fresh("said")
    before = m.native(mpi, 4, [exe])
    h.check(before.status == 0, f"the program fails natively\n{before}")
    after = m.record(mpi, 4, [exe], env={"ORACLE_DIR": str(said)})
    h.same(before, after)
    return f"{m.check_oracle(after.trace, said)} events"


def cplusplus(mpi):
    exe, counts = m.program(mpi, "languages.cc", language="c++"), h.fresh("counts")
    before = m.native(mpi, 4, [exe])
    e = m.environment(mpi, {"COUNT_DIR": str(counts)})
    e["LD_PRELOAD"] = ":".join(filter(None, [e.get("LD_PRELOAD"),
                                             str(m.counter_library(mpi, "tool"))]))
    after = m.record(mpi, 4, [exe], env=e)
    h.same(before, after)
    n = m.counts(m.read(after.trace))
    # constructors of Open MPI's C++ library call MPI_Initialized before main, which both see
    m.same_counts(n, m.counted(counts, "tool"), "C++")
    h.check(n["Allreduce"] == 4 * 500 and n["Comm_dup"] == 4 * 55, f"{n}")
    return f"{sum(n.values())} events"


def streams(mpi, options, what):
    """Calls or memory accesses are recorded as well: random programs are exact in both."""
    exe, said = m.program(mpi, "random.c", ["-fno-inline"]), h.fresh("said")
    args = ["7", "4"]
    before = m.native(mpi, 3, [exe, *args])
    after = m.record(mpi, 3, [exe, *args], options, env={"ORACLE_DIR": str(said)})
    h.check(before.status == 0 and lines(before) == lines(after),
            f"without a recorder\n{before}\nrecorded\n{after}")
    n = m.check_oracle(after.trace, said)
    h.check_trace(after.trace)
    info = h.info(after.trace)
    h.check(info[what] > 1000, f"{info[what]} {what}")
    if what == "accesses":
        return f"{n} events, {info[what]} accesses"
    # as many calls of MPI's functions by the program's own as the events say: o_X for each
    functions = {}
    dump = h.bobbin("dump", after.trace)
    h.check(dump.status == 0, f"bobbin dump fails\n{dump}")
    for name in re.findall(r"(?m)^\d+ > \d+ [^!\n]*!(o_\w+)", dump.out.decode()):
        functions[name] = functions.get(name, 0) + 1
    events = m.counts(m.read(after.trace))
    for name in ("Waitall", "Sendrecv", "Comm_split", "Isend", "Probe"):
        h.check(functions.get(f"o_{name}", 0) == events.get(name, 0),
                f"{functions.get(f'o_{name}', 0)} calls of o_{name}, {events.get(name, 0)} events")
    return f"{n} events, {info[what]} calls"


def errors(mpi):
    """What MPI's functions return is the same, right and wrong arguments alike: the program prints
    them."""
    exe = m.program(mpi, "errors.c")
    before = m.native(mpi, 2, [exe])
    after = m.record(mpi, 2, [exe])
    h.check(before.status == 0 and b"wrong" in before.out, f"the program fails natively\n{before}")
    h.check(lines(before) == lines(after), f"without a recorder\n{before}\nrecorded\n{after}")


for name in m.MPIS:
    for how in ("MPIF_H", "USE_MPI", "USE_F08"):
        suite.add(f"{name}: Fortran, {how}", fortran, name, how)
    suite.add(f"{name}: C++", cplusplus, name)
    suite.add(f"{name}: --calls --mpi", streams, name, ["--calls", "--images=main"], "events")
    suite.add(f"{name}: --mem --mpi", streams, name, ["--mem", "--engine=native"], "accesses")
    suite.add(f"{name}: errors that return", errors, name)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
