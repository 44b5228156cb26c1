#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs built with sanitizers print the same reports with and without recording, and their run
times are never hooked. LeakSanitizer runs a task beside the program on a thread's own storage;
programs of ours do the same."""

import re
import sys

import harness as h

suite = h.Suite("sanitizers")
MODES = (["--images=main"], ["--images=app"], ["--images=all"], ["--mem", "--engine=native"])
MISTAKES = {"address": ("beyond", "leak"), "thread": ("race",), "undefined": ("overflow",),
            "leak": ("leak",), "memory": ("undecided",)}
OPTIONS = ("ASAN", "LSAN", "MSAN", "TSAN", "UBSAN")
# What differs from run to run: addresses, process numbers, which thread was there first.
VARIES = [(re.compile(p), b"X")
          for p in (rb"0x[0-9a-f]+", rb"==\d+==", rb"pid[ =:]*\d+", rb"tid=\d+",
                    rb"\(BuildId: \w+\)", rb"\bT\d+\b", rb"thread \d+")]


def filtered(r):
    for field in ("out", "err"):
        for pattern, word in VARIES:
            setattr(r, field, pattern.sub(word, getattr(r, field)))
    return r


def program(cc, sanitizer):
    if cc == "clang":
        h.need("clang")
    return h.compile(f"sanitized-{sanitizer}", ["sanitized.c"], cc,
                     ("-g", "-O1", "-w", "-fno-omit-frame-pointer", f"-fsanitize={sanitizer}",
                      "-pthread"))


def compare(cc, sanitizer, what, opts):
    exe = program(cc, sanitizer)
    # clang's run times start another program for names of functions: one of them does.
    names = int(cc == "gcc" or sanitizer == "address")
    env = h.environment({f"{s}_OPTIONS": f"symbolize={names}" for s in OPTIONS})
    native = filtered(h.run([exe, what], env=env))
    r = h.record([exe, what], opts, env=env)
    h.same(native, filtered(r))
    h.check_trace(r.trace)
    if what != "work" and sanitizer != "memory":
        h.check(b"Sanitizer" in native.err or b"runtime error" in native.err,
                f"nothing was found\n{native}")


for cc in ("gcc", "clang"):
    for sanitizer, mistakes in MISTAKES.items():
        if (cc, sanitizer) == ("gcc", "memory"):
            continue
        for what in ("work", *mistakes):
            for opts in MODES if sanitizer == "address" else MODES[2:]:
                suite.add(f"{cc} {sanitizer} {what} {opts[0]}", compare, cc, sanitizer, what, opts)


@suite.case("no run time is hooked")
def _():
    for sanitizer in ("address", "thread"):
        r = h.bobbin("plan", "--dump", program("clang", sanitizer))
        lines = [line for line in r.out.decode().splitlines()
                 if re.search(r"__(asan|tsan|sanitizer|lsan)", line)]
        hooked = [line for line in lines if re.search(r"\b(jmp|hole)\b", line)
                  and "sanitizer" not in line.split()]
        h.check(len(lines) > 1000 and not hooked, f"{len(lines)} functions, hooked: {hooked[:3]}")


def beside(how, opts):
    exe = h.compile("beside", ["beside.c"], "gcc", ("-O1", "-w"))
    native = h.run([exe, how])
    r = h.record([exe, how], opts)
    h.same(native, r)
    i = h.info(r.trace)
    if "--mem" in opts:
        h.check(b"shares a thread's storage" in h.bobbin("check", r.trace).out,
                "the end of the recording has no reason")
        h.check(i["accesses"] > 1_000_000, "what came before is missing")
        return
    h.check_trace(r.trace)
    h.check(i["events"] >= 900_003, f"{i['events']} calls of the thread itself")
    h.check(b"calls of tasks that share" in h.bobbin("check", r.trace).out,
            "the task's calls are not counted")


for opts in MODES[0], MODES[2]:
    for how in ("clone", "syscall"):
        suite.add(f"beside {how} {opts[0]}", beside, how, opts)
suite.add("beside clone --mem", beside, "clone", MODES[3])

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
