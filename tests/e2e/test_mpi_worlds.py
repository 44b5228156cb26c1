#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Several MPI_COMM_WORLDs in one trace: programs that MPI_Comm_spawn starts are recorded as those
that mpirun does, ranks of the trace distinguish all of them, and messages from one to the other are
known. A tool that counts by PMPI says what each process called."""
import sys

import harness as h
import mpi_events as m

suite = h.Suite("mpi_worlds", jobs=1)
BYTES = 8  # of a double: spawn.c sends so many in each message


def spawner(mpi="openmpi"):
    return m.program(mpi, "spawn.c", ['-DTAG="tool"'], libs=[str(m.counter(mpi))])


def matrix(trace):
    """{(from, to): (messages, bytes)}"""
    rows = [[int(x) for x in r.split(",")]
            for r in h.bobbin("commmatrix", "--format=csv", trace).out.decode().splitlines()[1:]]
    return {(sender, receiver): (n, size) for sender, receiver, n, size, _ in rows}


def messages(*rows):
    out = {}
    for sender, receiver, doubles in rows:
        n, b = out.get((sender, receiver), (0, 0))
        out[(sender, receiver)] = (n + 1, b + BYTES * doubles)
    return out


def met(root, children):
    """What spawn.c sends: the parents' `root`, and so many children, which are the ranks from 2
    on."""
    first, last = 2, 1 + children
    rows = [(first + i, root, 10 + i) for i in range(children)] + [(root, first, 20)]
    rows += [(first + i, first + i + 1, 30 + i) for i in range(children - 1)]
    # of the merged communicator the first and the last
    return messages(*rows, (root, last, 100), (last, root, 200))


def same_calls(trace, counts):
    """By process: it has the same number in both."""
    seen = {}
    for t in m.read(trace):
        mine = seen.setdefault(t.pid, {})
        for e in t.events:
            mine[e.name] = mine.get(e.name, 0) + 1
    reported = {}
    for f in counts.iterdir():
        lines = [line.split() for line in f.read_text().splitlines()]
        if lines:  # launchers load a preloaded tool, too, and call nothing
            reported[int(f.suffix[1:])] = {name: int(n) for name, n in lines}
    h.check(seen == reported, f"calls by process differ\n{seen}\n{reported}")
    return sum(sum(n.values()) for n in seen.values())


def starts(mode, root, children, outside, preloaded=False):
    """`outside`: what is recorded is mpirun, so that the daemons' environment has the agent in it.
    `preloaded`: the tool is preloaded, not linked. Bobbin's MPI_Comm_spawn calls the tool's, and
    that calls Bobbin's PMPI_Comm_spawn."""
    exe = m.program("openmpi", "spawn.c") if preloaded else spawner()
    counts = h.fresh("counts")
    argv = [exe, *mode]
    before = m.native("openmpi", 2, argv)
    h.check(before.status == 0, f"it fails natively\n{before}")
    env = {"COUNT_DIR": str(counts)}
    if preloaded:
        env["LD_PRELOAD"] = str(m.counter_library("openmpi", "tool"))
    if outside:
        trace = h.fresh("mpi") / "t"
        after = h.run([h.BOBBIN, "record", "-q", "--mpi", "-o", trace, "--",
                       *m.mpirun("openmpi", 2), *argv], env=m.environment("openmpi", env))
        after.trace = trace
    else:
        after = m.record("openmpi", 2, argv, env=env)
    h.same(before, after)
    h.check(h.bobbin("check", after.trace).status == 0, f"{after.trace} is not complete")
    n = same_calls(after.trace, counts)
    want = met(root, children)
    got = matrix(after.trace)
    h.check(got == want, f"messages differ\n{got}\n{want}")
    said = h.bobbin("info", after.trace).out.decode()
    line = (f"ranks 2-{1 + children} are ranks 0-{children - 1} of another MPI_COMM_WORLD, which "
            f"rank {root} started")
    h.check(line in said, f"no '{line}' in\n{said}")
    return f"{n} calls, {len(got)} pairs"


def in_order(mode, children, outside):
    return lambda: starts(mode, 1 if mode[0] == "all" else 0, children, outside)


def left_out():
    """With --no-follow they are not recorded, and that is said."""
    r = m.record("openmpi", 2, [spawner(), "all", "3"], options=["--no-follow"])
    h.check(r.status == 0, r)
    line = "3 processes that rank 1 started by MPI_Comm_spawn left no trace"
    said = h.bobbin("check", r.trace)
    h.check(said.status == 3 and line in said.out.decode(), f"no '{line}' in\n{said}")


def not_there():
    """MPI's error is the program's."""
    argv = [spawner(), "missing"]
    before = m.native("openmpi", 2, argv)
    after = m.record("openmpi", 2, argv)
    h.check(before.status != 0 and before.status == after.status, f"{before}\n{after}")
    h.check(b"/no/such/program" in before.err and b"/no/such/program" in after.err, after)


def fails_alike():
    """This MPICH has no daemon that could start programs; it fails as it does without a
    recorder."""
    argv = [spawner("mpich"), "many"]
    before, after = m.native("mpich", 2, argv), m.record("mpich", 2, argv)
    h.check(before.status == after.status, f"{before}\n{after}")


def one_after_the_other():
    """Two mpiruns in one recording are two worlds."""
    trace = h.fresh("mpi") / "t"
    line = " ".join(m.mpirun("openmpi", 2)) + f" {spawner()} none"
    r = h.run([h.BOBBIN, "record", "-q", "--mpi=openmpi", "-o", trace, "--", "sh", "-c",
               f"{line} && {line}"], env=m.environment("openmpi"))
    h.check(r.status == 0, r)
    h.check_trace(trace)
    got, want = matrix(trace), messages((0, 1, 5), (2, 3, 5))
    h.check(got == want, f"messages differ\n{got}\n{want}")


for outside in (False, True):
    where = "mpirun is recorded" if outside else "the ranks are recorded"
    suite.add(f"ranks in reverse order start three; {where}", in_order(["all", "3"], 3, outside))
    suite.add(f"one call starts two programs, with arguments; {where}",
              in_order(["many"], 3, outside))
suite.add("a tool is preloaded after Bobbin", starts, ["all", "3"], 1, 3, False, True)
suite.add("with --no-follow they are missing", left_out)
suite.add("a command that is not there", not_there)
suite.add("an MPI that cannot start programs", fails_alike)
suite.add("two mpiruns in one recording", one_after_the_other)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
