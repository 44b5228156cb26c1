#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Memory traces as replay and show give them away: all threads in one sequence, in every format."""

import collections
import struct
import sys

import harness as h

suite = h.Suite("mem_read")
RECORD = struct.Struct("<QQIIIHBB")


def program(kind="matmul"):
    flags = ["-O1", "-g", "-w", "-ffunction-sections", "-Wl,--gc-sections,-z,now", f"-DKIND={kind}"]
    return h.compile(kind, ["mem_dense.c"], "gcc", flags, ["-lpthread"])


def record(kind="matmul", n=20, threads=4):
    r = h.record([program(kind), n, threads], ["--mem"])
    h.check(r.status == 0, f"{r}")
    h.check_trace(r.trace)
    return r.trace


def replay(trace, *options):
    r = h.bobbin("replay", "--mem", *options, trace)
    h.check(r.status == 0 and not r.err, f"{r}")
    return r.out


def by_thread(trace):
    """{"0.1": lines}, asked for one by one."""
    got = {}
    for t in range(h.info(trace)["threads"]):
        lines = replay(trace, "-g", f"0.{t}").decode().splitlines()
        h.check(lines.pop(0) == f"# thread 0.{t}", f"no title: {lines[:1]}")
        got[f"0.{t}"] = lines
    return got


@suite.case("replay: threads one after another, or in turns")
def order():
    trace = record()
    want = by_thread(trace)
    one = replay(trace, "--order=threads").decode().splitlines()
    h.check(one == [line for t, lines in want.items() for line in [f"# thread {t}", *lines]], "order=threads")
    for quantum in (100, 7, 1000000):
        lines = replay(trace, *([] if quantum == 100 else ["--quantum", quantum])).decode().splitlines()
        got, left = collections.defaultdict(list), {t: len(rows) for t, rows in want.items()}
        runs = []  # of one thread: thread, how many, did all others at work have more
        for line in lines:
            t, text = line.split(" ", 1)
            got[t].append(text)
            if not runs or runs[-1][0] != t or runs[-1][1] == quantum:
                runs.append([t, 0, all(left[f"0.{i}"] > 2 * quantum for i in range(1, 5))])
            runs[-1][1] += 1
            left[t] -= 1
        h.check(dict(got) == want, f"quantum {quantum}: a thread's own accesses are others")
        # in the middle, where all four are at work, nothing but the quantum ends a turn
        middle = [r for r in runs if r[2] and r[0] != "0.0"][8:-8]
        h.check(quantum > 10000 or len(middle) > 20, f"quantum {quantum}: only {len(middle)} turns")
        names = [r[0] for r in middle]
        cycle = ["0.1", "0.2", "0.3", "0.4"] * (len(names) // 4 + 2)
        begin = cycle.index(names[0]) if names else 0
        h.check(names == cycle[begin: begin + len(names)], f"quantum {quantum}: turns {names[:12]}")
        h.check(all(r[1] == quantum for r in middle), f"quantum {quantum}: {middle[:12]}")
    return f"{sum(map(len, want.values()))} accesses"


@suite.case("replay: the formats have the same order")
def formats():
    trace = record()
    lines = [line.split(" ") for line in replay(trace).decode().splitlines()]
    raw = replay(trace, "--format=binary")
    h.check(raw[:32] == b"BO-ACCS1" + struct.pack("<I", 32) + bytes(20), f"head {raw[:32]}")
    h.check(len(raw) == 32 * (len(lines) + 1), f"{len(raw)} bytes for {len(lines)} accesses")
    images = set()
    for w, r in zip(lines, RECORD.iter_unpack(raw[32:])):
        address, pc, process, thread, image, size, kind, flags = r
        place = w[4].rsplit("+", 1)
        h.check([f"{process}.{thread}", "LSA"[kind], hex(address), str(size), hex(pc)] == [*w[:4], place[1]] and not flags,
                f"{r} is not {w}")
        images.add((image, place[0]))
    h.check(len(images) == len({i for i, _ in images}), f"{images}")
    din = replay(trace, "--format=din").decode().splitlines()
    h.check(din == [f"{'01'[k == 'S']} {a[2:]}" for _, w, a, *_ in lines for k in ("LS" if w == "A" else w)], "din")
    lackey = replay(trace, "--format=lackey").decode().splitlines()
    h.check(lackey == [f" {'M' if k == 'A' else k} {int(a, 16):08x},{size}" for _, k, a, size, _ in lines], "lackey")
    for bad in (["--order=x"], ["--quantum=0"], ["--quantum=x"], ["--format=x"]):
        h.check(h.bobbin("replay", "--mem", *bad, trace).status == 2, f"{bad}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
