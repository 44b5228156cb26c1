#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks without MPI: a pool of processes, threads, ranks that die or never come, transports of a
program's own, friendly or not."""
import re
import sys

import harness as h
import mpi_events as m

suite = h.Suite("ranks")
INCLUDE = f"-I{h.ROOT / 'include'}"


def program(name, cc="gcc", flags=()):
    stamp = "-DSTAMP=%d" % max(p.stat().st_mtime_ns
                               for p in [*(h.ROOT / "include/bobbin").iterdir(),
                                         *(h.PROG / "events").iterdir()])
    return h.compile("ranks", [f"events/{name}"], cc,
                     ["-O1", "-g", "-Wall", "-Werror", "-pthread", INCLUDE, stamp, *flags])


def count(trace, hook="ones", event="job"):
    """How many numbers the hook brought, of all processes."""
    r = h.bobbin("report", "--by=hook", "--limit=0", trace)
    h.check(r.status == 0, f"report fails\n{r}")
    found = re.search(rf"(?m)^{event} +in +{hook} +([\d,]+) ", r.out.decode())
    h.check(found, f"{r}")
    return int(found[1].replace(",", ""))


def events(trace):
    r = h.bobbin("report", trace)
    found = re.search(r"(?m)^ *([\d,]+) .* job$", r.out.decode())
    h.check(found, f"{r}")
    return int(found[1].replace(",", ""))


def ranks(trace):
    r = h.bobbin("info", trace)
    return sorted(int(x) for x in re.findall(r"rank (\d+)", r.out.decode()))


def log(trace):
    return h.bobbin("info", trace).out.decode()


def files(trace):
    return sorted(re.sub(r"^([pt])\S*\.\d+\.\d+\.bob$", r"\1", p.name)
                  for p in trace.iterdir() if not p.name.startswith("i"))


NAMED = ["--init=pool_begins", "--finalize=pool_ends"]


def equal(have, want):
    h.check(have == want, f"{have}\nnot {want}")


def pool(how, options, workers=5, wait="20", **kw):
    p = program("pool.c")
    return h.record([p, how, str(workers)], ["--events", *options],
                    env=h.environment({"BOBBIN_MERGE_WAIT": wait}), **kw)


@suite.case("a pool of processes")
def pools():
    p = program("pool.c")
    native = h.run([p, "calls", "5"])
    h.check(native.status == 0 and not native.out and not native.err, str(native))
    for how, options in (("calls", []), ("named", NAMED), ("exec", [])):
        r = pool(how, options)
        h.check(r.status == 0 and r.out == b"job 1 101\n", str(r))  # rank 0 has what all made, once
        h.check_trace(r.trace)
        equal(count(r.trace), 102)
        equal(events(r.trace), 102)
        equal(files(r.trace), ["run.key", "trace.bob"])
        h.check("in time" not in log(r.trace), log(r.trace))


@suite.case("ranks are one while they run")
def heads():
    # without a launcher no process merges after the program
    r = pool("calls", ["--exec"])
    h.check(r.status == 0 and r.out == b"job 1 101\n", str(r))
    equal([f for f in files(r.trace) if f != "ranks"], ["p"] * 6 + ["run.key", "t"])
    h.check_trace(r.trace)
    equal((count(r.trace), events(r.trace)), (102, 102))
    merged = h.bobbin("merge", r.trace)
    h.check(merged.status == 0, str(merged))
    equal(files(r.trace), ["run.key", "trace.bob"])
    equal((count(r.trace), events(r.trace)), (102, 102))


@suite.case("many processes, some at once")
def many():
    r = pool("calls", [], workers=70)
    h.check(r.status == 0 and r.out == b"job 1 1401\n", str(r))
    equal((count(r.trace), events(r.trace)), (1402, 1402))


@suite.case("a rank dies")
def dies():
    r = pool("dies", [], wait="60")
    h.check(r.status == 0 and r.out == b"job 1 81\n", str(r))
    h.check(r.seconds < 30, f"it was waited for: {r.seconds} s")
    # its sets lived in memory, its events do not
    equal((count(r.trace), events(r.trace)), (82, 102))
    h.check("value sets of some ranks were not united in time" in log(r.trace), log(r.trace))


@suite.case("a rank never comes")
def never():
    r = pool("never", [], wait="1")
    h.check(r.status == 0 and r.out == b"job 1 81\n", str(r))
    equal((count(r.trace), events(r.trace)), (82, 102))
    h.check("nothing came from rank" in log(r.trace), log(r.trace))


@suite.case("rank 0 dies")
def lonely():
    r = pool("lonely", [])
    h.check(r.status == -9 and not r.out, str(r))
    equal((count(r.trace), events(r.trace)), (100, 101))  # each worker's file has what it gave


@suite.case("one after the other, through files")
def apart():
    p, place, traces = program("pool.c"), h.fresh("place"), h.fresh("traces")
    for rank in (4, 2, 3, 1, 0):
        r = h.record([p, "rank"], ["--events", f"--rank={rank}/5", f"--ranks={place}"],
                     traces / f"{rank}", env=h.environment({"BOBBIN_MERGE_WAIT": "1"}))
        h.check(r.status == 0, str(r))
    # rank 2 did not wait for rank 3, which was not there
    h.check(r.out == b"job 1 80\n", str(r))
    equal(count(traces / "0"), 80)
    equal(count(traces / "3"), 20)
    r = h.record([p, "rank"], ["--events", "--rank=3/5", f"--ranks={place}"])
    h.check("another process has its number" in log(r.trace), log(r.trace))


for mpi in m.MPIS:
    @suite.case(f"reported by the launcher of {mpi}")
    def reported(mpi=mpi):
        t = h.fresh("reported") / "t"
        r = h.run([*m.mpirun(mpi, 5), h.BOBBIN, "record", "-q", "-o", t, "--events", "--",
                   program("pool.c"), "rank"], env=m.environment(mpi))
        h.check(r.status == 0 and r.out == b"job 1 100\n", str(r))
        h.check_trace(t)
        equal((count(t), events(t), files(t)), (100, 100, ["run.key", "trace.bob"]))


@suite.case("threads that live")
def threads():
    p = program("pool_threads.c")
    for args, want in (([], 8 * 23), (["x"], 8 * 20)):
        r = h.record([p, "8", *args], ["--events", *NAMED])
        h.check(r.status == 0, str(r))
        h.check_trace(r.trace)
        equal((count(r.trace), events(r.trace)), (want, want))


@suite.case("forked while sets are united")
def forked():
    r = h.record([program("fork_at.c")], ["--events"], timeout=60)
    h.check(r.status == 0 and r.out == b"step 1 10\nstep 1 20\n", str(r))
    h.check_trace(r.trace)


@suite.case("a transport of the program's own")
def own_transport():
    p = program("transport.c")
    for n in (1, 2, 5, 8):
        r = h.record([p, "friend", str(n)], ["--events"])
        h.check(r.status == 0 and r.out == b"all went well, 1 barriers\n", str(r))
        h.check_trace(r.trace)
        equal((count(r.trace), events(r.trace)), (10 * n, 10 * n))
    r = h.record([p, "wrong"], ["--events"])
    h.check(r.out == b"refused\n", str(r))
    for why in ("another version of bobbin/ranks.h", "not below that of the ranks",
                "cannot send and receive", "it is, or was, one already"):
        h.check(why in log(r.trace), log(r.trace))


@suite.case("who sends nonsense")
def hostile():
    p = program("transport.c")
    for how in ("silent", "huge", "junk", "short", "liar"):
        r = h.record([p, how, "4"], ["--events"], env=h.environment({"BOBBIN_MERGE_WAIT": "1"}))
        h.check(r.status == 0 and r.out == b"not all went well, 1 barriers\n", f"{how}: {r}")
        h.check_trace(r.trace)
        equal(events(r.trace), 40)
        n = count(r.trace)
        h.check(n <= 40 and n >= (10 if how == "liar" else 20), f"{how}: {n} of 40")


def guarded(which):
    """Whatever one of its functions does, no event is lost, and no number of a hook, nor does one
    count twice; the program goes on."""
    p = program("transport_ends.cc", "g++")
    for bad in (0, 1):
        for how, said in (("throw", "has thrown an exception"), ("jump", "was left by a jump"),
                          ("exit", "has ended the process")):
            what = f"{which} {how} {bad}"
            if how == "exit" and not bad:
                continue  # no rank waits for the other one
            r = h.record([p, which, how, str(bad)], ["--events"],
                         env=h.environment({"BOBBIN_MERGE_WAIT": "1"}))
            h.check(r.status == (5 if how == "exit" else 0) and b"under way" not in r.out,
                    f"{what}: {r}")
            h.check(how != "jump" or b"%d jumped\n" % bad in r.out, f"{what}: {r}")
            h.check(how != "throw" or b"%d not well\n" % bad in r.out, f"{what}: {r}")
            h.check_trace(r.trace)
            want = 23 if how == "exit" else 26
            h.check(f"the program's transport: `{which}` {said}" in log(r.trace),
                    f"{what}: {log(r.trace)}")
            equal((what, events(r.trace), count(r.trace)), (what, want, want))
    # an event in a handler, meanwhile, which is not recorded
    r = h.record([p, which, "signal", "1"], ["--events"])
    h.check(r.status == 0 and sorted(r.out.splitlines()) == [b"0 well", b"1 well"],
            f"{which} signal: {r}")
    h.check("was left by a jump" not in log(r.trace), f"{which} signal: {log(r.trace)}")
    equal((which, events(r.trace), count(r.trace)), (which, 26, 26))


# each run waits for a rank that does not come back
for function in ("send", "receive", "barrier", "count"):
    suite.add(f"transports that throw, jump, or end the process: {function}", guarded, function)


@suite.case("transports that are well")
def well():
    r = h.record([program("transport_ends.cc", "g++"), "none", "well", "0"], ["--events"])
    h.check(r.status == 0 and sorted(r.out.splitlines()) == [b"0 well", b"1 well"], str(r))
    equal((count(r.trace), events(r.trace)), (26, 26))


@suite.case("what is no rank")
def refused():
    for option, why in (("--rank=5/5", "want R/N"), ("--rank=x", "want R/N"),
                        ("--rank=1/2x", "want R/N"), ("--rank=-1/2", "want R/N"),
                        ("--ranks=/nowhere/at/all", "no directory"), ("--init=", "want the name")):
        r = h.record(["true"], [option])
        h.check(r.status == 125 and why in r.err.decode() and r.err.count(b"\n") <= 2,
                f"{option}: {r}")
    r = h.record(["true"], ["--init=a", "--init=b"])
    h.check(r.status == 125 and "there is one already" in r.err.decode(), str(r))


if __name__ == "__main__":
    sys.exit(suite.run())
