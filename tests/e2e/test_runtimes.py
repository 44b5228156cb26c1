#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Interpreters, run times and languages that make code, move stacks, take signals and unwind in
their own ways: a program of each does the same recorded, and its trace is whole. What is missing
on this machine is skipped, with its name. BOBBIN_TEST_LONG=1: --mem of the large ones, too."""

import os
import sys

import harness as h

suite = h.Suite("runtimes")
PROGRAMS = h.PROG / "runtimes"
MODES = {f"images={x}": [f"--images={x}"] for x in ("main", "app", "all")}
MODES["mem"] = ["--mem", "--engine=native"]


def source(name):
    return str(PROGRAMS / name)


def tool(path):
    """Not one that a version manager puts in front of it."""
    h.need(path)
    return path


def built(name, argv, ending):
    """A program in a directory of its own, built once for each text; another has the same path."""
    text = (PROGRAMS / ending).read_bytes()
    directory = h.WORK / "runtimes" / f"{h.hashlib.sha256(text).hexdigest()[:16]}-{name}"
    if not directory.exists():
        directory.parent.mkdir(parents=True, exist_ok=True)
        temporary = h.fresh(name)
        env = h.environment({"GOCACHE": str(h.WORK / "gocache"), "GO111MODULE": "off",
                             "CGO_ENABLED": "1"})
        if "RUSTUP_HOME" not in os.environ:  # rustup keeps its compilers at home
            env["RUSTUP_HOME"] = os.path.expanduser("~/.rustup")
        r = h.run([*argv, source(ending)], cwd=temporary, env=env)
        h.check(r.status == 0, f"does not compile\n{r}")
        try:
            os.rename(temporary, directory)
        except OSError:  # another script was faster
            pass
    return directory


@h.cached
def rust(name, *flags):
    h.need("rustc")
    return [str(built(name, ["rustc", *flags, "-o", "p"], "work.rs") / "p")]


@h.cached
def go(text, name, *flags):
    h.need("go", "gcc")
    return [str(built(name, ["go", "build", *flags, "-o", "p"], text) / "p")]


@h.cached
def java(*flags):
    h.need("java", "javac")
    return ["java", *flags, "-cp", str(built("java", ["javac", "-d", "."], "Work.java")), "Work"]


# name: (the command, its --mem takes more than a few seconds)
COMMANDS = {
    "python3": (lambda: [tool("/usr/bin/python3"), source("work.py")], True),
    "pypy3": (lambda: [tool("pypy3"), source("work.py")], False),
    "perl": (lambda: [tool("perl"), source("work.pl")], True),
    "ruby": (lambda: [tool("ruby"), source("work.rb")], False),
    "guile": (lambda: [tool("guile-3.0"), "--no-auto-compile", source("work.scm")], False),
    "tcl": (lambda: [tool("tclsh"), source("work.tcl")], False),
    "lua": (lambda: [tool("lua5.4"), source("work.lua")], True),
    "luajit": (lambda: [tool("luajit"), source("work.lua")], False),
    "node": (lambda: [tool("node"), source("work.js")], True),
    "java": (java, False),
    "java interpreted": (lambda: java("-Xint"), False),
    "java version": (lambda: [tool("java"), "-version"], False),
    "rust": (lambda: rust("rust", "-O"), False),
    "rust debug": (lambda: rust("rust-debug", "-g"), False),
    "go dynamic": (lambda: go("work.go", "go-dynamic", "-ldflags=-linkmode=external"), False),
    "cgo": (lambda: go("cgo.go", "cgo"), False),
    "cgo pie": (lambda: go("cgo.go", "cgo-pie", "-buildmode=pie"), False),
}


def does_the_same(command, opts):
    argv = command()
    native = h.run(argv)
    h.check(native.status in (0, 3), f"the program fails natively\n{native}")
    r = h.record(argv, opts, timeout=300)
    h.same(native, r)
    h.check_trace(r.trace)
    info = h.info(r.trace)
    return f"{info['accesses'] if '--mem' in opts else info['events']}"


for name, (command, is_long) in COMMANDS.items():
    for mode, opts in MODES.items():
        if h.LONG or not (is_long and mode == "mem" or mode == "images=app"):
            suite.add(f"{name} {mode}", does_the_same, command, opts)


@suite.case("go static is refused")
def _():
    argv = go("work.go", "go-static")
    h.check(h.run(argv).status == 3, "the program fails natively")
    for opts in MODES.values():
        r = h.record(argv, opts)
        h.check((r.status, r.out, r.err.count(b"\n")) == (125, b"", 1), f"not refused\n{r}")
        h.check(b"statically linked" in r.err, f"no reason\n{r}")


@suite.case("go's own code is listed")
def _():
    r = h.record(go("cgo.go", "cgo"), ["--images=main"])
    text = h.bobbin("info", r.trace).out
    h.check(b"  Go\n" in text, f"not listed\n{h.show(text)}")
    dump = h.bobbin("dump", r.trace).out
    h.check(b"c_fib" in dump, "functions in C are not recorded")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
