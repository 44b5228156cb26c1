#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Debuggers and tracers around and inside recorded programs: gdb says what it says without
recording, its breakpoints are hit, and the program ends as it does natively. Entries that are left
alone for a debugger are listed in the trace. BOBBIN_TEST_LONG=1: every build in every mode."""

import re
import subprocess
import sys
import time

import harness as h

suite = h.Suite("debuggers")
MODES = {
    "main": ["--images=main"],
    "all": ["--images=all"],
    "mem": ["--mem"],
}
BUILDS = {
    "O0": ("gcc", "-O0"),
    "O0 g": ("gcc", "-O0", "-g"),
    "O2 g": ("gcc", "-O2", "-g"),
    "O2 g no-pie": ("gcc", "-O2", "-g", "-no-pie"),
    "clang O2 g": ("clang", "-O2", "-g"),
}
GDB = ["gdb", "-nx", "-q", "-batch"]
for setting in ("debuginfod enabled off", "breakpoint pending on", "confirm off",
                "startup-with-shell off", "width 0"):
    GDB += ["-iex", f"set {setting}"]
BREAKPOINT, JUMP = "a debugger has set a breakpoint there", "a debugger could set a breakpoint"
ATTACHED = "not recorded since a debugger attached"


def program(build):
    cc, *flags = BUILDS[build]
    h.need("gdb", cc)
    return str(h.compile("debugged", ["debugged.c"], cc, flags))


def commands(words):
    return [x for w in words for x in ("-ex", w)]


def variables(trace, opts):
    """What `bobbin env` prints, as commands of gdb."""
    r = h.bobbin("env", "-o", trace, *opts)
    h.check(r.status == 0, f"bobbin env failed\n{r}")
    found = re.findall(r"export (\w+)='([^']*)'", r.out.decode())
    return [x for name, value in found for x in ("-iex", f"set environment {name} {value}")]


def plain(out):
    """Without what differs from run to run."""
    text = re.sub(r"\(?process \d+\)?", "process N", out.decode())
    # in the middle of a line: not stored yet
    text = re.sub(r"(0x[0-9a-f]+ in leaf \(x=)-?\d+", r"\1?", text)
    return re.sub(r"0x0*7f[0-9a-f]{10}", "ADDRESS", text)


def from_stop(out):
    """From where gdb stops the program for the first time."""
    m = re.search(r"^(Temporary breakpoint|Breakpoint) \d+, |^Program received", plain(out), re.M)
    h.check(m, f"gdb has not stopped the program\n{h.show(out)}")
    return plain(out)[m.start():]


def gdb(how, exe, words, opts):
    """The output of gdb, and the trace; `how`: with the variables, or with --exec."""
    trace = h.fresh("trace") / "t"
    if how == "env":
        argv = [*GDB, *variables(trace, opts), *commands(words), "--args", exe]
    else:
        record = [h.BOBBIN, "record", "-q", "--exec", "-o", trace, *opts, "--", exe]
        argv = [*GDB, *commands(words), "--args", *record]
    r = h.run(argv)
    h.check_trace(trace)
    return r, trace


def untraced(trace):
    r = h.bobbin("info", trace)
    h.check(r.status == 0, f"bobbin info failed\n{r}")
    return r.out.decode()


# --- gdb ---


def debugged(build, how, mode, words, reasons):
    exe = program(build)
    native = h.run([*GDB, *commands(words), "--args", exe])
    h.check(b"exited with code 03" in native.out, f"gdb itself does not get there\n{native}")
    r, trace = gdb(how, exe, words, MODES[mode])
    view = plain if how == "env" else from_stop
    h.check(view(r.out) == view(native.out),
            f"gdb says\n{h.show(view(r.out), 4000)}\n"
            f"--- natively\n{h.show(view(native.out), 4000)}")
    if mode != "mem":
        text = untraced(trace)
        for reason in reasons:
            h.check(reason in text, f"no word of {reason!r} in\n{text}")


BEFORE = ("handle SIGUSR1 nostop noprint", "break leaf", "break fib", "break body", "run",
          "bt", "finish", "delete 1", "continue", "bt", "up", "delete", "continue")
AFTER = ("handle SIGUSR1 stop print nopass", "run", "break *leaf+4", "break debugged.c:35",
         "break body", "continue", "bt", "step", "step", "bt", "continue", "bt", "delete",
         "tbreak fib", "continue", "bt", "finish", "continue")
AFTER_BARE = ("handle SIGUSR1 stop print nopass", "run", "break leaf", "break *body+4",
              "tbreak fib", "continue", "bt", "continue", "bt", "delete 1", "continue", "bt",
              "delete", "continue")
for how in ("env", "exec"):
    for build in BUILDS:
        for mode in MODES:
            if not h.LONG and (mode != "main" or how == "exec") and build != "O0 g":
                continue
            suite.add(f"breakpoints before start {how} {build} {mode}", debugged, build, how, mode,
                      BEFORE, [BREAKPOINT])
            if "g" not in build:
                words = AFTER_BARE
            elif "O0" in build:
                words = AFTER
            else:  # not inside an instruction; `step` leaves a hooked function at its entry
                words = tuple(w for w in AFTER if w not in ("break *leaf+4", "step"))
            suite.add(f"breakpoints after patching {how} {build} {mode}", debugged, build, how,
                      mode, words, [JUMP])


def attached(mode, words, texts):
    """gdb attaches to the waiting program; it ends as ever. Returns the trace."""
    exe = program("O0 g")
    trace = h.fresh("trace") / "t"
    with subprocess.Popen([h.BOBBIN, "record", "-q", "-o", trace, *MODES[mode], "--", exe, "wait"],
                          env=h.environment(), stdout=subprocess.PIPE) as p:
        pid = []

        def started():
            children = h.pathlib.Path(f"/proc/{p.pid}/task/{p.pid}/children").read_text().split()
            pid[:] = [c for c in children
                      if b"debugged\0wait" in h.pathlib.Path(f"/proc/{c}/cmdline").read_bytes()]
            return pid and "libbobbin-agent" in h.pathlib.Path(f"/proc/{pid[0]}/maps").read_text()

        h.until(started, "the program has not started")
        time.sleep(0.5)  # a debugger does not attach at once
        r = h.run([*GDB, *commands(words), "-p", pid[0]])
        out, _ = p.communicate(timeout=h.TIMEOUT)
    if b"ptrace: Operation not permitted" in r.out + r.err:
        raise h.Skip("this machine does not allow attaching")
    h.check((out, p.returncode) == (h.run([exe]).out, 3), f"{out}, status {p.returncode}\n{r}")
    for text in texts:
        h.check(text in r.out, f"no {text!r}\n{r}")
    h.check_trace(trace)
    return trace


def attached_inside(mode):
    """Breakpoints inside the jumps at entries, of which debuggers know nothing."""
    words = ("break *leaf+4", "break *body+4", "set var go = 1", "handle SIGUSR1 nostop",
             "continue", "bt", "continue", "bt", "finish", "delete", "detach")
    texts = (b"Breakpoint 2, body ()", b"in leaf (x=0)", b"in mid (n=3)", b"in body ()",
             b"Value returned is $1 = 0", b"in main (")
    trace = attached(mode, words, texts)
    text = untraced(trace)
    h.check("exit status 3; a debugger attached" in text, f"info does not say so:\n{text}")
    r = h.bobbin("check", trace)
    h.check(b"did not end cleanly" not in r.out, f"the agent did not see the end\n{r}")
    if mode != "mem":
        h.check(ATTACHED in text, f"no word of the functions that are released\n{text}")
        h.check(h.recorded(trace) > 0, "calls before are missing")


for mode in MODES:
    suite.add(f"a debugger that comes later {mode}", attached_inside, mode)


@suite.case("a debugger that comes later and sets breakpoints at functions")
def _():
    words = ("break leaf", "break fib", "set var go = 1", "handle SIGUSR1 nostop", "continue",
             "bt", "finish", "delete 1", "continue", "bt", "delete", "detach")
    attached("main", words, (b"Breakpoint 1, leaf", b"in mid (n=3)", b"in body ()",
                             b"Breakpoint 2, fib", b"in main ("))


@suite.case("gdb inside")
def _():
    exe = program("O0")
    words = commands(["handle SIGUSR1 nostop noprint", "break leaf", "run", "bt", "delete", "c"])
    argv = [*GDB, *words, exe]
    native, r = h.run(argv), h.record(argv, ["--images=main"])
    h.check(plain(native.out) == plain(r.out), f"gdb says\n{r}\n--- natively\n{native}")
    h.check((native.status, native.err) == (r.status, r.err), f"{r}\n--- natively\n{native}")
    h.check_trace(r.trace)
    h.check(BREAKPOINT in untraced(r.trace), "the entry with a breakpoint is not listed")


# --- tracers ---

TRACERS = {
    "strace": ("strace", "-f", "-o", "/dev/null"),
    "ltrace": ("ltrace", "-o", "/dev/null", "-x", "fib"),
    "valgrind": ("valgrind", "-q", "--error-exitcode=99"),
    "rr": ("rr", "record", "-n", "-o"),
}


def tracer(name):
    h.need(TRACERS[name][0])
    words = [*TRACERS[name]]
    if name == "rr":
        words.append(str(h.fresh("rr") / "r"))
        r = h.run([*words, "/bin/true"])
        if r.status:
            raise h.Skip(f"rr does not run on this machine: {r.err.decode().splitlines()[0]}")
    return words


def without_pid(text):
    return re.sub(rb"==\d+==", b"==N==", text)


def check_but_killed(trace):
    """strace kills children with which it tries what the kernel can, perhaps while one makes its
    file; such a file is empty."""
    r = h.bobbin("check", trace)
    wrong = [x for x in r.out.splitlines() if re.match(b"lost|missing", x)
             and not h.MAY_MISS.match(x)]
    h.check(all(x.endswith(b"the file is empty") for x in wrong), f"damaged\n{r}")


def inside(name, mode):
    argv = [*tracer(name), program("O2 g")]
    native, r = h.run(argv), h.record(argv, MODES[mode])
    native.err, r.err = without_pid(native.err), without_pid(r.err)
    h.same(native, r)
    check_but_killed(r.trace)


def around(name, mode):
    exe = program("O2 g no-pie" if name == "strace" else "O2 g")
    native, trace = h.run([*tracer(name), exe]), h.fresh("trace") / "t"
    record = [h.BOBBIN, "record", "-q", "--exec", "-o", trace, *MODES[mode], "--", exe]
    r = h.run([*tracer(name), *record])
    native.err, r.err = without_pid(native.err), without_pid(r.err)
    h.same(native, r)
    h.check_trace(trace)
    if name == "strace" and mode != "mem":
        h.check(JUMP not in untraced(trace), "strace is no debugger")
        h.check(h.recorded(trace) > 60, "calls are missing")


for name in TRACERS:
    for mode in MODES:
        if h.LONG or mode == "mem" or name == "strace":
            suite.add(f"{name} inside {mode}", inside, name, mode)
            if name != "valgrind":
                suite.add(f"{name} around {mode}", around, name, mode)


@suite.case("valgrind around")
def _():
    """The agent is not in what Valgrind runs."""
    h.need("valgrind")
    exe, trace = program("O2 g"), h.fresh("trace") / "t"
    argv = ["valgrind", "-q", "--error-exitcode=99", exe]
    text = h.bobbin("env", "-o", trace).out.decode()
    env = h.environment(dict(re.findall(r"export (\w+)='([^']*)'", text)))
    h.same(h.run(argv), h.run(argv, env=env))
    text = untraced(trace)
    h.check("replaced by exec" in text and exe not in text, f"Valgrind's program in\n{text}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
