#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The C front end of the instrumenter: code in headers. A program writes what it wrote, and each
access of code in headers is in the trace, with the header's name and line; what has to stay is
counted."""
import os
import re
import shutil
import subprocess
import sys

import harness as h
from c_probes import why_not

suite = h.Suite("source c headers")
SOURCE = h.PROG / "source" / "headers"
WANT = {("x.h", 7): 8, ("far.h", 5): 1, ("e.h", 5): 1, ("once.h", 4): 2, ("once.h", 5): 1,
        ("tmpl.inc", 1): 2, ("main.c", 15): 8}


def run(*argv, folder, **kw):
    return subprocess.run([str(a) for a in argv], cwd=folder, text=True, capture_output=True,
                          check=True, **kw).stdout


def lines(folder, trace="t"):
    """{(file, line): accesses}"""
    out = {}
    for line in run(h.BOBBIN, "report", "--by=line", "-n", "0", trace, folder=folder).splitlines():
        m = re.match(r" *([\d,]+) +[\d.]+%.* (\S+):(\d+)  \w+$", line)
        if m:
            out[m[2], int(m[3])] = int(m[1].replace(",", ""))
    return out


def project(where):
    """A copy of the program in a folder of its own, and the folder to work in: beside the source,
    or above."""
    folder = h.fresh("headers")
    shutil.copytree(SOURCE, folder / "src")
    return folder / "src" if where == "." else folder


def build(where, requests=("trace variable a",), flags=(), cc="gcc", level="-O2"):
    folder = project(where)
    source = "main.c" if where == "." else f"{where}/main.c"
    flags = (*flags, f"-I{where}/include" if where != "." else "-Iinclude")
    said = run(h.BOBBIN, "instrument", "-o", "out", "--", *flags, folder=folder,
               input="\n".join([f"trace file {source}", *requests, ""]),
               env={**os.environ, "CC": cc})
    run(cc, level, *flags, source, "-o", "plain", folder=folder)
    # `cc` as it is printed: with the place of the headers in quotes
    how = next(line for line in said.splitlines() if line.startswith("    cc "))
    beside = [] if where != "." else ["-iquote", "."]
    run(cc, level, "-Wall", "-Werror", "-Wno-unused-function", *beside, *how.split()[1:], "-o",
        "program.o", folder=folder)
    run(cc, "program.o", "-o", "program", folder=folder)
    out = run(h.BOBBIN, "record", "-q", "--source", "-o", "t", "--", "./program", folder=folder)
    return folder, said, out, run("./plain", folder=folder)


@suite.case("functions and lines in headers: every access, and the program does what it did")
def all_kinds():
    for where, cc, level in (("src", "gcc", "-O0"), ("src", "clang", "-O2"), (".", "gcc", "-O3")):
        folder, said, out, plain = build(where, cc=cc, level=level)
        h.check(out == plain, f"{out!r}, not {plain!r}")
        h.check(lines(folder) == WANT,
                f"{where} {cc}: {sorted(lines(folder).items() ^ WANT.items())}")
        stays = [line for line in said.splitlines() if "included" in line]
        h.check(len(stays) == 1 and "no probe at 1 place" in stays[0]
                and stays[0].endswith("stays.h"), said)
        info = run(h.BOBBIN, "info", "t", folder=folder)
        h.check("stays.h" in info, info)


@suite.case("the same accesses, one probe each, and macros that are replaced")
def flat():
    folder = project("src")
    text = (folder / "src" / "x.h").read_text()
    (folder / "src" / "x.h").write_text(text.replace("s += p[i];",
                                                     "s += AT(p, i);").replace("#define X_H\n",
                                                                               "#define X_H\n"
                                                                               "#define AT(p, i) "
                                                                               "(i)[p] + 0\n"))
    run(h.BOBBIN, "instrument", "--flat", "-o", "out", "--", "-Isrc/include", folder=folder,
        input="trace file src/main.c\ntrace variable a\n")
    run("gcc", "-Iout", "-Isrc", "-Isrc/include", "out/main.c", "-o", "program", folder=folder)
    run(h.BOBBIN, "record", "-q", "--source", "-o", "t", "--", "./program", folder=folder)
    want = {("x.h", 8) if k == ("x.h", 7) else k: n for k, n in WANT.items()}
    h.check(lines(folder) == want, sorted(lines(folder).items() ^ want.items()))


@suite.case("lines that were named are the file's own, not its headers'")
def of_lines():
    folder, said, _, _ = build("src", ["trace variable a from 15 to 15",
                                       "trace code at loop level from 1 to 14"])
    h.check(lines(folder) == {("main.c", 15): 8}, lines(folder))
    h.check("included" not in said, said)
    h.check("loop 14 in main" in (folder / "out" / "main.c").read_text(), "the loop")


@suite.case("loops and calls in headers are events; copies of functions")
def events():
    folder, _, out, plain = build("src", ["trace variable a", "trace code at loop level",
                                          "trace code at subroutine level"])
    h.check(out == plain, out)
    text = (folder / "out" / "main.c").read_text()
    h.check('"loop 6 in x_sum"' in text and '"e_get"' in text, text)


@suite.case("what the file says to the system's headers stays before them")
def features():
    folder = project("src")
    main = folder / "src" / "main.c"
    main.write_text(main.read_text().replace("#include <stdio.h>", "#define _GNU_SOURCE\n"
                                             "#include <stdio.h>\n#include <string.h>")
                    .replace("hits = once_bump(a);",
                             "hits = once_bump(a) + (strchrnul(\"ab\", 'b') != 0);"))
    said = run(h.BOBBIN, "instrument", "-o", "out", "--", "-Isrc/include", folder=folder,
               input="trace file src/main.c\ntrace variable a\n")
    h.check("written in an included file, src/once.h" in said, said)
    run("gcc", "-Werror", "-Wall", "-Iout", "-Isrc", "-Isrc/include", "out/main.c", "-o", "program",
        folder=folder)


@suite.case("--compile: the object depends on what it depended on")
def depends():
    folder = project("src")
    (folder / "commands").write_text("trace file src/main.c\ntrace variable a\n")
    flags = ["-O2", "-Isrc/include", "-MMD", "-MP", "-c", "src/main.c"]

    def depended():
        text = (folder / "main.d").read_text().replace("\\\n", " ")
        rules = [line.split(":") for line in text.splitlines() if line]
        # a header is named by each of the ways that lead to it
        return [{os.path.normpath(p) for r in rules for p in r[1].split() if r[0] == "main.o"},
                {os.path.normpath(r[0]) for r in rules}]
    run("gcc", *flags, folder=folder)
    want = depended()
    run("gcc", "main.o", "-o", "plain", folder=folder)
    run(h.BOBBIN, "instrument", "--compile", "commands", "--", "gcc", *flags, folder=folder)
    h.check(depended() == want, f"{depended()}, not {want}")
    run("gcc", "main.o", "-o", "program", folder=folder)
    out = run(h.BOBBIN, "record", "-q", "--source", "-o", "t", "--", "./program", folder=folder)
    h.check(out == run("./plain", folder=folder), out)
    h.check(lines(folder) == WANT, sorted(lines(folder).items() ^ WANT.items()))


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        sys.exit(77)
    sys.exit(suite.run())
