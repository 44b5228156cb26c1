#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Events that are under way when the program ends, however it ends: they are shown with what was
known when they began, strings too, and no reader stumbles over them. Also while the program runs,
and after a merge."""

import os
import re
import signal
import subprocess
import sys

import harness as h

suite = h.Suite("open events")
FLAGS = ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{h.ROOT / 'include'}"]
OPEN = "IN PROGRESS when recording ended"
STEPS = {"events": ["loop 0, 10 times", "step(n=0..9)"],
         "wrapped": ["loop 0, 10 times", "step(n=0..9) -> result=1..10"]}
LONG = r"\xc0" * 199
PROGRAMS = {
    "events": ("events/ends.c", ["--events"]),
    "wrapped": ("events/ends_wrapped.c",
                ["--events", "--wrap", h.PROG / "events/ends_wrapped.spec"]),
}
SHOWN = {
    "none": ["none(fd=7)"],
    "string": ['wait(fd=7, what="for work")'],
    "long": [f'wait(fd=7, what="{LONG}")'],
    "nested": ['begin wait(fd=7, what="for work")', "step(n=10)", 'wait(fd=8, what="in it")'],
}


WRAPPED = {
    **SHOWN,
    "string": ['wait_for(fd=7, what="for work")'],
    "long": [f'wait_for(fd=7, what="{LONG}")'],
    "nested": ['begin wait_deeper(fd=7, what="for work")', "step(n=10) -> result=11",
               'wait_for(fd=8, what="in it")'],
}


def expected(by, who, what, how):
    """A thread that comes to its end says that its events have begun, as events of their own."""
    *before, last = (WRAPPED if by == "wrapped" else SHOWN)[what]
    ends = who == "own" and how in ("exit", "_exit")
    return [*STEPS[by], *before, f"begin {last}" if ends else f"{last}  {OPEN}"]


def recorded(by, who, what, how):
    """The trace, and who still runs and is to be killed, if anybody."""
    source, opts = PROGRAMS[by]
    program = h.compile(f"ends_{by}", [source], "gcc", FLAGS, [])
    if how != "hang":
        r = h.record([program, who, what, how], opts)
        native = h.run([program, who, what, how])
        h.same(native, r)
        return r.trace, None
    trace = h.fresh("trace") / "t"
    argv = [h.BOBBIN, "record", "-q", "-o", trace, *opts, "--", program, who, what, how]
    p = subprocess.Popen([str(a) for a in argv], env=h.environment(), stdout=subprocess.PIPE,
                         start_new_session=True)
    h.check(p.stdout.readline() == b"there\n", "it does not hang")
    return trace, p


def shown(trace):
    lines = read("show", trace).splitlines()
    at = [i for i, line in enumerate(lines) if line.strip().startswith("loop 0, 10 times")]
    h.check(len(at) == 1, f"{lines}")
    return [line.strip().split("   ")[0] for line in lines[at[0]:]]


def read(*args):
    r = h.bobbin(*args)
    h.check(r.status == 0 and not r.err, f"{args}: {r}")
    return r.out.decode()


def check(trace, want):
    have = shown(trace)
    h.check(have == want, f"{have}")
    report = read("report", trace)
    h.check(("not complete" in report) == (OPEN in want[-1]), report)
    left = sum(line.startswith("begin ") for line in have)
    reported = re.search(r"began and never ended [^:]*: (\d+) event", report)
    h.check(left == int(reported[1] if reported else 0), report)
    for form in ("csv", "chrome"):
        read("export", f"--format={form}", "-o", h.fresh("export") / "x", trace)


def matrix(by, who, what, how):
    want = expected(by, who, what, how)
    trace, running = recorded(by, who, what, how)
    try:
        check(trace, want)
    finally:
        if running:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
    if running:
        h.await_end(trace)
        check(trace, want)
    h.check_trace(trace)
    read("merge", "-q", trace)
    check(trace, want)


for by in PROGRAMS:
    for who in ("own", "other"):
        for what in SHOWN:
            for how in ("exit", "_exit", "exec", "kill", "hang"):
                suite.add(f"{by} {who} {what} {how}", matrix, by, who, what, how)

if __name__ == "__main__":
    sys.exit(suite.run())
