#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Events that are under way when the program ends, however it ends: they are shown with what was known when they began,
strings too, and no reader stumbles over them. Also while the program runs, and after a merge."""

import os
import re
import signal
import subprocess
import sys

import harness as h

suite = h.Suite("open events")
FLAGS = ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{h.ROOT / 'include'}"]
OPEN = "IN PROGRESS when recording ended"
STEPS = ["loop 0, 10 times", "step(n=0..9)"]
LONG = r"\xc0" * 199
SHOWN = {
    "none": ["none(fd=7)"],
    "string": ['wait(fd=7, what="for work")'],
    "long": [f'wait(fd=7, what="{LONG}")'],
    "nested": ['begin wait(fd=7, what="for work")', "step(n=10)", 'wait(fd=8, what="in it")'],
}


def expected(who, what, how):
    """A thread that comes to its end says that its events have begun, as events of their own."""
    *before, last = SHOWN[what]
    ends = who == "own" and how in ("exit", "_exit")
    return [*STEPS, *before, f"begin {last}" if ends else f"{last}  {OPEN}"]


def recorded(who, what, how):
    """The trace, and who still runs and is to be killed, if anybody."""
    program = h.compile("ends", ["events/ends.c"], "gcc", FLAGS, [])
    if how != "hang":
        r = h.record([program, who, what, how], ["--events"])
        native = h.run([program, who, what, how])
        h.same(native, r)
        return r.trace, None
    trace = h.fresh("trace") / "t"
    argv = [h.BOBBIN, "record", "-q", "-o", trace, "--events", "--", program, who, what, how]
    p = subprocess.Popen([str(a) for a in argv], env=h.environment(), stdout=subprocess.PIPE, start_new_session=True)
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
    told = re.search(r"began and never ended [^:]*: (\d+) event", report)
    h.check(left == int(told[1] if told else 0), report)
    for form in ("csv", "chrome"):
        read("export", f"--format={form}", "-o", h.fresh("export") / "x", trace)


def matrix(who, what, how):
    want = expected(who, what, how)
    trace, running = recorded(who, what, how)
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


for who in ("own", "other"):
    for what in SHOWN:
        for how in ("exit", "_exit", "exec", "kill", "hang"):
            suite.add(f"{who} {what} {how}", matrix, who, what, how)

if __name__ == "__main__":
    sys.exit(suite.run())
