#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark of memory traces runs, at tiny sizes: its programs compile, find their own results
right, and every column has a number. And what it measures is there: both engines record the same
accesses of the irregular ones."""

import collections
import csv
import shutil
import subprocess
import sys

import harness as h

suite = h.Suite("bench_mem")
BENCH = h.ROOT / "bench" / "mem"
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
PARTS = {"dense": ["dense", "comm"], "amg": ["amg", "csr", "comm"],
         "aztec": ["aztec", "csr", "comm"]}


def program(name):
    sources = [str(BENCH / "programs" / f"{p}.c") for p in PARTS[name]]
    return h.compile(name, sources, "gcc", ["-O2", "-g", "-fopenmp", "-w", "-Wl,-z,now"], ["-lm"])


def table(part, only):
    out = h.fresh("bench") / "rows.csv"
    argv = [sys.executable, BENCH / "run", "--quick", "--parts", part, "--only", only, "--bobbin",
            h.BOBBIN, "--build", h.WORK / "bench-mem", "--out", out]
    r = h.run(argv, env=h.environment(MPI), timeout=240)
    h.check(r.status == 0 and b"FAILED" not in r.out, f"{r}")
    with open(out, encoding="ascii", newline="") as f:
        rows = list(csv.DictReader(f))
    again = h.run([sys.executable, BENCH / "run", "--tables", out])
    h.check(again.out.strip() == r.out.strip(), f"--tables prints something else\n{r}\n{again}")
    return r.out.decode(), rows


@suite.case("sizes: all programs, also with ranks")
def sizes():
    text, rows = table("sizes", "add,lu,amg,aztec")
    found = collections.defaultdict(set)
    for row in rows:
        found[row["program"], row["ranks"]].add(row["kind"])
        if row["kind"] != "native":
            h.check(int(row["accesses"]) > 1000 and int(row["stream_bytes"]) > 100, f"{row}")
    want = {(p, "1") for p in ("add", "lu", "amg", "aztec")}
    if shutil.which("mpirun") and shutil.which("mpicc"):
        want |= {(p, "2") for p in ("amg", "aztec")}
    h.check(set(found) == want, f"{sorted(found)}")
    kinds = {"native", "folded", "threads merged", "all merged"}
    h.check(all(k == kinds for k in found.values()), f"{dict(found)}")
    h.check(text.count("\n") > len(want), text)


@suite.case("breakdown: every column")
def breakdown():
    text, rows = table("breakdown", "csr")
    kinds = {r["kind"] for r in rows}
    want = {"native", "null", "flat", "raw", "folded", "merging both", "threads merged",
            "merging ranks"}
    h.check(kinds == want, f"{kinds}")
    h.check("csr 500 5" in text, text)


@suite.case("peers: lackey through zstd, callgrind")
def peers():
    h.need("valgrind", "zstd")
    text, rows = table("peers", "add")
    large = [int(r["raw_bytes"]) for r in rows if r["kind"].startswith("lackey")]
    # two runs of lackey are not quite the same: threads wait for each other
    h.check(len(large) == 2 and min(large) > 100000 and max(large) - min(large) < max(large) / 100,
            f"{large}")
    h.check("add 1024" in text, text)


@suite.case("wrong results are reported")
def wrong():
    r = h.run([program("amg"), "10", "1"])
    h.check(r.status == 1, f"one step is not enough\n{r}")
    r = h.run([program("aztec"), "16", "1"])
    h.check(r.status == 1, f"one step is not enough\n{r}")
    h.check(h.run([program("dense"), "nothing"]).status == 2, "an unknown kernel")


# --- engines ---


def by_pc(trace, group):
    """{(kind, size, program counter): [addresses]} of a thread, in order."""
    found = collections.defaultdict(list)
    with subprocess.Popen([h.BOBBIN, "replay", "--mem", "--order=threads", "-g", group, trace],
                          stdout=subprocess.PIPE, text=True) as p:
        for line in p.stdout:
            if not line.startswith("#"):
                kind, address, size, place = line.split()
                found[kind, int(size), place].append(int(address, 16))
    h.check(p.returncode == 0, "the trace cannot be replayed")
    return found


def compare(native, other, farther=0):
    """Of two threads; the number of accesses. Blocks of memory lie elsewhere, but one to the next
    as before. Under MPI blocks of its own lie between them, as many as it takes: then steps that
    are `farther` may differ."""
    total = 0
    for pc in sorted({*native, *other}):
        x, y = native.get(pc, []), other.get(pc, [])
        h.check(len(x) == len(y), f"{pc}: {len(x)} native, {len(y)} under Valgrind")
        total += len(x)
        steps = [[q - p for p, q in zip(v, v[1:])] for v in (x, y)]
        wrong = [i for i, (p, q) in enumerate(zip(*steps)) if p != q
                 and not 0 < farther <= min(abs(p), abs(q))]
        if wrong:
            at = wrong[0]
            raise h.Failure(f"{pc}: access {at + 1} steps by {steps[0][at]} native, {steps[1][at]} "
                            f"under Valgrind")
    return total


def same_by_pc(name, *args, threads=1):
    h.need("valgrind")
    traces = {}
    env = h.environment({"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"})
    for engine in ("native", "valgrind"):
        r = h.record([program(name), *args], ["--mem", f"--engine={engine}"], env=env, timeout=240)
        h.check(r.status == 0, f"{r}")
        h.check_trace(r.trace)
        traces[engine] = r.trace
    total = 0
    rows = {e: [by_pc(traces[e], f"0.{t}") for t in range(threads)] for e in traces}
    for a in rows["native"]:
        # threads are numbered in the order in which they come to their first access: any
        b = min(rows["valgrind"], key=lambda v: sum(abs(len(a.get(k, ())) - len(v.get(k, ())))
                                                    for k in {*a, *v}))
        rows["valgrind"].remove(b)
        total += compare(a, b)
    h.check(total > 10000, f"only {total} accesses")
    return f"{total} accesses"


for n, a, c in (("dense", ("matmul", "20"), 3), ("dense", ("lu", "30"), 1),
                ("dense", ("cholesky", "30"), 1), ("dense", ("csr", "500", "5"), 1),
                ("amg", ("6", "4"), 1), ("amg", ("6", "4"), 3), ("aztec", ("10", "25"), 1)):
    suite.add(f"by program counter: {n} {' '.join(a)}, {c} threads",
              lambda n=n, a=a, c=c: same_by_pc(n, *a, threads=c))


@suite.case("by program counter: aztec on two ranks")
def ranks():
    h.need("valgrind", "mpirun.openmpi", "mpicc.openmpi")
    sources = [str(BENCH / "programs" / f"{p}.c") for p in PARTS["aztec"]]
    exe = h.compile("aztec-mpi", sources, "mpicc.openmpi",
                    ["-DWITH_MPI", "-O2", "-w", "-Wl,-z,now"], ["-lm"])
    traces = {}
    for engine in ("native", "valgrind"):
        traces[engine] = h.fresh("ranks") / "t"
        tool = [h.BOBBIN, "record", "-q", "--mem", f"--engine={engine}", "-o", traces[engine], "--"]
        mpirun = ["mpirun.openmpi", "-n", "2", "--oversubscribe", "--mca", "mpi_yield_when_idle",
                  "1"]
        r = h.run([*mpirun, *tool, exe, "8", "30"], env=h.environment(MPI), timeout=240)
        h.check(r.status == 0, f"{r}")
    total = sum(compare(*(by_pc(traces[e], f"rank={k}") for e in ("native", "valgrind")), 64)
                for k in (0, 1))
    h.check(total > 10000, f"only {total} accesses")
    return f"{total} accesses"


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
