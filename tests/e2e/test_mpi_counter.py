#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""Traces equal an independent PMPI counter (mpi_counter.py) that is preloaded after Bobbin: calls
by process and function, point-to-point and one-sided messages and bytes by pair of processes. Both
observe the same run, so programs that poll are compared, too."""
import csv
import io
import re
import sys

import harness as h
import mpi_counter as c
import mpi_events as m

sys.path.insert(0, str(h.ROOT / "bench" / "mpi"))
import programs  # noqa: E402

suite = h.Suite("mpi_counter", jobs=1)
RANKS = 4
KERNELS = h.ROOT / "bench" / "calls" / "kernels"
FORTRAN = {"lu": ("field", "block", "sweep", "norm", "main"),
           "bt": ("field", "block", "line", "change", "main")}
COLLECTIVE = {"cg", "ep", "ft", "is"}  # these send no point-to-point messages
NAMES = sorted(p.name for p in KERNELS.iterdir() if p.name != "frame")
# `make check` omits kernels that only have collective calls, and what takes long: MPICH polls, and
# the ranks share few processors.
CHECKED = {"openmpi": {"hybrid", "lu", "mg", "sp"}, "mpich": {"sp"}}
TESTERS = {"openmpi": {"xdlu", "xdllt", "xdqr"}, "mpich": {"xdlu", "xdllt"}}
ATOMICS = {"OMPI_MCA_osc": "^rdma"}  # Open MPI's atomics crash in that component
SCALAPACK = "/usr/lib/x86_64-linux-gnu/scalapack/{mpi}-tests/"


# --- the trace's numbers ---


def calls_of(trace, pid):
    """{function: calls} of a process, by `bobbin report`."""
    r = h.bobbin("report", "--mpi", "--limit=0", f"--group=pid={pid}", trace)
    h.check(r.status == 0, f"report fails\n{r}")
    rows = re.findall(r"^ *([\d,]+) +[\d.]+% .* MPI_(\w+)$", r.out.decode(), re.M)
    return {name: int(n.replace(",", "")) for n, name in rows}


def pairs_of(trace, of):
    """{(from, to): (messages, bytes)}, by `bobbin commmatrix`."""
    r = h.bobbin("commmatrix", f"--of={of}", "--format=csv", trace)
    h.check(r.status == 0, f"commmatrix fails\n{r}")
    out = {}
    for row in csv.DictReader(io.StringIO(r.out.decode())):
        n = {k: int(v) for k, v in row.items()}
        h.check(n["unknown"] == 0, f"unknown bytes: {row}")
        out[n["from"], n["to"]] = n["messages"], n["bytes"]
    return out


def numbered(trace, processes):
    """{pid: rank in the trace}, {pid: {rank in its MPI_COMM_WORLD: rank in the trace}}."""
    reported = {p["pid"]: p for p in h.info(trace)["process_list"] if p["rank"] is not None}
    pids = sorted(p.pid for p in processes)
    h.check(sorted(reported) == pids, f"recorded processes {sorted(reported)}, counted {pids}")
    first = min(p["world"] for p in reported.values())
    worlds = {}
    for p in processes:
        t = reported[p.pid]
        h.check(t["world_size"] == p.ranks, f"world of {t['world_size']} ranks, counted {p.ranks}")
        h.check(t["world"] != first or t["rank"] == p.rank, f"rank {t['rank']}, counted {p.rank}")
        worlds.setdefault(t["world"], {})[p.rank] = t["rank"]
    return ({pid: t["rank"] for pid, t in reported.items()},
            {pid: worlds[t["world"]] for pid, t in reported.items()})


def pairs(processes, rank_of, in_world, ways):
    """The counter's {(from, to): (messages, bytes)}, by ranks in the trace."""
    out = {}
    for p in processes:
        for way in ways:
            for (kind, number), (messages, size) in p.ways[way].items():
                peer = in_world[p.pid][number] if kind == "rank" else rank_of[number]
                ends = (peer, rank_of[p.pid]) if way == "get" else (rank_of[p.pid], peer)
                n, b = out.get(ends, (0, 0))
                out[ends] = n + messages, b + size
    return out


def differ(recorded, counted, what):
    lines = [f"{k}: recorded {recorded.get(k)}, counted {counted.get(k)}"
             for k in sorted(recorded.keys() | counted.keys()) if recorded.get(k) != counted.get(k)]
    h.check(not lines, f"{what} differ\n" + "\n".join(lines[:20]))


def compare(trace, processes, unseen=()):
    """Fails unless trace and counter are equal. `unseen`: functions that each process calls once by
    the name PMPI_X, which no tool sees and Bobbin records."""
    h.check_trace(trace)
    rank_of, in_world = numbered(trace, processes)
    calls = 0
    for p in processes:
        counted = dict(p.calls)
        for name in unseen:
            counted[name] = counted.get(name, 0) + 1
        differ(calls_of(trace, p.pid), counted, f"calls of rank {rank_of[p.pid]}")
        calls += sum(counted.values())
    h.check(h.info(trace)["mpi_calls"] == calls, "info has a different number of calls")
    sent = pairs(processes, rank_of, in_world, ["send"])
    moved = pairs(processes, rank_of, in_world, ["put", "get"])
    differ(pairs_of(trace, "messages"), sent, "messages")
    differ(pairs_of(trace, "onesided"), moved, "one-sided messages")
    return calls, sent, moved


# --- programs ---


def counted(mpi, ranks, argv, env=None, **kw):
    """The recorded run, and the counter's processes. Bobbin's libraries come before the counter."""
    sums = h.fresh("sums")
    env = m.environment(mpi, {**(env or {}), "SUMS_DIR": str(sums)})
    env["LD_PRELOAD"] = ":".join(filter(None, [env.get("LD_PRELOAD"), str(c.library(mpi))]))
    r = m.record(mpi, ranks, argv, env=env, **kw)
    h.check(r.status == 0, f"the program fails\n{r}")
    return r, c.read(sums)


def equal(mpi, ranks, argv, messages=True, one_sided=False, processes=None, unseen=(), **kw):
    """`messages`, `one_sided`: does the program have any? So a run that counts nothing fails."""
    r, found = counted(mpi, ranks, argv, **kw)
    h.check(len(found) == (processes or ranks), f"{len(found)} processes have counted")
    calls, sent, moved = compare(r.trace, found, unseen)
    h.check(bool(sent) == messages and bool(moved) == one_sided,
            f"{len(sent)} pairs with messages, {len(moved)} with one-sided ones")
    both = [*sent.values(), *moved.values()]
    return (f"{len(found)} ranks, {calls} calls, {len(both)} pairs, "
            f"{sum(n for n, _ in both)} messages, {sum(b for _, b in both)} bytes")


def kernel(mpi, name):
    if name in FORTRAN:
        language = "fortran"
        files = ["frame/frame.f90", *(f"{name}/{x}.f90" for x in FORTRAN[name])]
        sources = [str(KERNELS / x) for x in files]
    else:
        language, folders = "c", (KERNELS / "frame", KERNELS / name)
        sources = [str(x) for folder in folders for x in sorted(folder.glob("*.c"))]
    flags = [f"-I{KERNELS}", "-O2", *(["-fopenmp"] if name == "hybrid" else [])]
    exe = m.program(mpi, sources[0], flags, language, ["-lm"], sources[1:])
    env = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
    return equal(mpi, RANKS, [exe, "S"], messages=name not in COLLECTIVE, env=env)


def one_of_ours(mpi, source, arguments=(), ranks=RANKS, flags=(), libs=(), **kw):
    return equal(mpi, ranks, [m.program(mpi, source, flags, libs=libs), *arguments], **kw)


def one_sided(mpi):
    return one_of_ours(mpi, "onesided.c", messages=False, one_sided=True, env=ATOMICS)


def threads(mpi):
    return one_of_ours(mpi, "threads.c", ["50"])


def spawn(words):
    return one_of_ours("openmpi", "spawn.c", words, ranks=2, processes=5)


def entry(mpi):
    return one_of_ours(mpi, "entry.c", messages=False, unseen=["Comm_rank"])


def early(mpi):
    """A library's constructor, which runs before those of preloaded libraries, calls MPI_Init."""
    lib = h.compile(f"libentry-{mpi}.so", ["mpi/entry.c"], m.compiler(mpi),
                    ["-DEARLY", "-shared", "-fPIC", "-g"])
    return one_of_ours(mpi, "entry.c", flags=["-DLIBRARY"], messages=False, unseen=["Comm_rank"],
                       libs=[str(lib), f"-Wl,-rpath,{lib.parent}"])


def every(mpi):
    return one_of_ours(mpi, "every.c", ranks=2, flags=[f"-I{m.have(mpi)}"], one_sided=True,
                       env={"EVERY_FILE": str(h.fresh("file") / "data")})


def random(mpi):
    return one_of_ours(mpi, "random.c", ["1", "20"], env={"ORACLE_DIR": str(h.fresh("said"))})


def fortran(mpi, how):
    flags = [f"-D{how}", "-ffree-line-length-none", "-fallow-argument-mismatch"]
    exe = m.program(mpi, "languages.F90", flags, "fortran")
    return equal(mpi, 4, [exe], env={"ORACLE_DIR": str(h.fresh("said"))})


def cplusplus(mpi):
    exe = m.program(mpi, "languages.cc", language="c++")
    return equal(mpi, 4, [exe], messages=False)


def debian(mpi, name, command):
    """A program of a Debian package, with the input that bench/mpi gives it."""
    h.need(command)
    p, directory = programs.find(name, str(h.WORK / "bin")), h.fresh(name)
    p.prepare(str(directory), RANKS)
    return equal(mpi, RANKS, [command, *p.argv[1:]], cwd=directory)


def can_fail(mpi):
    """The comparison fails if one number of the counter changes."""
    r, found = counted(mpi, RANKS, [m.program(mpi, "onesided.c")], env=ATOMICS)
    compare(r.trace, found)

    def fails(what):
        try:
            compare(r.trace, found)
        except h.Failure:
            return
        raise h.Failure(f"{what} is not noticed")

    one = next(p for p in found if p.rank == 0)
    one.calls["Get"] += 1
    fails("a call more")
    one.calls["Get"] -= 1
    messages, size = one.ways["put"]["rank", 2]
    one.ways["put"]["rank", 2] = messages, size + 1
    fails("a byte more")
    one.ways["put"]["rank", 2] = messages, size
    one.ways["send"]["rank", 3] = 1, 0
    fails("a message more")
    del one.ways["send"]["rank", 3]
    compare(r.trace, found)
    found.remove(one)
    fails("a process that did not count")


for one in m.MPIS:
    for kernel_name in sorted(h.share(CHECKED[one], NAMES)):
        suite.add(f"{one}: kernel {kernel_name}", kernel, one, kernel_name)
    suite.add(f"{one}: one-sided calls", one_sided, one)
    suite.add(f"{one}: threads", threads, one)
    suite.add(f"{one}: random programs", random, one)
    suite.add(f"{one}: before MPI_Init", entry, one)
    suite.add(f"{one}: in a constructor", early, one)
    suite.add(f"{one}: every function", every, one)
    for binding in ("MPIF_H", "USE_MPI"):
        suite.add(f"{one}: Fortran, {binding}", fortran, one, binding)
    suite.add(f"{one}: C++", cplusplus, one)
    for tester in sorted(h.share(TESTERS[one], TESTERS["openmpi"])):
        suite.add(f"{one}: ScaLAPACK's {tester}", debian, one, tester,
                  SCALAPACK.format(mpi=one) + tester)
    suite.add(f"{one}: a wrong number is noticed", can_fail, one)
for started in (("all", "3"), ("many",)):  # MPICH's mpiexec cannot start programs
    suite.add(f"openmpi: spawn {started[0]}", spawn, started)
suite.add("openmpi: hpcc", debian, "openmpi", "hpcc", "hpcc")
suite.add("openmpi: LAMMPS", debian, "openmpi", "lammps", "lmp")

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
