#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Marks of synchronisation: those that a known program must leave, by both engines; numbers that say the order in which
things happened; replay that keeps it; the program itself does not notice."""

import collections
import re
import sys

import harness as h

suite = h.Suite("sync")
ENGINES = ("native", "valgrind")


def program():
    return h.compile("sync_known", ["sync_known.c"], "gcc", ["-O1", "-pthread", "-fopenmp"])


def record(engine, *args, opts=()):
    if engine == "valgrind":
        h.need("valgrind")
    native = h.run([program(), *args])
    r = h.record([program(), *args], ["--mem", f"--engine={engine}", *opts], timeout=120)
    h.same(native, r, f"{engine}: ")
    h.check_trace(r.trace)
    return r.trace


def marks(trace):
    """By thread: what, object, number (None: it has none)."""
    r = h.bobbin("replay", "--mem", "--syncs", "--order=threads", trace)
    h.check(r.status == 0, f"replay\n{r}")
    threads = []
    for line in r.out.decode().splitlines():
        if line.startswith("# thread"):
            threads.append([])
        elif line.startswith("Y "):
            _, what, thing, *number = line.split()
            threads[-1].append((what, thing, int(number[0]) if number else None))
    return threads


def names(threads):
    """Objects as they come, so that addresses do not matter."""
    known = {}
    return [[(what, known.setdefault((thing.startswith("0x"), thing), len(known)), number)
             for what, thing, number in thread] for thread in threads]


def kinds(thread):
    return [what for what, _, _ in thread]


def both(mode, judge):
    def run():
        seen = []
        for engine in ENGINES:
            threads = marks(record(engine, *mode.split()))
            judge(threads)
            seen.append(threads)
        return f"{sum(map(len, seen[0]))} marks"

    suite.add(f"{mode}, both engines", run)


def made(threads, count):
    """Thread 0 makes the others and waits for them; their numbers are those of their making."""
    h.check(len(threads) == count + 1, f"{len(threads)} threads")
    want = [("create-thread", str(i), None) for i in range(1, count + 1)]
    want += [("join-thread", str(i), 1) for i in range(1, count + 1)]
    h.check([m for m in threads[0] if "thread" in m[0]] == want, f"{threads[0]}")
    for i in range(1, count + 1):
        h.check(threads[i][0] == ("thread-begins", str(i), 1), f"thread {i}: {threads[i][0]}")


def turns(threads, kinds_of, apart=lambda m: m[1]):
    """Numbers of each object, from 0 on, each once. Returns (number, thread, what) by object, in order."""
    found = collections.defaultdict(list)
    for t, thread in enumerate(threads):
        for m in thread:
            if m[0] in kinds_of:
                found[apart(m)].append((m[2], t, m[0]))
    for thing, all_ in found.items():
        all_.sort()
        h.check([n for n, _, _ in all_] == list(range(len(all_))), f"{thing}: {all_}")
    return found


def alternates(order, take, give):
    """Who took gives before another takes."""
    for i in range(0, len(order) - 1, 2):
        (_, t1, a), (_, t2, b) = order[i:i + 2]
        h.check((a, b) == (take, give) and t1 == t2, f"{i}: {order[i]}, {order[i + 1]}")


def judge_locks(threads):
    made(threads, 2)
    for t in threads[1:]:
        h.check(kinds(t)[1:] == ["lock", "unlock"] * 5, f"{t}")
    for order in turns(threads, ("lock", "unlock")).values():
        alternates(order, "lock", "unlock")


def judge_pingpong(threads):
    made(threads, 2)
    for t in threads[1:]:
        h.check(kinds(t)[1:] == ["take-from-semaphore", "post-to-semaphore"] * 10, f"{t}")
    h.check(len(turns(threads, ("take-from-semaphore", "post-to-semaphore"))) == 2, "two semaphores")


def judge_barrier(threads):
    made(threads, 3)
    for t in threads[1:]:
        h.check(kinds(t)[1:] == ["at-barrier", "behind-barrier"] * 4, f"{t}")
        h.check([m[2] for m in t[1:]] == [None, 3, None, 6, None, 9, None, 12], f"{t}")


def judge_cond(threads):
    made(threads, 2)
    waits, brings = kinds(threads[1])[1:], kinds(threads[2])[1:]
    waited = ["wait-for-condition", "unlock", "woken-by-condition", "lock"]
    h.check(brings == ["lock", "signal-condition", "unlock"], f"{brings}")
    h.check(waits[0] == "lock" and waits[-1] == "unlock" and waits[1:-1] in ([], waited, 2 * waited), f"{waits}")
    for order in turns(threads, ("lock", "unlock")).values():
        alternates(order, "lock", "unlock")


def judge_rest(threads):
    want = ["read-lock", "read/write-unlock", "write-lock", "read/write-unlock", "spin-unlock", "spin-lock",
            "spin-unlock", "lock", "unlock", "futex-waited", "futex-wake"]  # spin_init is spin_unlock to libc
    h.check(len(threads) == 1 and kinds(threads[0]) == want, f"{threads}")


def judge_omp(threads):
    h.check(len(threads) == 4, f"{len(threads)} threads")
    master = [m for m in threads[0] if "region" in m[0] or "thread" in m[0]]
    region = [("part-of-region-begins", "0", 1), ("part-of-region-ends", "0", None), ("parallel-region-ends", "0", 4)]
    again = [(what, thing, number and number * 2) for what, thing, number in region]
    h.check(master == [("parallel-region", "0", None), *[("create-thread", str(i), None) for i in (1, 2, 3)], *region,
                       ("parallel-region", "0", None), *again], f"{master}")
    for t in threads:
        passed = [m[2] for m in t if m[0] == "behind-barrier-of-team"]
        h.check(passed == [4 * i for i in range(1, len(passed) + 1)] and passed, f"{passed}")
        h.check(kinds(t).count("at-barrier-of-team") == len(passed), f"{kinds(t)}")
        h.check(kinds(t).count("single") == 4, f"{kinds(t)}")
    order = turns(threads, ("critical-begins", "critical-ends"))
    h.check(len(order) == 2 and all(len(o) == 16 for o in order.values()), f"{order}")
    for o in order.values():
        alternates(o, "critical-begins", "critical-ends")
    # at the end of its share each thread is made to wait for its turn once more
    ordered = [m for t in threads for m in t if m[0].startswith("ordered")]
    h.check(kinds(ordered).count("ordered-ends") == 8 and len({m[2] for m in ordered}) == len(ordered), f"{ordered}")
    # each share of the loop is asked for: 8 and 4 times, and once more by each
    shares = sum(kinds(t).count("share-of-loop-or-sections") for t in threads)
    h.check(shares >= 2 * (8 + 4 + 4 + 4), f"{shares} shares")


both("locks", judge_locks)
both("pingpong 10", judge_pingpong)
both("barrier", judge_barrier)
both("cond", judge_cond)
both("rest", judge_rest)
both("omp", judge_omp)


@suite.case("what does not depend on the order is equal in both engines")
def equal():
    for mode in ("barrier", "rest"):
        a, b = (names(marks(record(engine, mode))) for engine in ENGINES)
        h.check(a == b, f"{mode}: {a}\n{b}")


def many():
    for engine in ENGINES:
        threads = marks(record(engine, "many", "200"))
        made(threads, 8)
        for t in threads[1:]:
            h.check(kinds(t)[1:] == ["lock", "unlock"] * 200, f"{len(t)} marks")
        order = turns(threads, ("lock", "unlock"))
        h.check(len(order) == 8, f"{len(order)} locks")
        for o in order.values():
            alternates(o, "lock", "unlock")


suite.add("eight threads, ten locks: turns are without holes", many)


@suite.case("handlers interrupt marks")
def storm():
    trace = record("native", "storm", "4000")
    threads = marks(trace)
    made(threads, 8)
    for t in threads[1:]:
        h.check(kinds(t)[1:] == ["lock", "unlock"] * 4000, f"{len(t)} marks")
    for o in turns(threads, ("lock", "unlock")).values():
        alternates(o, "lock", "unlock")
    ticks = h.bobbin("show", "--lines=0", trace).out.decode().count("on_tick")
    return f"on_tick in {ticks} lines"


@suite.case("cancelled in a wait, in a semaphore, in a join; masks of threads")
def cancelled():
    for engine in ENGINES:
        record(engine, "masks")
        trace = record(engine, "cancel")
        begins = [m for t in marks(trace)[1:] for m in t if m[0] == "thread-begins"]
        h.check(len(begins) == 3, f"{begins}")
        h.check(h.bobbin("cache", trace).status == 0, "cache")


def together(engine, *args):
    """(thread, kind, address) in the order in which all threads are replayed."""
    r = h.bobbin("replay", "--mem", "--quantum=7", record(engine, *args))
    h.check(r.status == 0 and b"went on" not in r.err, f"replay\n{r}")
    found = re.findall(r"^\d+\.(\d+) ([LSA]) 0x([0-9a-f]+)", r.out.decode(), re.M)
    return [(int(thread), kind, int(address, 16)) for thread, kind, address in found]


@suite.case("replay keeps the only legal order")
def pingpong():
    for engine in ENGINES:
        all_ = together(engine, "pingpong", "300")
        stores = collections.Counter(a for _, k, a in all_ if k == "S")
        # board[0], [1], [2], ...: 600 words of 4 bytes, each stored once, in ascending order
        once = sorted(a for a, n in stores.items() if n == 1)
        board = [a for a in once if all(x in stores for x in range(a, a + 4 * 600, 4))][0]
        order = [(t, (a - board) // 4) for t, k, a in all_ if k == "S" and board <= a < board + 2400]
        h.check(order == [(1 + i % 2, i) for i in range(600)], f"{engine}: {order[:20]}")


@suite.case("caches are simulated without a thread going on too early")
def caches():
    for mode in ("locks", "pingpong 50", "barrier", "cond", "omp", "many 100"):
        for engine in ENGINES:
            trace = record(engine, *mode.split())
            for opts in ((), ("--group=1",)):
                r = h.bobbin("cache", *opts, trace)
                h.check(r.status == 0 and b"waiting" not in r.out, f"{mode} {engine} {opts}\n{r}")


@suite.case("killed: what is there is replayed, and it is said that somebody went on")
def killed():
    missing = 0
    for engine in ENGINES:
        for codec in ("run", "none"):
            r = h.record([program(), "killed", "2000"], ["--mem", f"--engine={engine}", f"--codec={codec}"])
            h.check(r.status == -9, f"{r}")
            threads = marks(r.trace)
            found = collections.defaultdict(set)
            for t in threads:
                for what, thing, number in t:
                    if what in ("lock", "unlock"):
                        found[thing].add(number)
            # a number that was taken, and then the thread was no more
            holes = sum(max(n) + 1 - len(n) for n in found.values())
            h.check(found and holes <= 8, f"{engine} {codec}: {holes} holes")
            missing += holes
            r = h.bobbin("cache", r.trace)
            h.check(r.status in (0, 1), f"{r}")
    return f"{missing} numbers missing"


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
