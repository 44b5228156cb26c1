#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Memory traces as replay and show give them away: all threads in one sequence, in every format;
one by one under their loops; by call path."""

import collections
import re
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
    h.check(one == [line for t, lines in want.items() for line in [f"# thread {t}", *lines]],
            "order=threads")
    for quantum in (100, 7, 1000000):
        lines = replay(trace, *([] if quantum == 100
                                else ["--quantum", quantum])).decode().splitlines()
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
        h.check([f"{process}.{thread}", "LSA"[kind], hex(address), str(size), hex(pc)]
                == [*w[:4], place[1]] and not flags, f"{r} is not {w}")
        images.add((image, place[0]))
    h.check(len(images) == len({i for i, _ in images}), f"{images}")
    din = replay(trace, "--format=din").decode().splitlines()
    h.check(din == [f"{'01'[k == 'S']} {a[2:]}" for _, w, a, *_ in lines
                    for k in ("LS" if w == "A" else w)], "din")
    lackey = replay(trace, "--format=lackey").decode().splitlines()
    h.check(lackey == [f" {'M' if k == 'A' else k} {int(a, 16):08x},{size}"
                       for _, k, a, size, _ in lines], "lackey")
    for bad in (["--order=x"], ["--quantum=0"], ["--quantum=x"], ["--format=x"]):
        h.check(h.bobbin("replay", "--mem", *bad, trace).status == 2, f"{bad}")


ENGINES = ("native", "valgrind")
LOOP = re.compile(r"( *)loop (\d+), ([\d,]+) of ([\d,]+)$")
ACCESS = re.compile(r"( *)(load|store|atomic) +(\d+)  (0x[0-9a-f]+)   (\S+(?:  \S+:\d+)?)$")


def number(text):
    return int(text.replace(",", ""))


def expand(trace, thread, *options):
    """[(kind, address, size, place)], and the loops are held against themselves: no iteration is
    left out."""
    r = h.bobbin("show", "--no-pager", "--expand", "--lines=0", "-g", thread, *options, trace)
    h.check(r.status == 0 and not r.err, f"{r}")
    rows, loops = [], []
    for line in r.out.decode().splitlines()[1:]:
        m, at = ACCESS.match(line), LOOP.match(line)
        h.check(m or at, f"{line!r} is not understood")
        depth = len((m or at)[1]) // 2 - 1
        h.check(depth <= len(loops), f"{line!r} is too deep in {loops}")
        if m:
            del loops[depth:]
            rows.append(("LSA"[("load", "store", "atomic").index(m[2])], m[4], m[3], m[5]))
            continue
        name, iteration, trips = m or at[2], number(at[3]), number(at[4])
        before = loops[depth] if depth < len(loops) else None
        follows = before and before[0] == name and before[2] == trips and iteration == before[1] + 1
        h.check(options or iteration == 1 or follows, f"{line!r} follows {before}")
        h.check(1 <= iteration <= trips, line)
        loops[depth:] = [(name, iteration, trips)]
    return rows


def same_as_replay(trace, thread):
    rows = [line.split(" ") for line in replay(trace, "-g", thread).decode().splitlines()[1:]]
    got = expand(trace, thread)
    h.check([r[:3] for r in got] == [tuple(r[:3]) for r in rows],
            f"{thread}: {len(got)} and {len(rows)} accesses")
    return len(got)


@suite.case("show --expand: what replay gives, under loops that go on")
def expanded():
    notes = []
    for kind in ("matmul", "cholesky", "sparse"):
        trace = record(kind, 12, 2)
        notes.append(same_as_replay(trace, "0.1" if kind == "matmul" else "0.0"))
    truth = h.compile("mem_truth", ["mem_truth.c"], "gcc", ["-O2", "-w"], ["-lpthread"])
    for engine in ENGINES:  # lanes, string instructions, iterations that are reported again
        for kernel in ("csr", "strings", "lanes", "vectors", "signals"):
            r = h.record([truth, kernel], ["--mem", f"--engine={engine}"])
            h.check(r.status == 0, f"{r}")
            notes.append(same_as_replay(r.trace, "0.0"))
    return f"{notes} accesses"


def paths(engine):
    program = h.compile("mem_paths", ["mem_paths.c"], "gcc",
                        ["-O1", "-g", "-fno-optimize-sibling-calls"])
    r = h.record([program], ["--mem", f"--engine={engine}"])
    h.check(r.status == 0, f"{r}")
    return r.trace


@suite.case("show --expand: a part of them")
def part():
    trace = paths("native")
    whole = expand(trace, "0.0")
    of_inner = [r for r in whole if r[3].startswith(("inner+", "inner  "))]
    h.check(sum(r[0] == "S" and r[2] == "4" for r in of_inner) == 16, f"{of_inner}")
    h.check(expand(trace, "0.0", "-F", "inner") == of_inner, "-F inner")
    h.check(expand(trace, "0.0", "-N", "inner") == [r for r in whole if r not in of_inner],
            "-N inner")
    h.check(expand(trace, "0.0", "-e", "5..20") == whole[5:21], "-e 5..20")
    h.check(expand(trace, "0.0", "-e", "5..20", "-F", "inner")
            == [r for r in whole[5:21] if r in of_inner], "both")
    few = h.bobbin("show", "--no-pager", "-x", "--lines=7", trace).out.decode().splitlines()
    h.check(len(few) == 9 and "--lines" in few[-1], f"{few}")
    calls = h.record(["/bin/true"]).trace
    r = h.bobbin("show", "--expand", calls)
    h.check(r.status == 1 and b"no memory accesses are folded" in r.err, f"{r}")


def tree(trace, *options):
    """{(function, called from, depth): (accesses, loads, stores)}"""
    r = h.bobbin("show", "--no-pager", "--signatures", *options, trace)
    h.check(r.status == 0 and not r.err, f"{r}")
    rows = {}
    for line in r.out.decode().splitlines()[2:]:
        m = re.match(r" *([\d,]+) +([\d,]+) +([\d,]+)  ( *)(\S+|code in \S+)(?:  called at "
                     r"(\S+?)(?:\+0x[0-9a-f]+|  \S+:\d+))?$", line)
        h.check(m, f"{line!r} is not understood")
        key = m[5], m[6], len(m[4]) // 2
        old = rows.get(key, (0, 0, 0))  # there may be several call sites
        rows[key] = tuple(a + number(b) for a, b in zip(old, (m[1], m[2], m[3])))
    return rows


@suite.case("show --signatures: who was called from where")
def signatures():
    for engine in ENGINES:
        trace = paths(engine)
        rows = tree(trace)
        twice, once = rows["inner", "outer", 2], rows["inner", "main", 1]
        h.check(once[2] == 4 and tuple(3 * n for n in once) == twice, f"inner: {rows}")
        h.check(not any(k[0] == k[1] == "outer" for k in rows),
                f"a call that has returned goes on: {rows}")
        # five of six calls are from deep itself, in four of them it calls on; recursion has one
        # path
        first, others = rows["deep", "main", 1], rows["deep", "deep", 2]
        h.check(others[2] > 4 * first[2] and 4 * first[1] < others[1] < 5 * first[1],
                f"deep: {rows}")
        h.check(not any(k[0] == "deep" and k[2] > 2 for k in rows), f"deep: {rows}")
        h.check(sum(v[1] + v[2] for v in rows.values())
                == sum(v[0] for k, v in rows.items() if not k[2]), f"{rows}")
        lines = replay(trace).decode().splitlines()[1:]
        h.check(sum(v[0] for k, v in rows.items() if not k[2]) == len(lines),
                f"{len(lines)} accesses: {rows}")
    # guarded accesses, and those reported again, are expanded
    truth = h.compile("mem_truth", ["mem_truth.c"], "gcc", ["-O2", "-w"], ["-lpthread"])
    for kernel in ("vectors", "lanes", "signals", "threads"):
        r = h.record([truth, kernel], ["--mem"])
        rows = tree(r.trace)
        count = sum(not line.startswith("#") for line in replay(r.trace).decode().splitlines())
        h.check(sum(v[0] for k, v in rows.items() if not k[2]) == count,
                f"{kernel}: {count} accesses: {rows}")
    raw = h.record([program(), 10, 2], ["--mem", "--codec=none"]).trace
    r = h.bobbin("show", "--signatures", raw)
    h.check(r.status == 1 and b"no memory accesses are folded" in r.err, f"{r}")
    h.check(h.bobbin("fold", "-q", raw).status == 0 and tree(raw), "fold")


@suite.case("env --mem: without the launcher the same is recorded")
def env():
    want = record("matmul", 10, 2)
    trace = h.fresh("env") / "t r'a\"ce"
    line = h.bobbin("env", "--mem", "-o", trace)
    h.check(line.status == 0 and b"BOBBIN_MEM='1'" in line.out, f"{line}")
    r = h.run(["sh", "-c", 'eval "$1"; "$2" 10 2', "sh", line.out.decode(), program()])
    h.check(r.status == 0 and not r.err, f"{r}")
    h.check(h.bobbin("merge", "-q", trace).status == 0, "merge")
    h.check_trace(trace)

    def rows(of, thread):
        return [(k, place) for k, _, _, place in map(
            str.split, replay(of, "-g", thread).decode().splitlines()[1:])]

    # the shell is a process of the trace, too, and becomes none: what it runs is its child
    numbers = [i for i, p in enumerate(h.info(trace)["process_list"])
               if p["exe"].endswith(program().name)]
    h.check(len(numbers) == 1, f"{h.info(trace)['process_list']}")
    for t in range(3):
        h.check(rows(trace, f"{numbers[0]}.{t}") == rows(want, f"0.{t}"), f"thread {t}")
    out = h.bobbin("show", "--no-pager", "--signatures", "-g", f"{numbers[0]}.1",
                   trace).out.decode()
    h.check("  work\n" in out and "work  called" not in out, f"no names: {out}")
    early = h.bobbin("env", "--mem", "--from-start", "-o", h.fresh("e") / "t").out
    h.check(b"BOBBIN_FROM_START='1'" in early, f"{early}")
    for bad in (["--mem", "-F", "x"], ["--from-start"]):
        r = h.bobbin("env", *bad, "-o", h.fresh("e") / "t")
        h.check(r.status == 2 and r.err.count(b"\n") == 1, f"{r}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
