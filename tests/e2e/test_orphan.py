#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Callers in no plan: hand-written assembly without call frame information, code made or changed at
run time, interpreters. The program does not notice; the trace counts such entries and marks them;
their depth is at most too large (frames that ended may count as open, by the stack pointer alone),
the same for a whole subtree, and everything outside such subtrees is exact."""

import sys

import harness as h
import truth

suite = h.Suite("orphan")

LUA = """local t = {}
for i = 1, 3000 do t[i] = (i * 7919) % 1009 end
table.sort(t, function(a, b) return a > b end)
local co = coroutine.wrap(function() for i = 1, 10 do coroutine.yield(t[i]) end end)
for i = 1, 10 do io.write(co(), " ") end
print(select("#", string.gsub(string.rep("abc", 50), "(b)(c)", "%2%1")), pcall(error, "x"))
os.exit(6)
"""
PYTHON = """import ctypes, sys
libc = ctypes.CDLL(None)
order = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
a = (ctypes.c_int * 500)(*[i * 7919 % 1009 for i in range(500)])
libc.qsort(a, 500, 4, order(lambda x, y: x[0] - y[0]))
print(list(a)[:20]); sys.exit(5)
"""
NODE = """const f = n => n < 2 ? n : f(n - 1) + f(n - 2);
console.log(f(24), [3, 1, 2].sort((a, b) => a - b), JSON.stringify({ a: [1, { b: 2 }] }));
console.log('abcabc'.replace(/b(c)/g, '<$1>'), new Map([[1, 2]]).size); process.exit(7);
"""


def counters(trace):
    """Sums over all threads of the self-check counters."""
    names = ("orphans", "sp_rule", "top_mismatch", "lost", "restarts")
    threads = [t for p in h.info(trace)["process_list"] for t in p["thread_list"]]
    return {n: sum(t[n] for t in threads) for n in names}


def subtree(depths, at):
    """Indices of `at` and of what is below it."""
    end = at + 1
    while end < len(depths) and depths[end] > depths[at]:
        end += 1
    return range(at, end)


def compare(log, events):
    """How many orphans are marked, and by how much the deepest of them is too deep."""
    got, _ = truth.reduce_thread(events)
    marks = ["orphan" in e.notes for e in events if e.entry and truth.plain(e.function)]
    want = log.threads[0]
    names = [n for n, _ in want], [n for n, _ in got]
    h.check(names[0] == names[1], "functions: " + truth.first_difference(want, got))
    depths, free, worst = [d for _, d in want], set(), 0
    for i, marked in enumerate(marks):
        if not marked:
            continue
        below = subtree(depths, i)
        off = {got[k][1] - want[k][1] for k in below if k not in free}
        h.check(
            len(off) == 1 and min(off) >= 0,
            f"entry {i} {want[i]} came from an unknown caller; its subtree is off by {off}",
        )
        worst = max(worst, *off)
        free.update(below)
    rest = [i for i in range(len(want)) if i not in free and want[i] != got[i]]
    if rest:
        i = rest[0]
        raise h.Failure(f"entry {i} has a known caller: program {want[i]}, trace {got[i]}")
    return sum(marks), worst


def own_program(mode, opt, images):
    exe = h.compile("orphan", ["orphan.c", "orphan_asm.S"], "gcc", [opt, "-w"])
    native = h.run([exe, mode])
    h.check(native.status == 0, f"the program fails natively\n{native}")
    log = h.fresh("log") / "log"
    r = h.record([exe, mode], [f"--images={images}"], env=h.environment({"BOB_LOG": str(log)}))
    h.same(native, r)
    h.check_trace(r.trace)
    said = int(r.out.split()[0])
    count = counters(r.trace)
    h.check(not count["lost"] and not count["restarts"], f"counters {count}")
    if mode == "selfmod":  # entries of the replaced function are the program's own business
        truth.compare(truth.Log(log), h.dump(r.trace))
        return None
    marked, worst = compare(truth.Log(log), h.dump(r.trace)[0][2])
    h.check(marked == said, f"{said} calls from unknown callers, {marked} marked in the trace")
    h.check(count["orphans"] >= said, f"{said} calls from unknown callers, counted {count}")
    report = h.bobbin("report", r.trace)
    h.check(b"unknown" in report.out or b"orphan" in report.out, f"report is silent\n{report}")
    return f"{said} orphans, depth at most {worst} too large"


def interpreter(command, source, status, at_least):
    """`at_least` entries from callers in no plan."""
    h.need(command[0])
    native = h.run([*command, source])
    h.check(native.status == status, f"the script fails natively\n{native}")
    notes = []
    for images in ("main", "all"):
        r = h.record([*command, source], [f"--images={images}"])
        h.same(native, r, f"--images={images}: ")
        h.check_trace(r.trace)
        count = counters(r.trace)
        h.check(count["lost"] == 0, f"counters {count}")
        notes.append(f"{images} {count['orphans']}")
    h.check(count["orphans"] >= at_least, f"expected {at_least} orphans at least: {count}")
    return "orphans: " + ", ".join(notes)


for number, mode in enumerate(("asm", "jit", "selfmod")):
    for images in ("main", "all"):
        for opt in ("-O0", "-O2"):
            suite.add(f"{mode} {opt} {images}", own_program, mode, opt, images)
suite.add("lua", interpreter, ["lua5.4", "-e"], LUA, 6, 0)
suite.add("python with callbacks", interpreter, ["python3", "-c"], PYTHON, 5, 0)
suite.add("node", interpreter, ["node", "-e"], NODE, 7, 100)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
