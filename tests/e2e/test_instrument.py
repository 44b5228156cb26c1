#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bobbin instrument: from commands and sources to a trace. What a program does with its variables is computed here again, access by
access, and must be what `replay` has; the program's output must not change."""
import re
import subprocess
import sys

import harness as h

suite = h.Suite("instrument")
N = 12


def instrument(name, commands, sources, *flags, fails=False):
    """A directory with the instrumented copies; or what was complained about."""
    out = h.fresh("instrument") / name
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", str(out), *(["--", *flags] if flags else [])], input="\n".join(commands) + "\n",
                       text=True, capture_output=True, cwd=h.PROG / "source")
    if fails:
        assert r.returncode == 1 and not out.exists(), (r, out.exists())
        assert len(r.stderr.splitlines()) == 1, r.stderr
        return r.stderr
    assert r.returncode == 0, r.stderr
    for s in sources:
        assert (out / s).exists()
    return out


def build(out, files, name, cc="gcc", flags=("-O2",)):
    exe = out / name
    subprocess.run([cc, *flags, f"-I{out}", *[str(out / f) for f in files], "-o", str(exe)], check=True, cwd=out)
    return exe


def accesses(exe, args, name):
    """(variable number, offset, bytes, kind, line) of each access; the program's output."""
    trace = exe.parent / f"{name}.trace"
    plain = subprocess.run([str(exe), *args], capture_output=True, text=True, check=True)
    r = subprocess.run([str(h.BOBBIN), "record", "-q", "--source", "-o", str(trace), "--", str(exe), *args], capture_output=True, text=True)
    assert (r.returncode, r.stdout) == (plain.returncode, plain.stdout), (r, plain)
    return trace, plain.stdout


def replayed(trace):
    out = subprocess.run([str(h.BOBBIN), "replay", "--mem", str(trace)], capture_output=True, text=True, check=True).stdout
    rows = []
    for line in out.splitlines():
        m = re.match(r"([LS]) 0x([0-9a-f]+) (\d+) ", line)
        assert m or line.startswith("#"), line
        if m:
            a = int(m[2], 16)
            rows.append(({"L": "load", "S": "store"}[m[1]], int(m[3]), (a >> 36 & 0xfff) - 1, a & (1 << 36) - 1))
    return rows


def stencil(steps):
    """What stencil.c does with a (0), b[2..5][..] (1), total (2) and s of sum (3)."""
    out = []

    def touch(kind, array, i, j):
        if array == 0 or 2 <= i <= 5:
            out.append((kind, 8, array, 8 * (N * i + j)))

    def smooth(to, source):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                touch("load", source, i - 1, j)
                touch("load", source, i + 1, j)
                touch("store", to, i, j)

    def total(array, row):
        out.append(("store", 8, 3, 0))
        for i in range(N):
            touch("load", array, row, i)
            out.append(("load", 8, 3, 0))
            out.append(("store", 8, 3, 0))
        out.append(("load", 8, 3, 0))
    for j in range(N):
        touch("store", 0, 0, j)
    for _ in range(steps):
        smooth(1, 0)
        smooth(0, 1)
    total(0, 1)
    total(1, 2)
    out += [("store", 8, 2, 0), ("load", 8, 2, 0)]
    return out


WISHES = ["trace file stencil.c", "trace variable a", "trace variable b[2..5][..]", "trace variable total", "trace variable sum:s", "bye"]


@suite.case("C: every access, in order, whatever compiles it")
def every_access():
    out = instrument("stencil", WISHES, ["stencil.c", "bobbin/probe.h"])
    want = None
    for cc in ("gcc", "clang"):
        for level in ("-O0", "-O3"):
            name = f"stencil{cc}{level}"
            trace, _ = accesses(build(out, ["stencil.c"], name, cc, (level,)), ["2"], name)
            rows = replayed(trace)
            want = want or by_name(out / "stencil.c", stencil(2))
            assert rows == want, next((i, g, w) for i, (g, w) in enumerate(zip(rows, want)) if g != w)


def by_name(file, rows):
    """Numbers of variables are the instrumenter's: its table tells them."""
    table = file.read_text().split("struct bob_probe_variable")[1].split("};")[0]
    names = re.findall(r'\{"([^" ]+)[^"]*"', table)
    return [(k, n, names.index(("a", "b", "total", "s")[v]), o) for k, n, v, o in rows]


@suite.case("the trace does not grow with the steps")
def constant():
    out = instrument("stencil", WISHES, ["stencil.c"])
    exe = build(out, ["stencil.c"], "program")
    sizes = []
    for steps in ("20", "2000"):
        trace, _ = accesses(exe, [steps], "steps" + steps)
        text = subprocess.run([str(h.BOBBIN), "info", "--json", str(trace)], capture_output=True, text=True, check=True).stdout
        sizes.append(int(re.search(r'"stream_bytes": (\d+)', text)[1]))
    assert sizes[1] <= sizes[0] + 16, sizes


@suite.case("commands that are wrong")
def wrong():
    for commands, text in (
            (["trase file x"], "commands:1:1: 'trase' is no command"),
            (["trace file stencil.c", "trace variable a[1.."], "commands:2:21: ']' was expected"),
            (["trace file missing.c"], "commands:1: missing.c: No such file"),
            (["trace file stencil.txt"], "not a C or Fortran file by its name"),
            (["# nothing", ""], "no file was named"),
            (["trace variable a"], "`trace file F` comes first"),
            (["trace file stencil.c", "trace file ../source/stencil.c"], "would have the same name")):
        got = instrument("wrong", commands, [], fails=True)
        assert text in got, (text, got)


@suite.case("a directory that is there, or cannot be made")
def places():
    out = instrument("there", WISHES, ["stencil.c"])
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", str(out)], input="\n".join(WISHES), text=True, capture_output=True, cwd=h.PROG / "source")
    assert r.returncode == 1 and "is there already" in r.stderr
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", "/proc/none/x"], input="\n".join(WISHES), text=True, capture_output=True, cwd=h.PROG / "source")
    assert r.returncode == 1 and "cannot write" in r.stderr


@suite.case("commands of a file, show and undo")
def session():
    spec = h.fresh("instrument") / "spec"
    spec.write_text("trace file stencil.c\ntrace variable nothing\nundo\ntrace variable a from 1 to 99\nshow\nbye\nnot read\n")
    out = spec.parent / "session"
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", str(out), str(spec), "--", "-DUNUSED"], text=True, capture_output=True, cwd=h.PROG / "source")
    assert r.returncode == 0, r.stderr
    assert r.stdout.startswith("trace file stencil.c\ntrace variable a from 1 to 99\n"), r.stdout
    assert f"cc -I{out} -DUNUSED -c {out}/stencil.c" in r.stdout


sys.exit(suite.run())
