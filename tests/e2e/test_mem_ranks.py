#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Memory traces of MPI programs: merged, they say what they said before, access by access, under
randomised addresses, and their size does not depend on the number of ranks."""

import collections
import hashlib
import os
import re
import shutil
import subprocess
import sys

import harness as h

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
OPENMPI = ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]

suite = h.Suite("mem_ranks", jobs=1)


def record(kind, ranks, *args, opts=()):
    h.need(f"mpicc.{kind}")
    # -z now: else it is chance which thread looks up what
    exe = h.compile(f"mem_ranks.{kind}", ["mem_ranks.c"], f"mpicc.{kind}",
                    ["-O2", "-g", "-w", "-Wl,-z,now"])
    trace = h.fresh("ranks") / "t"
    line = [f"mpirun.{kind}", "-n", str(ranks), *(OPENMPI if kind == "openmpi" else []),
            h.BOBBIN, "record", "-q", "--mem", *opts, "-o", trace, "--", exe, *map(str, args)]
    r = h.run(line, env=h.environment(AS_ROOT), timeout=240)
    h.check(r.status == 0 and r.out.strip().isdigit(), f"{r}")
    return trace


def accesses(trace, groups):
    """A digest for each thread: what replay prints of it."""
    found = []
    for g in groups:
        r = h.bobbin("replay", "--mem", "-g", g, trace, timeout=240)
        h.check(r.status == 0 and len(r.out) > 10000, f"{g}: {r.status}, {len(r.out)} bytes")
        found.append((len(r.out), hashlib.sha256(r.out).hexdigest()))
    return found


def busy(info, process, threads):
    """The first and the last of its threads that access memory: MPI has some that do not, in the
    images recorded."""
    found = [t["number"] for t in info["process_list"][process]["thread_list"] if t["accesses"]]
    h.check(len(found) == threads, f"{len(found)} threads access memory")
    return sorted({found[0], found[-1]})


def merged(trace, ranks, threads=1):
    """Merges it, and checks that nothing has changed; its info then."""
    counts = h.info(trace)
    groups = [f"{p}.{t}" for p in sorted({0, 1, ranks - 1}) for t in busy(counts, p, threads + 1)]
    before = accesses(trace, groups)
    h.check(counts["processes"] == ranks, f"{counts['processes']} processes")
    r = h.bobbin("merge", trace)
    h.check(r.status == 0 and b"%d processes in one file" % ranks in r.out, f"{r}")
    files = [f for f in os.listdir(trace) if f.startswith(("p", "t"))]
    h.check(files == ["trace.bob"], f"{files}")
    h.check(accesses(trace, groups) == before, "merging changes the accesses")
    h.check_trace(trace)
    after = h.info(trace)
    for key in ("processes", "threads", "accesses", "raw_bytes"):
        h.check(after[key] == counts[key], f"{key}: {counts[key]} and {after[key]}")
    h.check([p["rank"] for p in after["process_list"]] == list(range(ranks)), "ranks")
    return after


@suite.case("the size does not depend on how many ranks there are")
def sizes():
    with open("/proc/sys/kernel/randomize_va_space") as f:
        h.check(f.read().strip() != "0",
                "addresses are not randomised here: this would prove nothing")
    found = [merged(record("openmpi", n, 16, 2), n, 2)["stream_bytes"] for n in (4, 8, 16)]
    h.check(max(found) <= min(found) * 1.05, f"{found} bytes")
    return f"4, 8, 16 ranks: {found} bytes"


@suite.case("nor on the size of the problem")
def problem():
    found = [merged(record("openmpi", 4, n), 4)["stream_bytes"] for n in (12, 40)]
    h.check(max(found) <= min(found) * 1.05, f"{found} bytes")
    return f"12, 40: {found} bytes"


@suite.case("MPICH, and engine valgrind")
def others():
    merged(record("mpich", 3, 10, 2), 3, 2)
    merged(record("openmpi", 2, 10, opts=["--engine=valgrind"]), 2)


@suite.case("again, when a rank comes late; and a rank that was killed stays apart until it is "
            "folded")
def again():
    trace = record("openmpi", 3, 10)
    late = sorted(trace.glob("p*.bob"))[1]
    want = accesses(trace, ["0.0", "1.0", "2.0"])
    shutil.move(late, trace / "later")
    h.check(h.bobbin("merge", "-q", trace).status == 0, "merge")
    h.check(h.info(trace)["processes"] == 2, "two processes")
    shutil.move(trace / "later", late)
    h.check(h.info(trace)["processes"] == 3, "three processes")
    h.check(accesses(trace, ["0.0", "1.0", "2.0"]) == want, "with a file beside")
    h.check(h.bobbin("merge", "-q", trace).status == 0, "merge")
    h.check(not list(trace.glob("p*.bob")), "a file is left")
    h.check(accesses(trace, ["0.0", "1.0", "2.0"]) == want, "merged twice")
    r = h.bobbin("merge", trace)
    h.check(r.status == 0 and b"in one file" not in r.out, f"{r}")
    raw = record("openmpi", 2, 10, opts=["--codec=none"])
    want = accesses(raw, ["0.0", "1.0"])
    h.check(h.bobbin("merge", "-q", raw).status == 0 and len(list(raw.glob("p*.bob"))) == 2, "raw")
    h.check(h.bobbin("fold", "-q", raw).status == 0 and h.bobbin("merge", "-q", raw).status == 0,
            "fold")
    h.check(not list(raw.glob("p*.bob")) and accesses(raw, ["0.0", "1.0"]) == want,
            "folded and merged")


def by_thread(trace):
    """What each thread does: a counter of (kind, size, place), addresses differ."""
    info, found = h.info(trace), {}
    for p, process in enumerate(info["process_list"]):
        for t in (thread["number"] for thread in process["thread_list"]):
            r = h.bobbin("replay", "--mem", "-g", f"{p}.{t}", trace, timeout=240)
            rows = (line.split(" ") for line in r.out.decode().splitlines()[1:])
            found[p, t] = collections.Counter((kind, size, place) for kind, _, size, place in rows)
    return found


@suite.case("drop-below counts the threads of all ranks")
def drop():
    ranks, threads = 3, 2
    trace = record("openmpi", ranks, 8, threads)
    exact = by_thread(trace)
    spread = collections.Counter(what for thread in exact.values() for what in thread)
    notes = []
    h.check(set(spread.values()) >= {1, ranks, ranks * threads},
            f"{collections.Counter(spread.values())}")
    for below in (1, 2, ranks + 1, 1000):
        few = h.fresh("few") / "t"
        shutil.copytree(trace, few)
        r = h.bobbin("merge", f"--drop-below={below}", few)
        h.check(r.status == 0 and b"3 processes in one file" in r.out, f"{r}")
        h.check_trace(few)
        # paths are main and multiply only, so what occurs is known by place
        least = min(below, len(exact))
        want = {t: collections.Counter({w: n for w, n in c.items() if spread[w] >= least})
                for t, c in exact.items()}
        h.check(by_thread(few) == want, f"below {below}")
        said = f"drop-below={below} over 3 processes"
        h.check([p["loss"] for p in h.info(few)["process_list"]] == [[said]] * 3,
                f"{h.info(few)['process_list']}")
        h.check(f"not exact: folded with --{said}\n" in h.bobbin("report", few).out.decode(),
                "report")
        h.check(h.bobbin("check", "--complete", few).status == 3, "check --complete")
        notes.append(f"{below}: {h.info(few)['stream_bytes']}")
    # a process by itself counts its own threads only
    r = h.bobbin("fold", "-q", f"--drop-below={ranks + 1}", trace)
    h.check(r.status == 0, f"{r}")
    h.check([p["loss"] for p in h.info(trace)["process_list"]] == [[f"drop-below={ranks + 1}"]] * 3,
            "fold")
    h.check(not any(by_thread(trace).values()), "fold: three threads do nothing in common")
    # merged already: it can be asked for later, too
    h.check(h.bobbin("merge", "-q", "--drop-below=2", few).status == 0, "again")
    h.check(len(h.info(few)["process_list"][0]["loss"]) == 2, "both are said")
    return ", ".join(notes) + " bytes"


@suite.case("readers take it as any trace; a damaged one is said to be")
def readers():
    trace = record("openmpi", 2, 10)
    verbs = (("report",), ("show", "--lines", "40"), ("show", "--signatures"), ("cache",))
    before = [h.bobbin(verb, "--no-pager", *options, trace) for verb, *options in verbs]
    merged(trace, 2)
    for b, (verb, *options) in zip(before, verbs):
        after = h.bobbin(verb, "--no-pager", *options, trace)
        h.check(after.status == 0 and len(after.out) > 500, f"{after}")
        # report's first line says how large the trace is; loops are numbered for the whole trace
        lines = [re.sub(rb"loop \d+", b"loop", x.out).splitlines()[verb == "report":]
                 for x in (b, after)]
        h.check(lines[0] == lines[1], f"{verb}\n{b}\n{after}")
    data = bytearray((trace / "trace.bob").read_bytes())
    data[h.chunks_at(data) + 64 + 40] ^= 0xFF  # in the compressed processes
    (trace / "trace.bob").write_bytes(data)
    r = h.bobbin("check", trace)
    h.check(r.status != 0 and b"trace.bob" in r.out + r.err, f"{r}")


@suite.case("of two launchers of one run, only the one that ends last touches the images")
def last_launcher():
    trace = h.fresh("last") / "t"
    line = [h.BOBBIN, "record", "-q", "--mem", "-o", trace, "--", shutil.which("cat")]
    env = h.environment({"PMIX_NAMESPACE": f"bobbin-{os.getpid()}"})

    def images():
        return {p.name: (p.stat().st_ino, p.stat().st_size) for p in trace.glob("i*.bob")}

    with subprocess.Popen(line, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as longer:
        try:
            # what comes back was read and written by the recorded program: its images are there
            longer.stdin.write(b"x")
            longer.stdin.flush()
            h.check(longer.stdout.read(1) == b"x", "cat")
            before = images()
            h.check(before, "no image yet")
            r = h.run(line, env=env)
            h.check(r.status == 0 and len(list(trace.glob("p*.bob"))) == 2, f"{r}")
            between = images()
            h.check({name: between[name] for name in before} == before, f"{before}\n{between}")
        finally:
            longer.stdin.close()
            longer.wait(h.TIMEOUT)
    h.check(longer.returncode == 0 and all(images()[name] != was for name, was in before.items()),
            f"{before}\n{images()}")
    h.check_trace(trace)


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
