#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How descendants ended is in the trace as the waits of the recorded processes returned it: every
function that waits, waits in handlers, cancelled, left by jumps, for pids that are used again. Of a
child that no such wait returned nothing is claimed. The program sees the same as without us."""

import collections
import signal
import sys

import harness as h

suite = h.Suite("how waited")
MODES = {"calls": [], "all images": ["--images=all"], "memory": ["--mem"], "events": ["--events"],
         "valgrind": ["--mem", "--engine=valgrind"]}
WAYS = ("functions", "unwaited", "stops", "handler", "cancelled", "jumps", "orphans", "reused",
        "library", "core", "interrupted")
ENDS = {"exit": 3 << 8, "_exit": 3 << 8, "exit_group": 3 << 8, "abort": signal.SIGABRT,
        "segv": signal.SIGSEGV, "kill": signal.SIGKILL}
CORE = 0x80
FLAGS = ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"]


def waiting(compiler="gcc"):
    return h.compile(f"how_waited-{compiler}", ["how_waited.c"], compiler,
                     FLAGS if compiler == "gcc" else ["-O1", "-w", "-pthread"], [])


def ending():
    return h.compile("how_ended", ["how_ended.c"], "gcc", FLAGS + [f"-I{h.ROOT / 'include'}"], [])


def status_of(p):
    """As wait4 has it; None: unknown."""
    sig, code = p["signal"], p["exit_status"]
    h.check((p["state"] == "killed") == (sig is not None), p)
    if sig is None:
        h.check(not p["core_dumped"], p)
        return None if code is None else code << 8
    return sig | (CORE if p["core_dumped"] else 0)


def processes(trace):
    return h.info(trace)["process_list"]


def lines_of(r):
    """By pid, in order: status or None."""
    reported = collections.defaultdict(list)
    for line in r.out.decode().splitlines():
        if line != "skip":
            pid, status = line.split()
            reported[pid].append(None if status == "unknown" else int(status, 16))
    return reported


def known(trace):
    got = collections.defaultdict(list)
    for p in processes(trace)[1:]:
        got[str(p["pid"])].append(status_of(p))
    return got


def check_known(trace, want):
    got = known(trace)
    if "-" in want:  # any of them
        got = {"-": [s for of_pid in got.values() for s in of_pid]}
    h.check(got == want, f"{dict(got)}, not {dict(want)}")


def statuses(reported):
    return sorted(str(s) for of_pid in reported.values() for s in of_pid)


def way(name, mode, compiler="gcc"):
    if mode == "valgrind":
        h.need("valgrind")
    h.need(compiler)
    argv = [waiting(compiler), name]
    where = h.fresh("cwd")  # cores are dumped there
    native, traced = h.run(argv, cwd=where), h.record(argv, MODES[mode], cwd=where)
    h.check(native.status == 0 and traced.status == 0 and not traced.err, f"{native}\n{traced}")
    want = lines_of(traced)
    h.check(statuses(lines_of(native)) == statuses(want), f"{native}\n{traced}")
    check_known(traced.trace, want)
    h.intact(traced)
    for p in processes(traced.trace):
        for t in p["thread_list"]:
            h.check(not t["top_mismatch"], t)
    if name == "functions" and mode == "memory":
        r = h.bobbin("merge", traced.trace)
        h.check(r.status == 0, r)
        check_known(traced.trace, want)
    if b"skip" in traced.out:
        raise h.Skip("not on this machine")


def ended_as_reported(trace, count):
    """Each how_ended HOW among the processes ended so."""
    found = [p for p in processes(trace) if p["exe"].rsplit("/")[-1] == "how_ended"]
    h.check(len(found) == count, f"{len(found)} of {count}")
    for p in found:
        want = ENDS[p["command"][1]]
        h.check(status_of(p) == want, f"{p['command']}: {status_of(p)}, not {want}")


def under(argv, mode, count, **kw):
    native = h.run(argv, **kw)
    r = h.record(argv, MODES[mode], **kw)
    h.same(native, r)
    ended_as_reported(r.trace, count)
    return r.trace


def pipeline(mode):
    h.need("bash")
    e = ending()
    script = (f"exec 2>/dev/null; {e} kill | {e} segv | {e} exit | cat; echo ${{PIPESTATUS[@]}}; "
              f"{e} abort & wait $!; echo $?; {e} exit_group; echo $?; x=$({e} segv); true")
    under(["bash", "-c", script], mode, 6)


def shell_killed(mode):
    trace = under(["sh", "-c", f"{ending()} segv; {ending()} kill; kill -9 $$"], mode, 2)
    h.check(status_of(processes(trace)[0]) == signal.SIGKILL, processes(trace)[0])


PYTHON = """
import os, subprocess, sys
e = sys.argv[1]
print([subprocess.run([e, how]).returncode for how in ("kill", "segv", "exit")])
p = [subprocess.Popen([e, how]) for how in ("abort", "exit_group", "segv")]
print([x.wait() for x in p])
pid = os.posix_spawn(e, [e, "kill"], os.environ)
print(os.waitpid(pid, 0)[1])
pid = os.posix_spawn(e, [e, "segv"], os.environ)
print(os.waitid(os.P_PID, pid, os.WEXITED).si_status)
print(os.system(e + " kill"))
"""


def python(mode):
    under([sys.executable, "-c", PYTHON, ending()], mode, 9)


def make(mode):
    h.need("make")
    d = h.fresh("make")
    names = [f"{how}{i}" for how in ENDS for i in range(3)]
    rules = [f"{n}:\n\t-@{ending()} {n.rstrip('0123456789')} 2>/dev/null; true\n" for n in names]
    h.put(d / "Makefile", f"all: {' '.join(names)}\n" + "".join(rules))
    under(["make", "-s", "-j2", "-C", d], mode, len(names))


@suite.case("children are not followed")
def not_followed():
    argv = [waiting(), "handler"]
    traced = h.record(argv, ["--no-follow"])
    h.check(traced.status == 0 and len(processes(traced.trace)) == 1, traced)


for mode in ("calls", "all images", "memory"):
    for name in WAYS:
        suite.add(f"{name}, {mode}", way, name, mode)
for name in ("functions", "stops", "orphans"):
    suite.add(f"{name}, musl", way, name, "calls", "musl-gcc")
for mode in ("calls", "memory", "events"):
    suite.add(f"a pipeline, {mode}", pipeline, mode)
    suite.add(f"a shell that is killed, {mode}", shell_killed, mode)
    suite.add(f"python, {mode}", python, mode)
    suite.add(f"make, {mode}", make, mode)
suite.add("a shell that is killed, valgrind", shell_killed, "valgrind")

if __name__ == "__main__":
    sys.exit(suite.run())
