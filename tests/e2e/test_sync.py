#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Marks of synchronisation: those that a known program must leave, by both engines; numbers that
say the order in which things happened; replay that keeps it; the program itself does not notice."""

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
    """Numbers of each object, from 0 on, each once. Returns (number, thread, what) by object, in
    order."""
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
    h.check(len(turns(threads, ("take-from-semaphore", "post-to-semaphore"))) == 2,
            "two semaphores")


def judge_barrier(threads):
    made(threads, 3)
    for t in threads[1:]:
        h.check(kinds(t)[1:] == ["at-barrier", "after-barrier"] * 4, f"{t}")
        h.check([m[2] for m in t[1:]] == [None, 3, None, 6, None, 9, None, 12], f"{t}")


def judge_cond(threads):
    made(threads, 2)
    waits, brings = kinds(threads[1])[1:], kinds(threads[2])[1:]
    waited = ["wait-for-condition", "unlock", "woken-by-condition", "lock"]
    h.check(brings == ["lock", "signal-condition", "unlock"], f"{brings}")
    h.check(waits[0] == "lock" and waits[-1] == "unlock"
            and waits[1:-1] in ([], waited, 2 * waited), f"{waits}")
    for order in turns(threads, ("lock", "unlock")).values():
        alternates(order, "lock", "unlock")


def judge_rest(threads):
    want = ["read-lock", "read/write-unlock", "write-lock", "read/write-unlock", "spin-unlock",
            "spin-lock",
            # spin_init is spin_unlock to libc
            "spin-unlock", "lock", "unlock", "futex-waited", "futex-wake", "futex-waited"]
    h.check(len(threads) == 1 and kinds(threads[0]) == want, f"{threads}")


def judge_regions(threads):
    h.check(len(threads) == 4, f"{len(threads)} threads")
    master = [m for m in threads[0] if "region" in m[0] or "thread" in m[0]]
    region = [("thread-enters-region", "0", 1), ("thread-leaves-region", "0", None),
              ("parallel-region-ends", "0", 4)]
    again = [(what, thing, number and number * 2) for what, thing, number in region]
    h.check(master == [("parallel-region", "0", None),
                       *[("create-thread", str(i), None) for i in (1, 2, 3)], *region,
                       ("parallel-region", "0", None), *again], f"{master}")


def judge_omp(threads):
    judge_regions(threads)
    for t in threads:
        passed = [m[2] for m in t if m[0] == "after-barrier-of-team"]
        h.check(passed == [4 * i for i in range(1, len(passed) + 1)] and passed, f"{passed}")
        h.check(kinds(t).count("at-barrier-of-team") == len(passed), f"{kinds(t)}")
        h.check(kinds(t).count("single") == 4, f"{kinds(t)}")
    order = turns(threads, ("critical-begins", "critical-ends"))
    h.check(len(order) == 2 and all(len(o) == 16 for o in order.values()), f"{order}")
    for o in order.values():
        alternates(o, "critical-begins", "critical-ends")
    # at the end of its share each thread is made to wait for its turn once more
    ordered = [m for t in threads for m in t if m[0].startswith("ordered")]
    h.check(kinds(ordered).count("ordered-ends") == 8
            and len({m[2] for m in ordered}) == len(ordered), f"{ordered}")
    # each share of the loop is asked for: 8 and 4 times, and once more by each
    shares = sum(kinds(t).count("worksharing") for t in threads)
    h.check(shares >= 2 * (8 + 4 + 4 + 4), f"{shares} shares")


both("locks", judge_locks)
both("pingpong 10", judge_pingpong)
both("barrier", judge_barrier)
both("cond", judge_cond)
both("rest", judge_rest)
both("omp", judge_omp)
both("reduction", judge_regions)


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
        order = [(t, (a - board) // 4)
                 for t, k, a in all_ if k == "S" and board <= a < board + 2400]
        h.check(order == [(1 + i % 2, i) for i in range(600)], f"{engine}: {order[:20]}")


@suite.case("caches are simulated without a thread going on too early")
def caches():
    for mode in ("locks", "pingpong 50", "barrier", "cond", "omp", "many 100"):
        for engine in ENGINES:
            trace = record(engine, *mode.split())
            for opts in ((), ("--group=1",)):
                r = h.bobbin("cache", *opts, trace)
                h.check(r.status == 0 and b"waiting" not in r.out, f"{mode} {engine} {opts}\n{r}")


@suite.case("killed: what is there is replayed, with a note that a thread went on")
def killed():
    missing = 0
    for engine in ENGINES:
        for codec in ("run", "none"):
            r = h.record([program(), "killed", "2000"],
                         ["--mem", f"--engine={engine}", f"--codec={codec}"])
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


OBJECTS = """\
marks  threads  objects  kind       object             what threads do      call site
   62        2        1  mutex      mutex              lock                 add  {add-lock}
   62        2        1  mutex      mutex              unlock               add  {add-unlock}
   60        2        3  mutex      box                lock                 put  {put-lock}
   60        2        3  mutex      box                unlock               put  {put-unlock}
    3        3        2  mutex      (heap or mapping)  lock                 with  {with-lock}
    3        3        2  mutex      (heap or mapping)  unlock               with  {with-unlock}
    2        1        2  thread     -                  create thread        main  {create}
    2        2        2  thread     -                  thread begins        -
    2        1        2  thread     -                  join thread          main  {join}
    2        2        1  barrier    gate               at barrier           work  {wait}
    2        2        1  barrier    gate               after barrier        work  {wait}
    2        2        2  mutex      (stack)            lock                 with  {with-lock}
    2        2        2  mutex      (stack)            unlock               with  {with-unlock}
    2        2        1  rwlock     table              read lock            work  {read}
    2        2        1  rwlock     table              read/write unlock    work  {unread}
    2        1        1  semaphore  done               take from semaphore  main  {take}
    2        2        1  semaphore  done               post to semaphore    work  {post}

marks: how often; threads: how many of them; objects: how many different ones, those of each process
counted; call site: of the call in the recorded code
"""


def objects():
    """The program, and what must be reported of one run of it."""
    lines = {}
    for number, line in enumerate((h.PROG / "sync_objects.c").read_text().splitlines(), 1):
        if m := re.search(r";\s+/\* ([a-z-]+) \*/$", line):
            lines[m[1]] = f"sync_objects.c:{number}"
    path = h.compile("sync_objects", ["sync_objects.c"], "gcc",
                     ["-O1", "-g", "-pthread", "-fno-optimize-sibling-calls"])
    return path, re.sub(r"\{([a-z-]+)\}", lambda m: lines[m[1]], OBJECTS)


def report(trace, *options):
    """The first line without the trace's name, and the table."""
    r = h.bobbin("report", "--no-pager", "--by=sync", *options, trace)
    h.check(r.status == 0, f"{r}")
    head, _, table = r.out.decode().partition("\n\n")
    return head.split(": ", 1)[1], table


def times(table, n):
    """The table of n such processes. No number has more digits."""
    return re.sub(r"^ +(\d+) +(\d+) +(\d+)",
                  lambda m: "%5d  %7d  %7d" % tuple(int(x) * n for x in m.groups()), table,
                  flags=re.M)


def whatever_site(table):
    """Marks by kind, object and what threads do."""
    found = collections.Counter()
    for line in table.splitlines()[1:-3]:
        count, _, _, *what = re.split("  +", line.strip())
        found[tuple(what[:3])] += int(count)
    return found


@suite.case("report: by object and call site, both engines, raw, and of two processes")
def by_object():
    path, want = objects()
    for engine in ENGINES:
        if engine == "valgrind":
            h.need("valgrind")
        trace = h.record([path], ["--mem", f"--engine={engine}"]).trace
        got = report(trace)
        h.check(got == ("272 marks of synchronisation in 3 threads", want),
                f"{engine}\n{got[0]}\n{got[1]}")
        out = h.bobbin("report", "--no-pager", trace).out.decode()
        h.check("\nsynchronisation: 272 marks; bobbin report --by=sync\n" in out, out)
    some = report(trace, "-g", "0.0")[1].splitlines()
    h.check(some[1].split()[:4] == ["2", "1", "2", "thread"] and len(some) == 9, "\n".join(some))
    some = report(trace, "--limit=2")[1].splitlines()
    h.check(re.fullmatch(r"... 15 more rows with \d+ marks \([\d.]+%\); --limit=0 shows all",
                         some[3]), "\n".join(some))
    raw = report(h.record([path], ["--mem", "--codec=none"]).trace)
    h.check(raw[0] == got[0] and whatever_site(raw[1])
            == whatever_site(want.replace("(stack)          ", "(heap or mapping)")),
            f"raw\n{raw[1]}")
    h.check(all(line.endswith("  -") for line in raw[1].splitlines()[1:-3]), f"raw\n{raw[1]}")
    two = h.record(["sh", "-c", f"{path} & {path}; wait"], ["--mem"]).trace
    for step in ("apart", "merged"):
        got = report(two)
        h.check(got[1] == times(want, 2), f"{step}\n{got[1]}")
        h.check(h.bobbin("merge", "-q", two).status == 0, "merge")
    h.check((two / "trace.bob").exists(), "not merged")


@suite.case("report: objects that follow no rule are counted, too")
def any_object():
    head, table = report(record("native", "many", "200"))
    rows = [re.split("  +", line.strip()) for line in table.splitlines()[1:]]
    want = [["1,600", "8", "8", "mutex", "ten", what] for what in ("lock", "unlock")]
    h.check([r[:6] for r in rows[:2]] == want, f"{head}\n{table}")
    h.check(head == "3,224 marks of synchronisation in 9 threads", head)


@suite.case("report: teams, critical sections, and what cannot be asked")
def teams():
    _, table = report(record("native", "omp"), "--limit=0")
    rows = [re.split("  +", line.strip()) for line in table.splitlines()[1:]]
    for want in (["8", "4", "1", "critical", "named", "critical begins"],
                 ["8", "4", "1", "critical", "-", "critical ends"],
                 ["2", "1", "1", "team", "-", "parallel region"],
                 ["6", "3", "1", "team", "-", "thread enters region"]):
        h.check(want in [r[:6] for r in rows], f"{want}\n{table}")
    alone = h.compile("mem_paths", ["mem_paths.c"], "gcc",
                      ["-O1", "-g", "-fno-optimize-sibling-calls"])
    nothing = h.record([alone], ["--mem"]).trace
    h.check(report(nothing) == ("0 marks of synchronisation in 1 thread\n", ""),
            f"{report(nothing)}")
    h.check(b"synchronisation" not in h.bobbin("report", "--no-pager", nothing).out,
            "there is none")
    calls = h.record(["expr", "1", "+", "2"]).trace
    r = h.bobbin("report", "--by=sync", calls)
    h.check(r.status == 2 and r.err.count(b"\n") == 1, f"{r}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
