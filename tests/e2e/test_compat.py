#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of other C libraries, languages, linkers, run times and tools: each behaves as without
recording, is traced if it can be, and if it is not, the trace says so and why. What is missing on
this machine is skipped, with its name."""

import sys

import harness as h
import truth

suite = h.Suite("compat")
IMAGES = ("main", "app", "all")
WORK_C = """
#include <stdio.h>
#include <stdlib.h>
static volatile int sink;
__attribute__((noinline)) int leaf(int x) { sink += x; return x * 3 + sink % 7; }
__attribute__((noinline)) int mid(int n)
{ int s = 0; for (int i = 0; i < n; i++) s += leaf(i); return s; }
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
"""
PLAIN_C = WORK_C + ('int main(void) { printf("%d %d\\n", mid(1000), fib(15)); fflush(stdout); '
                    'return 3; }\n')
PLAIN_CALLS = {"main": 1, "mid": 1, "leaf": 1000, "fib": 1973}
LIBRARY_C = "int odd(int a);\nint odd(int a)\n{\n\treturn 2 * a + 1;\n}\n"


def source(name, text):
    return h.put(h.WORK / "compat" / name, text)


def build(name, text, cc="gcc", flags=("-O1",), libs=(), ending="c"):
    h.need(cc)
    return h.compile(name, [source(f"{name}.{ending}", text)], cc, ("-w", *flags), libs)


def same(argv, opts=(), checked=True, **kw):
    """The recorded run, after comparing it with the native one."""
    native = h.run(argv, **kw)
    r = h.record(argv, opts, **kw)
    h.same(native, r, f"{' '.join(opts)}: ")
    if checked:
        h.check_trace(r.trace)
    return r


def calls(trace, names):
    """How often each was called, in all threads."""
    count = dict.fromkeys(names, 0)
    for _, _, events in h.dump(trace):
        for e in events:
            if e.entry and e.function in count:
                count[e.function] += 1
    return count


def has_calls(trace, want):
    got = calls(trace, want)
    h.check(got == want, f"calls {got}, made {want}")


# --- another C library ---


def musl_plain(images):
    has_calls(same([build("musl", PLAIN_C, "musl-gcc")], [f"--images={images}"]).trace, PLAIN_CALLS)


def musl_refused():
    """The libraries that record events need glibc: said before the program starts."""
    exe = build("musl", PLAIN_C, "musl-gcc")
    for options in (["--events"], ["--mpi=openmpi"], ["--calls", "--events"]):
        trace = h.fresh("musl") / "t"
        r = h.run([h.BOBBIN, "record", *options, "-o", trace, "--", exe])
        h.check(r.status == 125 and b"is linked with musl" in r.err and not r.out, str(r))
        h.check(not trace.exists(), "a trace was begun")


def musl_depth(program, images):
    h.need("musl-gcc")
    exe = h.compile(f"musl-{program}", [f"depth_{program}.c"], "musl-gcc",
                    ("-O2", "-w", "-pthread"))
    log = h.fresh("log") / "log"
    env = h.environment({"BOB_LOG": str(log)})
    r = same([exe], [f"--images={images}"], env=env)
    return truth.compare(truth.Log(log), h.dump(r.trace))


def process(opts):
    h.need("musl-gcc")
    exe = h.compile("musl-process", ["compat_process.c"], "musl-gcc", ("-O1", "-w", "-pthread"))
    library = build("musl-odd.so", LIBRARY_C, "musl-gcc", ("-O1", "-shared", "-fPIC"))
    r = same([exe, library, "odd"], opts)
    states = [p["state"] for p in h.info(r.trace)["process_list"] if p["exe"] == str(exe)]
    h.check(len(states) == 5, f"{len(states)} of 5 processes: {states}")
    if "--mem" in opts:
        h.check(h.info(r.trace)["accesses"] > 1000, "no accesses are recorded")
    elif "--images=main" not in opts:
        h.check(calls(r.trace, ["odd"]) == {"odd": 1},
                "the library that was opened is not recorded")


for mode in IMAGES:
    suite.add(f"musl plain {mode}", musl_plain, mode)
    suite.add(f"musl process {mode}", process, [f"--images={mode}"])
suite.add("musl: events are refused", musl_refused)
suite.add("musl process mem", process, ["--mem", "--engine=native"])
for program in ("args", "recurse", "alloca", "longjmp", "signal", "deep", "threads"):
    # Where a handler interrupts musl, which has no call frame information, its caller is found only
    # if it is hooked.
    for mode in ("all",) if program == "signal" else ("main", "all"):
        suite.add(f"musl depth {program} {mode}", musl_depth, program, mode)


# --- linkers ---


def linked_by(linker, images):
    h.need(*({"mold": "mold", "lld": "ld.lld", "gold": "gold"}[linker],))
    flags = {"mold": "-B/usr/libexec/mold", "lld": "-fuse-ld=lld", "gold": "-fuse-ld=gold"}[linker]
    exe = build(linker, PLAIN_C, flags=("-O1", flags))
    has_calls(same([exe], [f"--images={images}"]).trace, PLAIN_CALLS)


for linker in ("mold", "lld", "gold"):
    for mode in ("main", "all"):
        suite.add(f"linker {linker} {mode}", linked_by, linker, mode)


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
