#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""Under MPI: `mpirun -n 4 bobbin record -- prog` of Open MPI and of MPICH write one directory, only
rank 0 speaks, helpers of ranks collide with nothing, and what a killed rank left can be read."""

import os
import pathlib
import re
import shutil
import signal
import sys

import harness as h
import mpi_events as m

RANKS = 4
STEPS = 1000  # as in mpi_ranks.c
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# Four ranks on two cores: Open MPI must yield while it waits.
OPENMPI = ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
CLOSING = re.compile(rb"^bobbin: .*; next: bobbin report \S+$", re.M)
STEP = re.compile(rb"^\d+ > \d+ [^!\n]*!mpi_step\b", re.M)
HPCC_INPUT = (h.ROOT / "tools" / "hpccinf.txt").read_text()

suite = h.Suite("mpi", jobs=1)


def mpirun(kind, n=RANKS):
    h.need(f"mpirun.{kind}")
    return [f"mpirun.{kind}", "-n", str(n), *(OPENMPI if kind == "openmpi" else [])]


def program(kind):
    h.need(f"mpicc.{kind}")
    return h.compile(f"mpi_ranks.{kind}", ["mpi_ranks.c"], f"mpicc.{kind}", ["-O1", "-w"])


def environment():
    return h.environment({**AS_ROOT, "LD_PRELOAD": m.yielding()})


def native(kind, argv, **kw):
    return h.run([*mpirun(kind), *argv], env=environment(), **kw)


def traced(kind, argv, trace, opts=("-q",), **kw):
    line = [*mpirun(kind), h.BOBBIN, "record", *opts, "-o", trace, "--", *argv]
    return h.run(line, env=environment(), **kw)


def steps(trace):
    """{process number: calls of mpi_step} by decoding; millions of lines, so not with h.dump."""
    r = h.bobbin("dump", trace)
    h.check(r.status == 0 and b"\nthread " in b"\n" + r.out, f"bobbin dump failed\n{r}")
    count = {}
    for part in re.split(rb"(?m)^thread ", r.out)[1:]:
        process = int(part[: part.index(b".")])
        count[process] = count.get(process, 0) + len(STEP.findall(part))
    return count


def ranks(processes):
    return sorted(p["rank"] for p in processes if p["rank"] is not None)


def check_ranks(info, extra=0):
    processes = info["process_list"]
    h.check(len(processes) == RANKS + extra, f"{len(processes)} processes in the directory")
    worlds = {p["world_size"] for p in processes if p["rank"] is not None}
    h.check(worlds == {RANKS}, f"world sizes {worlds}")
    return processes


def one_directory(kind, images):
    exe = program(kind)
    trace = h.fresh("mpi") / "t"
    before = native(kind, [exe, "plain"])
    h.check(before.out == b"4 ranks, 10000 steps, 0 wrong\n",
            f"the program fails natively\n{before}")
    after = traced(kind, [exe, "plain"], trace, [f"--images={images}"])
    lines = CLOSING.findall(after.err)
    h.check(len(lines) == 1, f"{len(lines)} closing lines\n{after}")
    after.err = CLOSING.sub(b"", after.err).replace(b"\n", b"", 1)
    h.same(before, after)
    h.check(sorted(os.listdir(trace.parent)) == ["t"], f"left over: {os.listdir(trace.parent)}")
    h.check_trace(trace)
    info = h.info(trace)
    processes = check_ranks(info)
    h.check(ranks(processes) == list(range(RANKS)), f"ranks {ranks(processes)}")
    keys = [f for f in os.listdir(trace) if not f.endswith(".bob")]
    h.check(keys == ["run.key"], f"other files in the trace: {keys}")
    count = steps(trace)
    want = {i: STEPS * (p["rank"] + 1) for i, p in enumerate(processes)}
    h.check(count == want, f"calls of mpi_step by process: {count}, program says {want}")
    return f"{info['events']} events, {info['stream_bytes']} bytes"


def sums_up_last(kind):
    """Rank 0 ends first and reports the calls of all."""
    trace = h.fresh("mpi") / "t"
    r = traced(kind, [program(kind), "late"], trace, ["--images=main"])
    h.check(r.status == 0, f"recorded\n{r}")
    count = steps(trace)
    h.check(sorted(count.values()) == [STEPS * n for n in (1, 4, 6, 8)],
            f"calls of mpi_step {count}")
    events = h.info(trace)["events"]
    h.check(f"bobbin: {events:,} calls of {RANKS} threads in ".encode() in r.err,
            f"the closing line does not say {events:,} calls\n{r}")


def status_kept(kind):
    exe = program(kind)
    before = native(kind, [exe, "status"])
    after = traced(kind, [exe, "status"], h.fresh("mpi") / "t")
    h.check(before.status == 3, f"the program fails natively\n{before}")
    h.check(after.status == 3 and after.out == before.out, f"recorded\n{after}")


def mixed(kind):
    """system(), exec and fork inside ranks: more processes, the same run."""
    exe = program(kind)
    trace = h.fresh("mpi") / "t"
    before = native(kind, [exe, "mixed"])
    h.check(before.status == 0, f"the program fails natively\n{before}")
    after = traced(kind, [exe, "mixed"], trace)
    h.same(before, after)
    h.check(sorted(os.listdir(trace.parent)) == ["t"], f"left over: {os.listdir(trace.parent)}")
    h.check_trace(trace)
    info = h.info(trace)
    processes = info["process_list"]
    main = [p for p in processes if "mpi_ranks" in p["exe"]]
    h.check(len(main) == RANKS + 2, f"{len(main)} processes of the program, not {RANKS + 2}")
    again = [p for p in main if p["command"][-1] == "again"]
    h.check(len(again) == 1 and again[0]["rank"] == 2, f"the executed one: {again}")
    first = [p for p in main if p["pid"] == again[0]["pid"] and p is not again[0]]
    h.check(len(first) == 1, "exec keeps the pid, so two files of one pid are expected")
    names = {pathlib.Path(p["exe"]).name for p in processes} - {exe.name}
    h.check({"dash", "wc"} <= names or {"sh", "wc"} <= names, f"helpers recorded: {names}")
    count = steps(trace)
    by_rank = sorted(count[i] for i, p in enumerate(processes) if p in main)
    want = sorted([STEPS, 2 * STEPS, 1, 3 * STEPS, 4 * STEPS, 17])
    h.check(by_rank == want, f"calls of mpi_step: {by_rank}, program says {want}")
    return f"{len(processes)} processes"


def twice(kind):
    """A second run moves the first away as a whole."""
    exe = program(kind)
    trace = h.fresh("mpi") / "t"
    pids = []
    for _ in range(3):
        r = traced(kind, [exe, "plain"], trace)
        h.check(r.status == 0 and not r.err, f"recorded\n{r}")
        pids.append({p["pid"] for p in check_ranks(h.info(trace))})
    found = sorted(os.listdir(trace.parent))
    h.check(found == ["t", "t.old", "t.old.1"], f"directories {found}")
    for name, want in (("t.old.1", pids[0]), ("t.old", pids[1]), ("t", pids[2])):
        have = {p["pid"] for p in check_ranks(h.info(trace.parent / name))}
        h.check(have == want, f"{name} has processes {have}, they were {want}")


def hosts(kind):
    """Two hosts, as far as the launcher knows: a proxy for each, and one starts ranks through a
    shell. They are one run, and the next one is another."""
    h.need("mpiexec.hydra")
    exe = program(kind)
    trace = h.fresh("mpi") / "t"
    seen = []
    for _ in range(2):
        r = h.run(["mpiexec.hydra", "-launcher", "fork", "-hosts", "localhost,127.0.0.1", "-ppn",
                   str(RANKS // 2), "-n", str(RANKS), "sh", "-c", '"$@"; exit $?', "sh", h.BOBBIN,
                   "record", "-q", "-o", trace, "--", exe, "plain"], env=environment())
        h.check(r.status == 0 and not r.err, f"recorded\n{r}")
        seen.append({p["pid"] for p in check_ranks(h.info(trace))})
    h.check(sorted(os.listdir(trace.parent)) == ["t", "t.old"],
            f"directories {os.listdir(trace.parent)}")
    have = {p["pid"] for p in check_ranks(h.info(trace.parent / "t.old"))}
    h.check(have == seen[0] and not have & seen[1], f"t.old has {have}, they were {seen}")


def killed(kind):
    exe = program(kind)
    trace = h.fresh("mpi") / "t"
    before = native(kind, [exe, "killed"])
    after = traced(kind, [exe, "killed"], trace)
    h.check(before.status == after.status, f"status {before.status} natively\n{after}")
    r = h.bobbin("check", trace)
    h.check(r.status in (0, 1) and b"crash" not in r.err, f"check\n{r}")
    processes = check_ranks(h.info(trace))
    one = [i for i, p in enumerate(processes) if p["rank"] == 1]
    h.check(len(one) == 1 and processes[one[0]]["state"] != "ended", f"rank 1: {processes}")
    count = steps(trace)[one[0]]
    h.check(count == 2 * STEPS, f"{count} calls of mpi_step in the killed rank, not {2 * STEPS}")


def hpcc(kind, options, what):
    """A real program of Debian, whose output holds timings: what must not change is that every
    test passes, and the exit status."""
    h.need("hpcc")
    uses = h.run(["ldd", shutil.which("hpcc")]).out
    h.check(b"libmpi.so" in uses, "this hpcc is not of Open MPI")
    d = h.fresh("hpcc")
    (d / "hpccinf.txt").write_text(HPCC_INPUT.replace("@N@", "200").replace("@P@", "2"))
    r = traced(kind, ["hpcc"], d / "t", ["-q", *options], cwd=d)
    h.check(r.status == 0 and not r.err, f"recorded\n{r}")
    text = (d / "hpccoutf.txt").read_text()
    h.check("Success=1" in text and "End of HPC Challenge tests" in text, h.show(text[-600:]))
    h.check("FAILED" not in text, h.show("\n".join(x for x in text.splitlines() if "FAILED" in x)))
    h.check_trace(d / "t")
    info = h.info(d / "t")
    h.check(ranks(check_ranks(info)) == list(range(RANKS)), "ranks")
    h.check(info[what] > 10000, f"only {info[what]} {what}")
    if what == "accesses":
        h.check(h.bobbin("check", "--complete", d / "t").status == 0,
                "not all of hpcc was translated")
    wrong = sum(t["top_mismatch"] for p in info["process_list"] for t in p["thread_list"])
    h.check(wrong == 0, f"the self-check of the call stack failed {wrong} times")
    return f"{info[what]} {what}, {info['stream_bytes']} bytes"


for mpi in ("openmpi", "mpich"):
    for mode in ("main", "app", "all"):
        suite.add(f"{mpi}: one directory, --images={mode}", one_directory, mpi, mode)
    suite.add(f"{mpi}: rank 0 sums up last", sums_up_last, mpi)
    suite.add(f"{mpi}: exit status", status_kept, mpi)
    suite.add(f"{mpi}: system(), exec and fork in ranks", mixed, mpi)
    suite.add(f"{mpi}: runs one after the other", twice, mpi)
    suite.add(f"{mpi}: a killed rank", killed, mpi)
suite.add("mpich: several hosts", hosts, "mpich")
for mode in ("main", "all"):
    suite.add(f"hpcc --images={mode}", hpcc, "openmpi", [f"--images={mode}"], "events")
suite.add("hpcc --mem", hpcc, "openmpi", ["--mem", "--engine=native"], "accesses")

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
