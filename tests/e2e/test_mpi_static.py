#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that MPI is linked to statically, with Bobbin's relink library: recorded call by call as
others, and without a recorder nothing is different. Without the library they are refused, with the
reason. Only MPICH comes as a static library."""
import pathlib
import re
import subprocess
import sys

import harness as h
import mpi_events as m

suite = h.Suite("mpi_static", jobs=1)


def relink():
    r = h.run([h.BOBBIN, "env", "--mpi-link=mpich"])
    h.check(r.status == 0, f"{r}")
    return r.out.decode().split()


def static_mpi():
    """Linker arguments: libmpich.a, and shared what it needs."""
    shown = h.run([m.compiler("mpich"), "-show"]).out.decode().split()
    folder = next(w[2:] for w in shown if w.startswith("-L"))
    library = pathlib.Path(folder) / "libmpich.a"
    if not library.exists():
        raise h.Skip("there is no libmpich.a")
    needed = re.findall(r"NEEDED.*\[(.*)\]",
                        subprocess.run(["readelf", "-d", f"{folder}/libmpich.so"],
                                       capture_output=True, text=True).stdout)
    return ([str(library), *(f"-l:{n}" for n in needed if n.startswith("lib"))],
            [w for w in shown if w.startswith("-I")])


def build(name, link, extra=()):
    mpi, include = static_mpi()
    flags = ["-O1", "-w", "-pthread", f"-I{h.PROG / 'mpi'}", *include, *extra]
    return h.compile(f"{name}.static{len(link)}", [f"mpi/{name}"], "gcc", flags, [*link, *mpi])


def oracle(name, *arguments):
    """What the program says is recorded."""
    exe = build(name, relink())
    env = {"ORACLE_FILE": str(h.fresh("file") / "data")}
    before = m.native("mpich", 4, [exe, *arguments], env=env)
    said = h.fresh("said")
    after = m.record("mpich", 4, [exe, *arguments], env={**env, "ORACLE_DIR": str(said)})
    h.check(after.status == before.status == 0
            and sorted(after.out.splitlines()) == sorted(before.out.splitlines()),
            f"{before}\n{after}")
    return f"{m.check_oracle(after.trace, said)} events"


def every():
    """As many calls of each function as with the shared library."""
    exe = build("every.c", relink(), [f"-I{m.have('mpich')}"])
    shared = m.program("mpich", "every.c", [f"-I{m.have('mpich')}"])
    counts = []
    for program in (exe, shared):
        r = m.record("mpich", 2, [program], env={"EVERY_FILE": str(h.fresh("file") / "data")})
        h.check(r.status == 0 and r.out == b"0 calls failed\n", f"{r}")
        counts.append(m.counts(m.read(r.trace)))
    for name in ("Improbe", "Test", "Testany", "Testall", "Testsome", "Request_get_status",
                 "Win_test", "Parrived", "Wait"):
        counts[1][name] = counts[0].get(name, 0)  # polled as often as it takes
    m.same_counts(*counts, "static and shared")
    return f"{sum(counts[0].values())} events"


def refused():
    for exe in (build("random.c", []), build("random.c", ["-no-pie"])):
        for option in ("--mpi", "--mpi=mpich"):
            r = h.run([h.BOBBIN, "record", option, "-o", h.fresh("refused") / "t", "--", exe, "1",
                       "1"])
            h.check(r.status == 125 and b"bobbin env --mpi-link=" in r.err, f"{r}")


def misuse():
    r = h.run([h.BOBBIN, "env", "--mpi-link=lam"])
    h.check(r.status == 2 and b"--mpi-link is one of openmpi|mpich" in r.err, f"{r}")


suite.add("random programs", oracle, "random.c", "801", "10")
for part in ("topologies", "threads"):
    suite.add(part, oracle, "oracle.c", part)
suite.add("every function", every)
suite.add("without the relink library", refused)
suite.add("no such MPI", misuse)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
