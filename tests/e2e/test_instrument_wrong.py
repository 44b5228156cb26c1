#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bobbin instrument: what is wrong with commands, files and command lines is said in one line, and
nothing half-written is left."""
import re
import subprocess

import harness as h
from c_probes import why_not

suite = h.Suite("instrument_wrong")
FILES = {
    "ok.c": """#include <stdio.h>
#include "shared.h"
double a[10];
static int helper(int n) { return n + 1; }
int main(void)
{
	for (int i = 0; i < 10; i++)
		a[i] = helper(i);
	printf("%g %g\\n", a[3], b[3]);
	return 0;
}
""",
    "shared.h": "extern double b[10];\n",
    "bad.c": """double b[10];
void g(void)
{
	for (int i = 0; i < 10; i++)
		b[i] = i
}
""",
    # gcc compiles it, clang does not.
    "odd.c": """double b[10];
double outer(int i)
{
	double inner(int k)
	{
		return b[k];
	}
	return inner(i);
}
""",
}
TWO = "trace file ok.c\ntrace variable a\ntrace file bad.c\ntrace variable b\n"


def folder_with(commands, **more):
    folder = h.fresh("instrument_wrong")
    for name, text in {**FILES, **more, "commands": commands}.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def bobbin(folder, *argv, status=0):
    r = subprocess.run([str(h.BOBBIN), *argv], cwd=folder, text=True, capture_output=True,
                       stdin=subprocess.DEVNULL, errors="replace")
    assert r.returncode == status, r
    return r


@suite.case("a C file with an error stays as it is, and the others have their probes")
def left():
    folder = folder_with(TWO)
    r = bobbin(folder, "instrument", "-o", "out", "commands")
    assert r.stderr == ("bobbin: instrument: bad.c:5:11: expected ';' after expression: the file "
                        "stays as it is, without probes\n"), r
    assert r.stdout.endswith("\nbad.c stays as it is, without probes\n"), r
    assert (folder / "out/bad.c").read_text() == FILES["bad.c"]
    assert "BOBBIN_" in (folder / "out/ok.c").read_text()
    assert re.search(r"^ok.c +1 +[1-9]", r.stdout, re.M) and re.search(r"^bad.c +0 +0 +0 ",
                                                                       r.stdout, re.M), r
    # The trace says it, too.
    (folder / "b.c").write_text("double b[10];\n")
    subprocess.run(["gcc", "-Iout", "-iquote.", "out/ok.c", "b.c", "-o", "program"], check=True,
                   cwd=folder)
    bobbin(folder, "record", "-q", "--source", "-o", "t", "--", "./program")
    assert ("ok.c: another file has no probes: bad.c:5:11: expected ';' after expression\n"
            in bobbin(folder, "info", "t").stdout)
    # An allocator may be called in the file that could not be read.
    folder = folder_with(TWO + "trace allocator taken size(1)\n")
    bobbin(folder, "instrument", "-o", "out", "commands")
    assert (folder / "out/ok.c").exists()


@suite.case("where no file can be read there is nothing to write")
def none_left():
    for commands, flags, said in (
            ("trace file bad.c\ntrace variable b\n", [], ["bad.c:5:11: expected ';' after "
                                                          "expression"]),
            (TWO, ["--", "-include", "none.h"], ["ok.c: 'none.h' file not found: the file stays as "
                                                 "it is, without probes",
                                                "bad.c: 'none.h' file not found: the file stays as "
                                                "it is, without probes",
                                                "no file could be read: nothing is written; the "
                                                "compiler's flags follow --"])):
        folder = folder_with(commands)
        r = bobbin(folder, "instrument", "-o", "out", "commands", *flags, status=1)
        assert r.stderr.splitlines() == [f"bobbin: instrument: {x}"
                                         for x in said] and not (folder / "out").exists(), r


@suite.case("--compile: a file with an error is compiled as it is, and what includes it goes on")
def compiled():
    folder = folder_with(TWO.replace("bad", "odd"))
    cc = ["instrument", "--compile", "commands", "--", "gcc"]
    r = bobbin(folder, *cc, "odd.c", "ok.c", "-o", "program")
    assert re.fullmatch(r"bobbin: instrument: odd.c:5:2: .*: the file stays as it is, without "
                        r"probes\n", r.stderr), r
    bobbin(folder, "record", "-q", "--source", "-o", "t", "--", "./program")
    rows = bobbin(folder, "replay", "--mem", "--subscripts", "t").stdout
    assert sorted(set(re.findall(r"a\[\d\]", rows))) == [f"a[{i}]" for i in range(10)], rows
    # The other way round: one that is compiled goes on without the one that cannot be read.
    r = bobbin(folder, *cc, "-c", "ok.c")
    assert re.fullmatch(r"bobbin: instrument: \./odd.c:5:2: .*; so ok.c is read without it\n",
                        r.stderr), r
    (folder / "commands").write_text(TWO)
    r = bobbin(folder, *cc, "-c", "bad.c", status=1)
    assert ("bad.c:5:11: expected ';' after expression: the file stays as it is" in r.stderr
            and "bad.c:5:" in r.stderr.split("probes", 1)[1]), r


@suite.case("what a file does not have: which command it is, with its column, and what may have "
            "been meant")
def not_there():
    for commands, said in (
            (["trace variable alpha from 100 to 200"],
             "2:16: ok.c: there is no line 100: it has 11"),
            (["", "trace variable helpr:n"],
             "3:22: ok.c: there is no function helpr; did you mean helper?"),
            (["trace variable helper:a"],
             "2:23: ok.c: there is no variable a in helper; did you mean a, of the file?"),
            (["trace variable a->x"], "2:16: ok.c: there is no use of a pointer a->x: what is no "
             "pointer is traced with its variable, a"),
            (["trace variable /block/a"],
             "2:23: ok.c: C has no COMMON blocks: name the variable alone"),
            (["trace variable mod%a"], "2:20: ok.c: C has no modules: F:x is the x of function F"),
            (["trace variable a[1][1][1][1][1][1][1][1][1]"],
             "2:16: ok.c: too many subscripts for C"),
            (["trace allocator take size(1)"],
             "2:17: there is no call of take in the C files of the command")):
        folder = folder_with("\n".join(["trace file ok.c", *commands, "bye", ""]))
        r = bobbin(folder, "instrument", "-o", "out", "commands", status=1)
        assert (r.stderr == f"bobbin: instrument: commands:{said}\n" and r.stdout == ""
                and not (folder / "out").exists()), r
    for name in ("empty.f90", "empty.c"):
        folder = folder_with(f"trace file {name}\ntrace variable x\n", **{name: ""})
        r = bobbin(folder, "instrument", "-o", "out", "commands", status=1)
        assert r.stderr == f"bobbin: instrument: commands:2:16: {name}: there is no variable x\n", r
    # --compile says it the same way.
    folder = folder_with("trace file ok.c\ntrace variable z\n")
    r = bobbin(folder, "instrument", "--compile", "commands", "--", "gcc", "-c", "ok.c", status=1)
    assert (r.stderr == "bobbin: instrument: commands:2:16: ok.c: there is no variable z\n"
            and not (folder / "ok.o").exists()), r


@suite.case("files and command lines that make no sense: one line, and nothing is written")
def senseless():
    good = "trace file ok.c\ntrace variable a\n"
    for commands, argv, status, said in (
            (good, ["none"], 1, "none: No such file or directory"),
            (good, ["folder.c/.."], 1, "folder.c/..: Is a directory"),
            (good, ["ok.c"], 2,
             "ok.c is a source: COMMANDS is a file with `trace file ok.c` and more"),
            (good, ["commands", "--flat"], 2,
             "--flat after COMMANDS: options go before, and flags of the compiler after --"),
            (good, ["commands", "-O2"], 2,
             "-O2 after COMMANDS: options go before, and flags of the compiler after --"),
            (good, ["commands", "ok.c"], 2,
             "ok.c after COMMANDS: options go before, and flags of the compiler after --"),
            (good, ["commands", "--", "-O2", "--flat"], 2,
             "--flat is an option: write it before COMMANDS"),
            (good, ["commands", "--", "gcc", "-O2"], 2,
             "gcc is no flag of a compiler; to run a compiler, --compile"),
            (good, ["commands", "--", "-O2", "ok.c"], 2,
             "ok.c is no flag: `trace file ok.c` in COMMANDS names it"),
            ("trace file folder.c\n", ["commands"], 1, "commands:1: folder.c is no file of text"),
            ("trace file none.c\n", ["commands"], 1,
             "commands:1: none.c: No such file or directory"),
            ("trace file 'ok.c'\n", ["commands"], 1,
             "commands:1: 'ok.c' is not a C or Fortran file by its name (.c, .f, .f90, ...)"
             ": the name is the rest of the line, without quotes"),
            ("trace file ok.c trace variable a\n", ["commands"], 1,
             "commands:1: ok.c trace variable a is not a C or Fortran file by its name"
             " (.c, .f, .f90, ...): the name is the rest of the line, without quotes"),
            (b"\x7fELF\0\0\n", ["commands"], 1, "commands:1:5: a zero byte: this is no text"),
            ("", ["commands"], 1, "commands: no file was named: nothing to do"),
            (good + "trace variable A[1,2]\n", ["commands"], 1,
             "commands:3:19: a subscript, or first..last, was expected")):
        folder = folder_with(commands)
        (folder / "folder.c").mkdir()
        r = bobbin(folder, "instrument", "-o", "out", *argv, status=status)
        assert (r.stderr.removesuffix("; see bobbin instrument --help\n").rstrip("\n")
                == f"bobbin: instrument: {said}"), (said, r)
        assert (r.stdout == "" and sorted(p.name for p in folder.iterdir())
                == sorted([*FILES, "commands", "folder.c"])), r


@suite.case("lines that end as Windows has them, and a mark before the first")
def windows():
    folder = folder_with("\ufefftrace file ok.c\r\n\r\ntrace variable a from 1 to 9999\r\nbye\r\n")
    r = bobbin(folder, "instrument", "-o", "out", "commands", "--", "-I", "ok.c", "-O1")
    assert re.search(r"^ok.c +1 +2", r.stdout, re.M), r
    folder = folder_with("\ufefftrase file ok.c\r\n")
    assert "commands:1:1: " in bobbin(folder, "instrument", "commands", status=1).stderr


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        raise SystemExit(77)
    raise SystemExit(suite.run())
