#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Folded memory traces: what is folded is what was recorded, its size depends neither on the
problem nor on the threads where the accesses are regular, nothing is lost when the program is
killed, and threads are merged."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time

import harness as h

suite = h.Suite("mem_fold")
STACK = 0x1FF0000000  # Valgrind's stack of the first thread lies above


def program(kind):
    # -z now: or the thread that calls a library function first, whichever that is, looks it up
    flags = ["-O1", "-g", "-w", "-ffunction-sections", "-Wl,--gc-sections,-z,now", f"-DKIND={kind}"]
    flags += ["-DELEMENTS=n"] if kind in ("add", "sparse", "list") else []
    return h.compile(kind, ["mem_dense.c"], "gcc", flags, ["-lpthread"])


def record(kind, *args, opts=()):
    command = [program(kind), *map(str, args)]
    r = h.record(command, ["--mem", "--engine=valgrind", *opts], timeout=240)
    h.check(r.status == 0, f"{r}")
    h.check_trace(r.trace)
    return r.trace


def accesses(trace, group="0.0"):
    """Lines of one thread; on the stack, addresses count from the first: they depend on the
    environment."""
    r = h.bobbin("replay", "--mem", "-g", group, trace, timeout=240)
    if r.status == 1 and b"has no memory accesses" in r.err:
        return []
    h.check(r.status == 0, f"{r}")
    first, lines = None, []
    for line in r.out.decode().splitlines():
        if line.startswith("#"):
            continue
        kind, address, rest = line.split(" ", 2)
        value = int(address, 16)
        if value >= STACK:
            first = value if first is None else first
            address = f"stack{value - first:+d}"
        lines.append(f"{kind} {address} {rest}")
    return lines


def size(trace):
    return h.info(trace)["stream_bytes"]


@suite.case("folded and raw records are the same accesses")
def same():
    notes = []
    for kind, n in (("matmul", 20), ("lu", 25), ("cholesky", 25), ("sparse", 300), ("list", 1000)):
        folded, raw = record(kind, n), record(kind, n, opts=["--codec=none"])
        thread = "0.1" if kind == "matmul" else "0.0"
        a, b = accesses(folded, thread), accesses(raw, thread)
        h.check(len(a) > 1000, f"{kind}: {len(a)} accesses")
        h.check(a == b, f"{kind}: {len(a)} and {len(b)} accesses differ")
        times = 5 if kind == "list" else 10
        h.check(size(folded) * times < size(raw), f"{kind}: {size(folded)}, {size(raw)} bytes")
        notes.append(f"{kind} {size(raw)}:{size(folded)}")
    return ", ".join(notes)


@suite.case("dense kernels: the size does not depend on the problem")
def dense():
    notes = []
    for kind, small, large, most in (
        ("add", 30, 300, 1024),
        ("lu", 20, 60, 2048),
        ("cholesky", 20, 60, 2048),
    ):
        a, b = size(record(kind, small)), size(record(kind, large))
        h.check(a <= most and b <= most, f"{kind}: {a} and {b} bytes")
        h.check(abs(a - b) <= a / 20, f"{kind}: {a} bytes for {small}, {b} for {large}")
        notes.append(f"{kind} {a}, {b}")
    return "; ".join(notes)


@suite.case("threads: the size does not depend on how many")
def threads():
    sizes = []
    for count in (4, 16, 64):
        trace = record("matmul", 64, count)
        info = h.info(trace)
        h.check(info["threads"] == count + 1, f"{info['threads']} threads")
        rows = [len(accesses(trace, f"0.{t}")) for t in (1, count)]
        h.check(rows[0] == rows[1] and rows[0] > 64 * 64 * 64 // count, f"{rows}")
        sizes.append(info["stream_bytes"])
    h.check(max(sizes) <= 2048, f"{sizes} bytes")
    h.check(max(sizes) <= min(sizes) * 1.2, f"{sizes} bytes")
    return f"4, 16, 64 threads: {sizes} bytes"


@suite.case("threads that are alive at the end of the process are merged, too")
def alive():
    sizes = {}
    for engine in ("native", "valgrind"):
        r = h.record([program("team"), "40", "4"], ["--mem", f"--engine={engine}"])
        h.check(r.status == 0, f"{r}")
        h.check_trace(r.trace)
        again = h.bobbin("merge", r.trace)
        h.check(b"nothing to merge: its threads and processes are merged already" in again.out,
                f"{engine}: not merged by record\n{again}")
        rows = [len(accesses(r.trace, f"0.{t}")) for t in range(4)]
        # the process may end before a thread has gone to sleep
        h.check(max(rows[1:]) - min(rows[1:]) < 5 and rows[1] > 40 * 40 * 10, f"{engine}: {rows}")
        sizes[engine] = size(r.trace)
    h.check(max(sizes.values()) <= 2500, f"{sizes}")
    return str(sizes)


def begun(args):
    """A run that records, by now more than what it is, and where."""
    trace = h.fresh("trace") / "t"
    p = subprocess.Popen([h.BOBBIN, "record", "-q", "--mem", "--engine=valgrind", "-o", trace, "--",
                          *args], env=h.environment(), stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)

    def records():
        with contextlib.suppress(FileNotFoundError):  # it has just ended
            return any(x.stat().st_size > 65536 for x in trace.glob("p*.bob"))

    h.until(lambda: records() or p.poll() is not None, "no record is there")
    return p, trace


@suite.case("killed: what is there is the beginning of the whole")
def killed():
    args, enough = [str(program("sparse")), "4000"], h.share(6, 16)
    whole, span, lengths, cut = accesses(record("sparse", 4000)), None, [], []
    for i in range(64):
        if i > enough and len(cut) >= enough // 2:
            break  # else the machine has become faster or slower meanwhile
        p, trace = begun(args)
        begin = time.monotonic()
        if span is not None:
            time.sleep(span * (7 * i % 16) / 16)
            for child in subprocess.run(["ps", "-o", "pid=", "--ppid", str(p.pid)],
                                        stdout=subprocess.PIPE).stdout.split():
                with contextlib.suppress(ProcessLookupError):  # it has just ended
                    os.kill(int(child), signal.SIGKILL)
        if p.wait(timeout=60) == 0:  # the first one does
            span = min(span or 60, time.monotonic() - begin)
        h.check_trace(trace)
        part = accesses(trace)
        h.check(part == whole[: len(part)], f"kill {i}: {len(part)} accesses are others")
        if i % 5 == 4:
            h.check(h.bobbin("fold", "-q", trace).status == 0, "fold")
            h.check(accesses(trace) == part, f"kill {i}: folded later they are others")
        lengths.append(len(part))
        cut = [n for n in lengths if 0 < n < len(whole)]
    h.check(len(cut) >= enough // 2, f"only {len(cut)} runs were cut: {lengths} of {len(whole)}")
    return f"{len(cut)} of {len(lengths)} cut, {min(cut)} to {max(cut)} of {len(whole)} accesses"


@suite.case("merge: again, and of a trace that was recorded raw")
def merge():
    trace = record("matmul", 20, 4)
    before = accesses(trace, "0.3")
    r = h.bobbin("merge", trace)
    h.check(r.status == 0 and b"nothing to merge: " in r.out, f"{r}")
    h.check(accesses(trace, "0.3") == before, "merging again changes the trace")
    raw = record("matmul", 20, 4, opts=["--codec=none"])
    h.check(h.bobbin("merge", "-q", raw).status == 0, "raw")
    h.check(len(accesses(raw, "0.3")) == len(before), "a raw trace")
    h.check(h.bobbin("merge", h.fresh("no")).status == 1, "no trace")
    h.check(h.bobbin("merge", "a", "b").status == 2, "two traces")


@suite.case("fold: raw records, and those of a killed process")
def fold():
    for kind, args in (("matmul", (20, 4)), ("sparse", (500,))):
        trace = record(kind, *args, opts=["--codec=none"])
        thread = "0.3" if kind == "matmul" else "0.0"
        before, large = accesses(trace, thread), size(trace)
        r = h.bobbin("fold", trace)
        h.check(r.status == 0 and b"the threads of 1 process," in r.out, f"{r}")
        h.check_trace(trace)
        h.check(accesses(trace, thread) == before, f"{kind}: folding changes the trace")
        h.check(size(trace) * 10 < large, f"{kind}: {size(trace)} of {large} bytes")
        once = size(trace)
        h.check(h.bobbin("fold", "-q", trace).status == 0 and size(trace) == once, "again")


@suite.case("show prints the loops")
def show():
    r = h.bobbin("show", "--no-pager", record("lu", 30))
    text = r.out.decode()
    h.check(r.status == 0, f"{r}")
    h.check("loop 29 x 29-i times, 435 in all" in text, f"no loop of 29 * 30 / 2:\n{text}")
    h.check(re.search(r"load +8 +0x[0-9a-f]+ \(29 x \+248\)\(29-i x \+0\)\(29-i x \+8\)", text),
            f"no row:\n{text}")
    few = h.bobbin("show", "--no-pager", "--lines", "3", record("list", 300)).out.decode()
    h.check(3 < len(few.splitlines()) < 7, few)


@suite.case("report counts what replay gives, without expanding it")
def report():
    for kind, args in (("matmul", (20, 4)), ("sparse", (500,)), ("cholesky", (30,))):
        trace = record(kind, *args)
        lines = h.bobbin("replay", "--mem", "--order=threads", trace).out.decode().splitlines()
        want = {"L": 0, "S": 0}
        for line in lines:
            if not line.startswith("#"):
                want["S" if line[0] == "A" else line[0]] += 1
        for by in ("function", "instruction"):
            r = h.bobbin("report", "--no-pager", "-n", "0", f"--by={by}", trace)
            h.check(r.status == 0, f"{r}")
            rows = re.findall(r"(?m)^ *([\d,]+) +[\d.]+% +([\d,]+) +([\d,]+) ", r.out.decode())
            numbers = [[int(x.replace(",", "")) for x in row] for row in rows]
            h.check(sum(n[1] for n in numbers) == want["L"], f"{kind} {by}: {want}\n{r}")
            h.check(sum(n[2] for n in numbers) == want["S"], f"{kind} {by}: {want}\n{r}")
        h.check(b"8 of 8 functions" in r.out or b"(100.0%)" in r.out, f"{r}")
        irregular = re.search(r"(?m) ([\d.]+)% +\S+ +main\S*$",
                              h.bobbin("report", trace).out.decode())
        share = float(irregular[1]) if irregular else 0
        h.check(share > 10 if kind == "sparse" else share == 0, f"{kind}: {share} % irregular")
    h.check(h.bobbin("report", "--callers", "main", trace).status == 2, "--callers")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
