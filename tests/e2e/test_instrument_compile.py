#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bobbin instrument --compile: in the place of the compiler, from make: the same objects, lists of
what they depend on, complaints and status."""
import os
import pathlib
import re
import subprocess

import harness as h
from c_probes import why_not

suite = h.Suite("instrument compile")
CC = f"{h.BOBBIN} instrument --compile {{commands}} -- gcc"
FILES = {
    "src/main.c": """#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include "beside.h"
extern const char *const other_file;
static const char *const this_file = __FILE__;
int main(void)
{
	int v[3] = { BESIDE, SIZE };
	for (int i = 0; i < 3; i++)
		v[2] += v[i];
	printf("%s %d %d %s %s %s\\n", this_file, __LINE__, twice(v[2]), __FILE__, other_file, \
strchrnul("abc", 'b'));
	return 0;
}
""",
    "src/beside.h": "#include <shared.h>\n#define BESIDE 4\n",
    "include/shared.h": "int twice(int n);\n",
    "src/other/main2.c": """#include <shared.h>
const char *const other_file = __FILE__;
int twice(int n)
{
	int m = 2 * n;
	return m;
}
""",
    "Makefile": """CFLAGS = -O1 -Wall -Wextra -Werror -I../include -MMD "-DSIZE=(4 + 5)"
program: main.o other/main2.o
	$(CC) -o $@ $^
main.o: ../src/main.c
other/main2.o: ../src/other/main2.c
main.o other/main2.o:
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c $< -o $@
-include main.d other/main2.d
""",
}


def top(folder):
    while not (folder / "Makefile").exists():
        folder = folder.parent
    return folder


def project(commands="trace file main.c\ntrace variable v\nbye\n"):
    folder = h.fresh("compile")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "commands").write_text(commands)
    for name in ("plain", "probed", "tmp"):
        (folder / name).mkdir()
    return folder


def run(*argv, folder, status=0):
    env = {**os.environ, "TMPDIR": str(top(folder) / "tmp")}
    r = subprocess.run([str(a) for a in argv], cwd=folder, text=True, capture_output=True, env=env)
    assert (r.returncode == 0) if not status else r.returncode == status, r
    return r


def make(folder, where, cc):
    return run("make", "-f", "../Makefile", f"CC={cc}", folder=folder / where)


def depends(path):
    """Its words; where lines end depends on how long names are."""
    return path.read_text().replace("\\\n", " ").split()


@suite.case("a program built by make: says what it says without probes, depends on the same files, "
            "and is recorded")
def built():
    folder = project()
    make(folder, "plain", "gcc")
    made = make(folder, "probed", CC.format(commands=folder / "commands"))
    plain = run("./program", folder=folder / "plain").stdout
    trace = folder / "trace"
    assert run(h.BOBBIN, "record", "-q", "--source", "-o", trace, "--", "./program",
               folder=folder / "probed").stdout == plain, plain
    assert "../src/main.c" in plain and "../src/other/main2.c" in plain, plain
    out = run(h.BOBBIN, "replay", "--mem", "--subscripts", trace, folder=folder).stdout
    rows = [f"{m[1]} v[{m[2]}]" for m in re.finditer(r"^([LS]) .* v in main\[(\d)\]$", out, re.M)]
    want = [x for i in range(3) for x in (f"L v[{i}]", "L v[2]", "S v[2]")]
    assert (rows[0] == "S v[0]" and sorted(rows[1:10]) == sorted(want)
            and rows[10:] == ["L v[2]"]), out
    for name in ("main.d", "other/main2.d"):
        assert depends(folder / "plain" / name) == depends(folder / "probed" / name), name
    assert list((folder / "tmp").iterdir()) == [], "copies are left"
    # Made, and made again where something changed.
    assert "up to date" in make(folder, "probed", "false").stdout, made
    (folder / "src/beside.h").write_text(FILES["src/beside.h"].replace("4", "5"))
    again = make(folder, "probed", CC.format(commands=folder / "commands")).stdout
    assert "main.c" in again and "main2.c" not in again, again


@suite.case("the same object each time, with the original's name in its debug information")
def again():
    folder = project()
    cc = CC.format(commands=folder / "commands").split()
    for name in ("one.o", "two.o"):
        run(*cc, "-g", "-I../include", "-DSIZE=1", "-c", "../src/main.c", "-o", name,
            folder=folder / "probed")
    one, two = ((folder / "probed" / name).read_bytes() for name in ("one.o", "two.o"))
    assert one == two and b"../src/main.c" in one and b"bobbin-" not in one


@suite.case("a program in front of the compiler, and a folder for what is temporary with a blank "
            "in its name")
def in_front():
    folder = project()
    cc = CC.format(commands=folder / "commands").split()
    flags = ["-MD", "-I../include", "-DSIZE=1", "-c", "../src/main.c"]
    run(*cc, *flags, "-o", "plain.o", folder=folder / "probed")
    (folder / "a b").mkdir()
    run(*cc[:-1], "env", f"TMPDIR={folder}/a b", "gcc", *flags, "-o", "env.o",
        folder=folder / "probed")
    run("env", f"TMPDIR={folder}/a b", *cc, *flags, "-o", "blank.o", folder=folder / "probed")
    plain = (folder / "probed/plain.o").read_bytes()
    for name in ("env", "blank"):
        assert (folder / f"probed/{name}.o").read_bytes() == plain, name
        assert "bobbin-" not in (folder / f"probed/{name}.d").read_text(), name
    assert b"bobbin" in plain, "no probes"


@suite.case("what the compiler says, and how it ends, is the user's")
def ends():
    folder = project()
    cc = CC.format(commands=folder / "commands").split()
    flags = ["-I../include", "-DSIZE=1", "-c"]
    (folder / "src/main.c").write_text(FILES["src/main.c"].replace("return 0;", "return none;"))
    r = run(*cc, *flags, "../src/main.c", folder=folder / "probed", status=1)
    assert "../src/main.c:13:9: " in r.stderr and "none" in r.stderr, r
    r = run(*cc, *flags, "../src/other/none.c", folder=folder / "probed", status=1)
    assert "none.c" in r.stderr, r
    r = run(*cc[:-1], "no-such-compiler", "-c", "../src/other/main2.c", folder=folder / "probed",
            status=127)
    assert "no-such-compiler: cannot be run" in r.stderr, r
    (folder / "src/main.c").write_text(FILES["src/main.c"] + "#warning odd\n")
    r = run(*cc, *flags, "../src/main.c", folder=folder / "probed")
    assert "../src/main.c:15:2: warning: #warning odd" in r.stderr, r
    assert run(*cc, "-E", "-I../include", "../src/main.c", folder=folder / "probed").stdout == \
        run("gcc", "-E", "-I../include", "../src/main.c", folder=folder / "probed").stdout
    assert list((folder / "tmp").iterdir()) == [], "copies are left"


@suite.case("files of the commands are known to each other; one that cannot be read with these "
            "flags is said to be not")
def together():
    folder = project("trace file src/main.c\ntrace variable v\ntrace file src/other/main2.c\n"
                     "trace variable m\ntrace file src/main3.c\ntrace variable m\n")
    (folder / "src/main3.c").write_text(FILES["src/other/main2.c"])
    cc = CC.format(commands=folder / "commands").split()
    run(*cc, "-Iinclude", "-DSIZE=1", "-c", "src/main.c", "./src/main3.c", folder=folder)
    assert (folder / "main.o").exists() and (folder / "main3.o").exists()
    (folder / "src/main3.c").unlink()
    r = run(*cc, "-Iinclude", "-c", "src/other/main2.c", folder=folder)
    assert "SIZE" in r.stderr and "so src/other/main2.c is read without it" in r.stderr, r
    (folder / "src/main.c").unlink()
    r = run(*cc, "-Iinclude", "-c", "src/other/main2.c", folder=folder)
    assert "src/main.c: not found, so src/other/main2.c is read without it" in r.stderr, r


@suite.case("C files know of the Fortran files of the commands, which are instrumented beforehand")
def fortran_beforehand():
    h.need("gfortran")
    folder = h.fresh("both")
    (folder / "tmp").mkdir()
    (folder / "Makefile").touch()
    (folder / "fill.c").write_text("void fill_(double *v, int *n) { for (int i = 0; i < *n; i++) "
                                   "v[i] = i; }\n")
    (folder / "main.f90").write_text("program main\n real(8) :: a(5)\n call fill(a, 5)\n"
                                     " print *, a(2)\nend program\n")
    (folder / "commands").write_text("trace file main.f90\ntrace variable a\ntrace file fill.c\n")
    run(h.BOBBIN, "instrument", "-o", "out", "commands", folder=folder)
    r = run(*CC.format(commands="commands").split(), "-c", "fill.c", folder=folder)
    assert not r.stderr, r.stderr
    run("gcc", "-Iout", "-c", "out/main_probes.c", folder=folder)
    compiler = CC.format(commands="commands").replace("gcc", "gfortran").split()
    r = run(*compiler, "-c", "main.f90", folder=folder)
    assert ("main.f90: compiled as it is, without probes" in r.stderr
            and r.stderr.count("\n") == 1), r.stderr
    r = run(*compiler, "-c", "out/main.f90", "-o", "copy.o", folder=folder)
    assert not r.stderr, r.stderr
    run("gfortran", "out/main.f90", "fill.o", "main_probes.o", "-o", "program", folder=folder)
    run(h.BOBBIN, "record", "-q", "--source", "-o", "t", "--", "./program", folder=folder)
    rows = run(h.BOBBIN, "replay", "--mem", "--subscripts", "t", folder=folder).stdout.splitlines()
    assert [re.sub("0x.* ", "", line) for line in rows if line[0] != "#"] == (
        [f"S a({i})" for i in range(1, 6)] + ["L a(2)"]), rows


@suite.case("files of one command line are in one folder: headers beside one are not those of "
            "another")
def folders():
    folder = project("trace file a.c\ntrace variable v\ntrace file b.c\ntrace variable v\n")
    for name, size in (("a", 1), ("b", 2)):
        (folder / name).mkdir()
        (folder / name / f"{name}.c").write_text(f'#include "config.h"\nint v;\n'
                                                 f'int {name}(void) {{ return v = CONFIG; }}\n')
        (folder / name / "config.h").write_text(f"#define CONFIG {size}\n")
    cc = CC.format(commands=folder / "commands").split()
    r = run(*cc, "-c", "a/a.c", "b/b.c", folder=folder, status=1)
    assert r.stderr.count("\n") == 1 and "a/a.c and b/b.c are in different folders" in r.stderr, r
    assert not (folder / "b.o").exists() and list((folder / "tmp").iterdir()) == []


@suite.case("headers are targets of their own where the compiler was to write them so, though all "
            "of them are in the copy")
def phony():
    folder = project("trace file a.c\ntrace variable g\n")
    (folder / "put.h").write_text("static inline void put(int *a, int i) { a[i] = 3; }\n")
    (folder / "a.c").write_text('#include "put.h"\nint g[4];\nint main(void) { put(g, 1); return '
                                'g[1] - 3; }\n')
    cc = CC.format(commands=folder / "commands").split()
    for flags, has_targets in ((["-MMD", "-MP"], True), (["-MMD"], False),
                               (["-Wp,-MMD,a.d,-MP"], True), (["-Wp,-MMD,a.d"], False)):
        plain = run("gcc", *flags, "-c", "a.c", folder=folder) and (folder / "a.d").read_text()
        (folder / "a.d").unlink()
        run(*cc, *flags, "-c", "a.c", folder=folder)
        assert depends(folder / "a.d") == plain.replace("\\\n", " ").split(), (
            (folder / "a.d").read_text(), plain)
        assert ("put.h:\n" in (folder / "a.d").read_text()) == has_targets, (flags, plain)
    assert b"put.h" in (folder / "a.o").read_bytes(), "the header has no probes"


@suite.case("no list of what the object depends on, and no process that waits for children")
def odd():
    folder = project()
    cc = CC.format(commands=folder / "commands").split()
    flags = ["-Iinclude", "-DSIZE=1", "-c", "src/main.c"]
    run(*cc, *flags, "-MD", "-MF", "/dev/null", folder=folder)
    r = run("env", "--ignore-signal=CHLD", *cc, *flags, "-o", "none/main.o", folder=folder,
            status=1)
    assert "none/main.o" in r.stderr and "bobbin" not in r.stderr, r


@suite.case("commands anywhere: files are named by how their places end")
def ends_of_names():
    folder = project("trace file b.c\ntrace variable grid\ntrace file a.c\n")
    (folder / "commands").rename(folder / "src" / "commands")
    deep = folder / "deep" / "er"
    deep.mkdir(parents=True)
    (deep / "a.c").write_text("#include <stdio.h>\ndouble sum(const double *p);\n"
                              "extern double grid[4];\n"
                              "int main(void) { grid[1] = 2; printf(\"%g\\n\", sum(grid)); return "
                              "0; }\n")
    (deep / "b.c").write_text("double grid[4];\ndouble sum(const double *p) { return p[1] + p[2]; "
                              "}\n")
    cc = CC.format(commands=folder / "src" / "commands").split()
    for name in "ab":
        run(*cc, "-O2", "-c", f"er/{name}.c", "-o", f"{name}.o", folder=folder / "deep")
    run("gcc", "a.o", "b.o", "-o", "ab", folder=folder / "deep")
    run(h.BOBBIN, "record", "-q", "--source", "-o", "trace", "--", "./ab", folder=folder / "deep")
    out = run(h.BOBBIN, "replay", "--mem", "--subscripts", "trace", folder=folder / "deep").stdout
    assert re.findall(r"^([LS]) .* (grid\S+)$", out, re.M) == [("S", "grid[1]"), ("L", "grid[1]"),
                                                               ("L", "grid[2]")], out


@suite.case("of two files of the commands that one may be, it is the one at its place, else the "
            "one with the longer name")
def two_names():
    folder = project()
    deep = folder / "deep" / "er"
    deep.mkdir(parents=True)
    (deep / "a.c").write_text("int one = 1, two = 2;\nint main(void) { return one + two - 3; }\n")
    for commands, want in ((("a.c", "one", "er/a.c", "two"), "two"),
                           (("er/a.c", "one", "a.c", "two"), "one"),
                           (("deep/er/a.c", "one", "../deep/er/a.c", "two"), "two")):
        (folder / "src" / "commands").write_text("".join(f"trace file {f}\ntrace variable {v}\n"
                                                         for f, v in zip(commands[::2],
                                                                         commands[1::2])))
        run(*CC.format(commands=folder / "src" / "commands").split(), "-O2", "er/a.c", "-o", "a",
            folder=folder / "deep")
        run(h.BOBBIN, "record", "-q", "--source", "-o", f"t{want}", "--", "./a",
            folder=folder / "deep")
        out = run(h.BOBBIN, "replay", "--mem", "--subscripts", f"t{want}",
                  folder=folder / "deep").stdout
        assert re.findall(r"^L .* (one|two)$", out, re.M) == [want], (commands, out)


@suite.case("command lines that make no sense")
def mistakes():
    folder = project()
    for argv, said in ((["--compile", "--", "gcc"], "COMMANDS"),
                       (["--compile", "commands"], "a compiler"),
                       (["--compile", "none", "--", "gcc"], "none"),
                       (["--compile", "--assume", "a", "commands", "--", "gcc"],
                        "not with --assume"),
                       (["--compile", "--profile", "a", "commands", "--", "gcc"],
                        "not with --profile"),
                       (["-o", "a", "--compile", "commands", "--", "gcc"], "not with --output")):
        r = subprocess.run([str(h.BOBBIN), "instrument", *argv], cwd=folder, text=True,
                           capture_output=True, stdin=subprocess.DEVNULL)
        assert r.returncode in (1, 2) and said in r.stderr and r.stderr.count("\n") == 1, r


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        raise SystemExit(77)
    raise SystemExit(suite.run())
