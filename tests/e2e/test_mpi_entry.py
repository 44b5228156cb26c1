#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How calls come to the recorder: before MPI_Init and after MPI_Finalize, from a library's
constructor, which runs before ours, through a tool that is linked with the program, whose own calls
are not the program's; and that a program of another MPI than --mpi says runs as without a
recorder."""
import sys

import harness as h
import mpi_events as m

suite = h.Suite("mpi_entry", jobs=1)
BEFORE = ["Get_version", "Initialized"]
REST = ["Comm_rank", "Comm_dup", *10 * ["Barrier"], "Comm_free", "Finalize", "Finalized"]
SOURCE = str(h.PROG / "mpi" / "entry.c")


def plain(mpi):
    return m.program(mpi, "entry.c")


def early(mpi):
    library = h.compile(f"libentry-{mpi}.so", ["mpi/entry.c"], m.compiler(mpi),
                        ["-DEARLY", "-shared", "-fPIC", "-g"])
    return m.program(mpi, "entry.c", ["-DLIBRARY"],
                     libs=[str(library), f"-Wl,-rpath,{library.parent}"])


def with_tool(mpi):
    tool = h.compile(f"entry_tool-{mpi}.o", ["mpi/entry.c"], m.compiler(mpi),
                     ["-DTOOL", "-c", "-O1", "-g"])
    return m.program(mpi, "entry.c", libs=[str(tool)])


def calls(mpi, exe, want, options=(), args=()):
    before = m.native(mpi, 2, [exe, *args])
    h.check(before.status == 0, f"it fails natively\n{before}")
    after = m.record(mpi, 2, [exe, *args], options=options)
    h.same(before, after)
    h.check_trace(after.trace)
    threads = m.read(after.trace)
    h.check(len(threads) == 2, f"{len(threads)} threads")
    for t in threads:
        got = [e.name for e in t.events]
        h.check(got == want, f"rank {t.rank}: {got}\nnot {want}")
        numbers = [e.values["newcomm"] for e in t.events if e.name == "Comm_dup"]
        h.check(numbers == list(range(256, 256 + len(numbers))),
                f"communicators are numbered {numbers}")
    return f"{len(want)} calls"


def any_time(mpi):
    return calls(mpi, plain(mpi), [*BEFORE, "Init", *REST])


def constructor(mpi):
    return calls(mpi, early(mpi), ["Init", "Barrier", "Comm_dup", "Comm_free", *BEFORE, *REST])


def tool(mpi):
    exe = with_tool(mpi)
    calls(mpi, exe, [*BEFORE, "Init", *REST])
    calls(mpi, exe, [*BEFORE, "Init", *REST], ["--no-callsites"])
    return calls(mpi, exe, ["Init", "Comm_dup", *10 * ["Barrier"], "Finalize"],
                 ["--mpi-functions=Barrier"])


def tool_place(mpi):
    """The tool's definition is no part of the call path."""
    r = m.record(mpi, 2, [with_tool(mpi)])
    said = h.bobbin("show", r.trace).out.decode()
    barrier = [line for line in said.splitlines() if "MPI_Barrier" in line]
    h.check(len(barrier) == 1 and "  main" in barrier[0], said)


def by_handle(mpi):
    exe = m.program(mpi, "by_handle.c", ["-Wl,--as-needed"], libs=["-ldl"])
    library = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}[mpi]
    want = ["Init", "Comm_rank", "Comm_dup", *11 * ["Barrier"], "Comm_free", "Finalize"]
    if mpi == "openmpi":  # MPICH's UCX crashes natively where it is not open for everybody
        calls(mpi, exe, want, [f"--mpi={mpi}"], [library, "alone"])
    return calls(mpi, exe, want, [f"--mpi={mpi}"], [library])


def another(mpi):
    """Under a shell it is unknown which MPI the program has until it runs."""
    other = [x for x in m.MPIS if x != mpi][0]
    argv = ["sh", "-c", f"{plain(mpi)}; exit $?"]
    before = m.native(mpi, 2, argv)
    after = m.record(mpi, 2, argv, options=[f"--mpi={other}"])
    h.same(before, after)
    said = h.bobbin("check", after.trace)
    h.check(said.status == 3 and b"an MPI library other than that of --mpi" in said.out, said)
    r = m.record(mpi, 2, [plain(mpi)], options=[f"--mpi={other}"])
    h.check(r.status != 0 and b"is linked with " + mpi.encode() in r.err, f"not refused\n{r}")
    h.check(not r.trace.exists(), "a trace was begun")


for mpi in m.MPIS:
    suite.add(f"{mpi}: before MPI_Init, and after MPI_Finalize", any_time, mpi)
    suite.add(f"{mpi}: in a library's constructor", constructor, mpi)
    suite.add(f"{mpi}: a tool linked with the program", tool, mpi)
    suite.add(f"{mpi}: where the program calls the tool", tool_place, mpi)
    suite.add(f"{mpi}: functions asked for by the handle of the library", by_handle, mpi)
    suite.add(f"{mpi}: --mpi names another", another, mpi)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
