#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""A program loses what a recorder might need -- its user, its root directory, its descriptors, its
limits, its system calls -- and every call is recorded all the same, also of a child; the helper
outside is killed or stopped, the directory goes away, and the program does what it did."""

import os
import re
import shutil
import signal
import subprocess

import sys

import harness as h

suite = h.Suite("storage")
CALLS, CHILD = 3000000, 1000
ROOT_ONLY = ("user", "effective user", "root", "mounts")
LOSSES = (*ROOT_ONLY, "descriptors", "open files", "file size", "address space", "system calls")
NO_CHILD = ("system calls",)
# no socket without a descriptor: a child has no file
NO_CHILD_FILE = ("descriptors", "open files")


def program():
    return h.compile("storage", ["storage.c"], "gcc", ["-O1", "-Wall", "-Wextra", "-Werror"])


def need_root(what):
    if what in ROOT_ONLY and os.geteuid():
        raise h.Skip("needs root")


def calls_of(trace):
    return [sum(t["events"] for t in p["thread_list"]) for p in h.info(trace)["process_list"]]


def recorded(what, opts):
    """Every call is there, by count."""
    need_root(what)
    argv = [program(), what, str(CALLS)]
    native = h.run(argv)
    h.check(native.status == 3, f"{native}")
    r = h.record(argv, opts)
    h.same(native, r)
    h.check_trace(r.trace)
    got = calls_of(r.trace)
    h.check(got[0] >= CALLS + 3, f"{got} calls, {CALLS} made")
    if what not in NO_CHILD and (what not in NO_CHILD_FILE or len(got) > 1):
        h.check(len(got) == 2 and got[1] >= CHILD + 1, f"{got} calls, of the child {CHILD} made")
    if what == "nothing":
        return ""
    # what was allocated ahead is released
    sizes = [f.stat().st_size for f in r.trace.glob("p*.bob")]
    h.check(sum(sizes) < 1600 << 10, f"files of {sizes} bytes")
    return f"{got[0]} calls"


for what in ("nothing", *LOSSES):
    suite.add(f"without {what}", recorded, what, ["--images=main"])


def accesses(what):
    need_root(what)
    argv = [program(), what, "100000"]
    native = h.run(argv)
    r = h.record(argv, ["--mem"])
    h.same(native, r)
    h.check_trace(r.trace)
    whole = h.record([program(), "nothing", "100000"], ["--mem"])
    got, want = (h.info(t)["process_list"][0]["thread_list"][0]["accesses"]
                 for t in (r.trace, whole.trace))
    # the programs differ in what they do to lose it
    h.check(abs(got - want) < 5000 and want > 100000, f"{got} accesses, {want} if nothing is lost")


for what in ("user", "root", "descriptors"):
    suite.add(f"without {what}, memory", accesses, what)


@suite.case("another program after the user is lost")
def _():
    need_root("user")
    argv = [program(), "user", "1000", "/bin/true"]
    r = h.record(argv, ["--images=main"])
    h.same(h.run(argv), r)
    h.check_trace(r.trace)
    exes = [p["exe"] for p in h.info(r.trace)["process_list"]]
    h.check(any(e.endswith("/true") for e in exes), f"{exes}")


# --- the helper ---


def started(p, trace):
    """The program has a file; returns its pid."""
    def there():
        found = [re.match(r"p.*\.(\d+)\.0\.bob", f.name) for f in trace.glob("p*.bob")]
        pid[:] = [int(m[1]) for m in found if m]
        return pid
    pid = []
    h.until(there, "the program has not started")
    return pid[0]


def starve(helper, program):
    """The program leaves it no time: they share a processor, and the helper runs when that is
    idle."""
    one = {min(os.sched_getaffinity(0))}
    for pid in (helper, program):
        os.sched_setaffinity(pid, one)
    os.sched_setscheduler(helper, os.SCHED_IDLE, os.sched_param(0))


def helper(sig, what):
    """The launcher is killed, stopped and continued, or starved (`sig` is None) while the program
    records."""
    need_root(what)
    argv = [program(), what, "20000000"]
    native = h.run(argv)
    trace = h.fresh("trace") / "t"
    with subprocess.Popen([h.BOBBIN, "record", "-q", "-o", trace, "--images=main", "--", *argv],
                          env=h.environment(), stdout=subprocess.PIPE) as p:
        pid = started(p, trace)
        if sig:
            os.kill(p.pid, sig)
        else:
            starve(p.pid, pid)
        if sig == signal.SIGSTOP:
            out = p.stdout.read(len(native.out))  # the program ends without help
            os.kill(p.pid, signal.SIGCONT)
            out += p.stdout.read()
        else:
            out = p.stdout.read()
        p.wait(h.TIMEOUT)
    h.check(out == native.out, f"{out}, natively {native.out}")
    h.await_end(trace)
    r = h.bobbin("check", trace)
    h.check(r.status in (0, 3), f"{r}")
    if r.status == 3:
        h.check(b"recording stopped before the program" in r.out or h.intact(r), f"{r}")
    return r.out.decode().splitlines()[0]


for what in ("nothing", "user", "system calls"):
    suite.add(f"the helper is killed, without {what}", helper, signal.SIGKILL, what)
    suite.add(f"the helper is stopped, without {what}", helper, signal.SIGSTOP, what)
    suite.add(f"the helper is starved, without {what}", helper, None, what)


def directory(spoil):
    """Returns what check says of the trace afterwards, where there still is one."""
    argv = [program(), "nothing", "20000000"]
    native = h.run(argv)
    trace = h.fresh("trace") / "t"
    with subprocess.Popen([h.BOBBIN, "record", "-q", "-o", trace, "--images=main", "--", *argv],
                          env=h.environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as p:
        started(p, trace)
        left = spoil(trace)
        out, err = p.communicate(timeout=h.TIMEOUT)
    h.check((out, p.returncode) == (native.out, 3), f"{out}, status {p.returncode}\n{err}")
    return left


@suite.case("the directory is moved while it is recorded to")
def _():
    def move(trace):
        trace.rename(trace.with_name("moved"))
        return trace.with_name("moved")

    left = directory(move)
    r = h.bobbin("check", left)
    h.check(h.intact(r), f"{r}")
    h.check(calls_of(left)[0] >= 20000000, "calls are missing")


@suite.case("the directory is moved before the names of images are in it")
def _():
    def move(trace):
        for image in trace.glob("i*"):
            image.unlink()
        trace.rename(trace.with_name("moved"))
        return trace.with_name("moved")

    left = directory(move)
    r = h.bobbin("check", left)
    h.check(h.intact(r), f"{r}")
    r = h.bobbin("report", left)
    h.check(b"0x" not in r.out and b"main" in r.out, f"{r}")


@suite.case("the directory is read-only while it is recorded to")
def _():
    def lock(trace):
        trace.chmod(0o500)
        return trace

    left = directory(lock)
    left.chmod(0o700)
    r = h.bobbin("check", left)
    h.check(h.intact(r), f"{r}")


@suite.case("the directory is removed while it is recorded to")
def _():
    directory(shutil.rmtree)


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
