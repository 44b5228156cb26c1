#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""record --flush-every: at counts, times and events, of threads and of ranks together; what is
there after a kill; nothing is different but that."""
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

import harness as h
import mpi_events as m

suite = h.Suite("flush")
INCLUDE = f"-I{h.ROOT / 'include'}"


def program(name="flush.c"):
    stamp = "-DSTAMP=%d" % max(p.stat().st_mtime_ns
                               for p in [*(h.ROOT / "include/bobbin").iterdir(),
                                         *(h.PROG / "events").iterdir()])
    return h.compile("flush", [f"events/{name}"], "gcc",
                     ["-O1", "-g", "-Wall", "-Werror", "-pthread", INCLUDE, stamp])


def count(trace):
    """How many numbers the hook brought, of all processes."""
    r = h.bobbin("report", "--by=hook", "--limit=0", trace)
    found = re.search(r"(?m)^step +in +ones +([\d,]+) ", r.out.decode())
    return int(found[1].replace(",", "")) if found else 0


def shown(trace):
    """All events of all threads, without times."""
    r = h.bobbin("show", "-x", "--lines=0", trace)
    h.check(r.status == 0, str(r))
    threads, now = [], []
    for line in r.out.decode().splitlines():
        if not re.match(r" *[\d,]+  ", line) and now:
            threads.append(now)
            now = []
        elif re.match(r" *[\d,]+  ", line):
            now.append(re.sub(r"   [^ ].*$", "", line.split(None, 1)[1]))
    return sorted([*threads, now] if now else threads)


def names(trace):
    return sorted(p.name[0] for p in trace.iterdir() if p.name.endswith(".bob")
                  and p.name[0] in "pt")


def equal(have, want):
    h.check(have == want, f"{str(have)[:600]}\nnot {str(want)[:600]}")


def flush(args, every, *options, status=0, env=None):
    r = h.record([program(), *map(str, args)],
                 ["--events", *([f"--flush-every={every}"] if every else []), *options],
                 env=h.environment(env))
    h.check(r.status == status and not r.out and not r.err, str(r))
    h.check_trace(r.trace)
    return r.trace


def total(steps):
    return steps + sum(i % 3 for i in range(steps))


@suite.case("nothing is different")
def same():
    want = shown(flush([1, 300, 0], None))
    equal(sum(len(t) for t in want), 300 // 3 + 200 * 2 + 300)
    for every in ("1", "7", "100", "step", "step/10", "p*t", "1ms", "1h", "nothing", "step/10,all"):
        t = flush([1, 300, 0], every)
        equal(shown(t), want)
        equal(count(t), 300)


@suite.case("parts are in the file")
def parts():
    def size(every):
        """Of the process's file, as the process left it."""
        t = flush([1, 2000, 0], every, "--exec", "--time=none")
        return sum(p.stat().st_size for p in t.iterdir() if p.name[0] == "p")

    whole = size("1000000")
    for every in ("100", "step/10", "step/10,all"):
        h.check(size(every) > whole + 100 * 64, f"--flush-every={every}: no larger than {whole}")


@suite.case("threads")
def threads():
    args = [6, 200, 0, "threads"]
    want = shown(flush(args, None))
    equal(len(want), 6)
    for every in ("13", "step/10", "1ms"):
        t = flush(args, every)
        equal(shown(t), want)
        equal(count(t), 1200)


@suite.case("what is there after a kill")
def killed():
    for every, kept in ((None, 0), (str(total(95)), 95), ("step/10", 90), ("step", 95),
                        ("part/93", 92), ("1000000", 0), ("1h", 0)):
        t = flush([1, 95, 0, "kill"], every, status=-9)
        equal(count(t), kept)
        r = h.bobbin("report", t)
        h.check(re.search(r"(?m)^ *95 .* step$", r.out.decode()), f"events are lost\n{r}")
    # each step takes longer than that; the first one is where time begins
    equal(count(flush([1, 20, 2000000, "kill"], "1ms", status=-9)), 20)


def damaged(trace):
    """A byte of the file that ranks have in common is changed, in whatever chunk: that is said, and
    nothing is merged."""
    whole, = (p for p in trace.iterdir() if p.name[0] == "t" and p.name.endswith(".bob"))
    data = whole.read_bytes()
    at = h.chunks_at(data)
    while at + 64 <= len(data):
        flags, _, _, size, _, used = struct.unpack_from("<HIIQQQ", data, at + 6)
        if flags & 1 and used:
            to = trace.with_name("damaged")
            shutil.rmtree(to, ignore_errors=True)
            shutil.copytree(trace, to)
            place = at + 64 + used // 2
            (to / whole.name).write_bytes(data[:place] + bytes([data[place] ^ 1])
                                          + data[place + 1:])
            spoilt = (to / whole.name).read_bytes()
            r = h.bobbin("check", to)
            h.check(r.status == 1 and b"lost" in r.out, f"byte {place}\n{r}")
            r = h.bobbin("merge", to)
            h.check(r.status == 1 and whole.name.encode() in r.err, f"byte {place}\n{r}")
            h.check((to / whole.name).exists() and (to / whole.name).read_bytes() == spoilt,
                    f"byte {place}: the file is gone\n{r}")
        at = (at + 64 + size + 63) & ~63


@suite.case("ranks together")
def together():
    want = shown(flush([4, 95, 0], None))
    t = flush([4, 95, 0], "step/10,all")
    equal((shown(t), names(t), count(t)), (want, ["t"], 380))
    # no launcher merges afterwards: the files are as the ranks left them
    t = flush([4, 95, 0, "kill"], "step/10,all", "--exec", status=-9)
    equal((names(t), count(t)), (["p"] * 4 + ["t"], 360))
    equal(shown(t), want)
    damaged(t)
    r = h.bobbin("merge", t)
    h.check(r.status == 0, str(r))
    equal((shown(t), count(t)), (want, 360))


def alone(trace):
    """The file that all ranks have in common, and the names that it needs."""
    to = trace.with_name("alone")
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir()
    for p in trace.iterdir():
        if p.name[0] in "ti" and p.name.endswith(".bob"):
            shutil.copy(p, to)
    return to


def reported(trace):
    """What processes say once."""
    found = sorted((p["file"], p["exe"], p["cwd"], p["command"], p["config"])
                   for p in h.info(trace)["process_list"])
    h.check(all(p[1] and p[2] and len(p[3]) > 3 and len(p[4]) > 3 for p in found), found)
    return found


@suite.case("one file, at any moment")
def grows():
    want = shown(flush([4, 95, 0], None))
    t = flush([4, 95, 0, "kill"], "step/10,all", "--exec", status=-9)
    one = alone(t)
    h.check_trace(one)
    end = want[0].index("step(n=90)")
    equal(shown(one), [x[:end] for x in want])
    size = sum(p.stat().st_size for p in one.iterdir() if p.name[0] == "t")
    h.check(size < 9 * 2048, f"{size} bytes of nine parts")
    # what is in the first part alone
    equal(reported(one), reported(t))
    # killed while it grows, again and again; in the end once there is a file for certain
    for ms in (*range(200, 1000, 100), 0):
        trace = t.with_name(f"killed{ms}")
        p = subprocess.Popen([h.BOBBIN, "record", "-o", trace, "--exec", "--events",
                              "--flush-every=step/10,all", "--", program(), "4", "9999", "100000"],
                             env=h.environment(), stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True)
        h.until(lambda trace=trace: any(trace.glob("*" if ms else "t*.bob")),
                "nothing of a trace is there")
        time.sleep(ms / 1000)
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        h.await_end(trace)
        if not any(trace.glob("t*.bob")):
            h.check(ms, "it is gone")
            continue
        h.check_trace(trace)
        one = alone(trace)
        h.check_trace(one)
        steps = [sum(e.startswith(("step(", "begin step(")) for e in x) for x in shown(one)]
        h.check(len(steps) == 4 and len(set(steps)) == 1 and steps[0] and steps[0] % 10 == 0,
                f"after {ms} ms: {steps}")


@suite.case("what goes up at the end")
def sent():
    p = program("flush_sent.c")
    last, steps = set(), (450, 850, 1650)
    flushed = []
    for n in steps:
        r = h.record([p, "4", str(n)], ["--events", "--flush-every=step/100,all"])
        h.check(r.status == 0, str(r))
        h.check_trace(r.trace)
        before, now = map(int, r.out.split())
        last.add(now)
        flushed.append(before)
        plain = h.record([p, "4", str(n)], ["--events"])
        equal(shown(r.trace), shown(plain.trace))
        all_at_once = list(map(int, plain.out.split()))
        h.check(all_at_once[0] == 0 and all_at_once[1] > now + 4 * 6 * (n - 50),
                f"{n}: {all_at_once}, {now}")
    # 50 events each, whatever came before
    h.check(max(last) - min(last) <= 256, f"{last}")
    each = [x / (n // 100) for x, n in zip(flushed, steps)]
    h.check(max(each) < min(each) * 1.05, f"each flush sends the same: {each}")


@suite.case("ranks do not come together")
def apart():
    """Of the workers each has 20 events, rank 0 has one before it finalizes."""
    for how, every, made, of in (("calls", "job/20,all", 101, 5), ("calls", "job,all", 101, 5),
                                 ("never", "job/7,all", 81, 5), ("dies", "job/7,all", 81, 5)):
        r = h.record([program("pool.c"), how, str(of)], ["--events", f"--flush-every={every}"],
                     env=h.environment({"BOBBIN_MERGE_WAIT": "2"}))
        h.check(r.status == 0 and r.out == f"job 1 {made}\n".encode(), f"{how} {every}: {r}")
        h.check_trace(r.trace)
        report = h.bobbin("report", r.trace).out.decode()
        h.check(re.search(r"(?m)^ *102 .* job$", report), f"{how} {every}: {report}")
        # of a worker that was killed there is what it had flushed
        hooks = h.bobbin("report", "--by=hook", r.trace).out.decode()
        want = made + 1 + (14 if how in ("never", "dies") else 0)
        h.check(re.search(rf"(?m)^job +in +ones +{want} ", hooks),
                f"{how} {every}: not {want}\n{hooks}")


@suite.case("invalid values")
def refused():
    for every, why in (("", "the name of an event"), ("0", "from 1 on"), ("10x", "10s, 5m"),
                       ("99999999999999999999", "from 1 on"), ("step/", "a number after"),
                       ("step/0", "a number after"), ("step,some", "then ,all"),
                       ("step/3x", "then ,all"), ("10,all", "10s, 5m"), ("x" * 200, "at most 127"),
                       ("20000000000h", "from 1 on")):
        r = h.record(["true"], ["--events", f"--flush-every={every}"])
        h.check(r.status == 125 and why in r.err.decode(), str(r))
    r = h.record(["true"], ["--flush-every=10"])
    h.check(r.status == 125 and "is of --mpi and --events" in r.err.decode(), str(r))


for mpi in m.MPIS:
    @suite.case(f"{mpi}: ranks together")
    def ranks(mpi=mpi):
        p = m.program(mpi, h.PROG / "events" / "hooks_mpi.c", [INCLUDE])
        def record(*options):
            r = m.record(mpi, 4, [p], ["--mpi", "--events", *options])
            h.check(r.status == 0, str(r))
            h.check_trace(r.trace)
            return r
        plain = record()
        for every in ("MPI_Barrier/7,all", "MPI_Isend/10", "50"):
            r = record(f"--flush-every={every}")
            equal(r.out, plain.out)
            equal(shown(r.trace), shown(plain.trace))
            equal(h.bobbin("report", "--by=hook", "--limit=0", r.trace).out,
                  h.bobbin("report", "--by=hook", "--limit=0", plain.trace).out)
            equal(names(r.trace), ["t"])
            info = h.bobbin("info", r.trace).out.decode()
            h.check("did not come together" not in info, info)


if __name__ == "__main__":
    sys.exit(suite.run())
