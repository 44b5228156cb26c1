#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: serial
"""Not all of MPI is recorded (--mpi-functions): what is recorded is exactly as it is without, numbers of handles and requests
included; the trace says what is left out."""
import fnmatch
import re
import sys

import harness as h
import mpi_events as m

suite = h.Suite("mpi_levels", jobs=1)


# --- some functions ---


def recorded(patterns):
    """Names of the functions that are recorded: those chosen; those that begin and end MPI; those that make communicators or types, if a
    chosen one has such a parameter."""
    functions = m.TABLE.functions.values()

    def is_chosen(f):
        return any(p == f.kind or fnmatch.fnmatch(f.name.lower(), p.lower().removeprefix("mpi_")) for p in re.split("[:,]", patterns))

    chosen = [f for f in functions if is_chosen(f)]
    h.check(chosen, f"{patterns}: no function")
    names = {f.name for f in chosen} | {f.name for f in functions if set(f.marks) & {"started", "finishing"}}
    for role in ("comm", "type"):
        if any(p.role == role for f in chosen for p in f.parameters):
            names |= {f.name for f in functions for p in f.parameters
                      if p.role == role and p.comes_out and not p.goes_in and not p.is_vector}
    return names


def only(directory, names):
    """What the programs say, without the calls of other functions."""
    for f in directory.iterdir():
        lines = [line for line in f.read_text().splitlines() if line.split()[0] in names]
        if lines:
            f.write_text("".join(line + "\n" for line in lines))
        else:
            f.unlink()


def says(trace, words):
    for verb in ("show", "report", "info", "check", "commmatrix"):
        r = h.run([h.BOBBIN, verb, trace])
        h.check(r.status == 0 and words.encode() in r.out + r.err, f"bobbin {verb} does not say {words!r}\n{r}")


def choice(mpi, patterns, name, arguments):
    exe = m.program(mpi, name)
    said = h.fresh("said")
    env = {"ORACLE_DIR": str(said), "ORACLE_FILE": str(h.fresh("file") / "data")}
    r = m.record(mpi, 4, [exe, *arguments], options=[f"--mpi-functions={p}" for p in patterns.split()], env=env)
    h.check(r.status == 0, f"the program fails\n{r}")
    only(said, recorded(patterns.replace(" ", ":")))
    n = m.check_oracle(r.trace, said)
    h.check(n > 20, f"only {n} events")
    says(r.trace, f"recorded with --mpi-functions={patterns.replace(' ', ':')}")
    return f"{n} events"


def every(mpi, patterns):
    """All functions are called; those that are recorded are there as often as with all of them."""
    exe = m.program(mpi, "every.c", [f"-I{m.have(mpi)}"])
    env = {"EVERY_FILE": str(h.fresh("file") / "data")}
    everything = m.counts(m.read(m.record(mpi, 2, [exe], env=env).trace))
    r = m.record(mpi, 2, [exe], options=["--mpi-functions=" + patterns], env=env)
    h.check(r.status == 0 and r.out == b"0 calls failed\n", f"the program fails\n{r}")
    n, names = m.counts(m.read(r.trace)), recorded(patterns)
    want = {k: v for k, v in everything.items() if k in names}
    for name in ("Improbe", "Test", "Testany", "Testall", "Testsome", "Request_get_status", "Win_test", "Parrived", "Wait"):
        if name in want:
            want[name] = n.get(name, 0)  # polled as often as it takes
    m.same_counts(n, want, patterns)
    return f"{sum(n.values())} of {sum(everything.values())} events"


def misuse():
    for bad in ("foo", "p2p:foo", "MPI_Sendd", ""):
        r = h.run([h.BOBBIN, "record", "--mpi-functions=" + bad, "--", "true"])
        h.check(r.status == 125 and b"no function of MPI" in r.err, f"{bad!r} is taken\n{r}")


for name in m.MPIS:
    random = ("random.c", ["601", "20"] if name == "openmpi" else ["651", "8"])  # MPICH polls more
    suite.add(f"{name}: p2p", choice, name, "p2p", *random)
    suite.add(f"{name}: collective and Wait*", choice, name, "collective:MPI_Wait*", *random)
    suite.add(f"{name}: sends, twice", choice, name, "mpi_[si]send Waitall", *random)
    suite.add(f"{name}: windows", choice, name, "rma", "oracle.c", ["windows"])
    suite.add(f"{name}: files", choice, name, "io,environment", "oracle.c", ["files"])
    suite.add(f"{name}: threads", choice, name, "p2p", "oracle.c", ["threads"])
    for patterns in ("p2p", "rma,io", "Allreduce", "comm,group,info"):
        suite.add(f"{name}: every function, {patterns}", every, name, patterns)
suite.add("no such function", misuse)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
