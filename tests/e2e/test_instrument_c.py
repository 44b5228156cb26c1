#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bobbin instrument: several C files of one command, which know what the others ask for. The
accesses that must be in the trace are written out here."""
import re
import subprocess

import harness as h
from c_probes import why_not

suite = h.Suite("instrument c")

FILES = {
    "grid.h": """
extern double grid[3][4];
extern float *line;
extern int table[4];
double row(const double *p, int n);
double half(int n);
void drop(void *p);
float *make(int n);
""",
    # Defines both, gives grid's rows away.
    "main.c": """#include <stdio.h>
#include "grid.h"
double grid[3][4];
float *line;
static int number(int n) { return n + 1; }
int main(void)
{
	grid[1][2] = number(1);
	double s = row(grid[1], 4) + half(2);
	line = make(3);
	line[2] = (float)s;
	s += line[2];
	drop(line);
	float *other = make(3);
	other[2] = 7;
	s += other[2];
	drop(other);
	printf("%g\\n", s);
	return 0;
}
""",
    # Knows grid by its name, and by what it is passed.
    "rows.c": """#include <stdlib.h>
#include "grid.h"
static int number(int n)
{
	int twice = n * 2;
	return twice;
}
double row(const double *p, int n)
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += p[i];
	return s;
}
double half(int n)
{
	grid[0][number(1)] = n;
	return grid[0][2] / 2 + table[1];
}
""",
    # Has nothing of its own that is traced.
    "memory.c": """#define _GNU_SOURCE
#include <stdlib.h>
#include "grid.h"
float *make(int n)
{
	return malloc(n * sizeof(float));
}
void drop(void *p)
{
	free(p);
}
""",
    "data.c": """#define _GNU_SOURCE
#include <sched.h>
cpu_set_t all;
int table[4] = { 1, 2, 3, 4 };
""",
}


def instrument(folder, *commands):
    for name, text in FILES.items():
        (folder / name).write_text(text)
    subprocess.run([str(h.BOBBIN), "instrument", "-o", "out", "--", "-I."],
                   input="\n".join([*commands, "bye"]), text=True, check=True,
                   stdout=subprocess.DEVNULL, cwd=folder)


def accesses(folder, cc, level):
    """Kind, name with subscripts and file of each access; the program says what it says without
    probes."""
    def run(*argv):
        return subprocess.run([str(a) for a in argv], check=True, capture_output=True, text=True,
                              cwd=folder).stdout
    sources = [f"out/{n}" if (folder / "out" / n).exists() else n
               for n in FILES if n.endswith(".c")]
    run(cc, level, "-w", *[n for n in FILES if n.endswith(".c")], "-o", "plain")
    run(cc, level, "-w", "-Iout", "-I.", *sources, "-o", "probed")
    trace = folder / f"{cc}{level}"
    assert run("./plain") == run(h.BOBBIN, "record", "-q", "--source", "-o", trace, "--",
                                 "./probed")
    rows = []
    for line in run(h.BOBBIN, "replay", "--mem", "--subscripts", trace).splitlines():
        m = re.match(r"([LS]) 0x\S+ \d+ (\w+)\.c\S+ (.+)$", line)
        assert m or line.startswith("#"), line
        if m:
            rows.append(f"{m[1]} {m[3]} {m[2]}")
    return rows


def check(commands, want):
    folder = h.fresh("instrument_c")
    instrument(folder, *commands)
    for cc, level in (("gcc", "-O2"), ("clang", "-O0")):
        rows = accesses(folder, cc, level)
        assert rows == want, (cc, rows)


PASSED = [f"L grid[1][{i}] rows" for i in range(4)]


@suite.case("what one file asks for is seen in the others: by its name, and where it is passed")
def together():
    here, there = ["S grid[1][2] main"], ["S grid[0][2] rows", "L grid[0][2] rows"]
    check(["trace file main.c", "trace variable grid", "trace file rows.c"],
          [*here, *PASSED, *there])
    check(["trace file rows.c", "trace file main.c", "trace variable grid[1][..]"],
          [*here, *PASSED])
    check(["trace file main.c", "trace variable grid from 1 to 9", "trace file rows.c"], here)
    check(["trace file main.c", "trace variable grid"], here)


@suite.case("static functions of one name in two files are two")
def apart():
    check(["trace file main.c", "trace variable number:n", "trace file rows.c"],
          ["L n in number main"])
    check(["trace file main.c", "trace file rows.c", "trace variable number:twice"],
          ["S twice in number rows", "L twice in number rows"])


@suite.case("memory that another file gives out and takes back")
def memory():
    line = ["S line main", "L line main", "S *line[2] main", "L line main", "L *line[2] main",
            "L line main"]
    commands = ["trace file main.c", "trace variable line", "trace allocator make count(1)"]
    check([*commands, "trace file memory.c"], line)
    # Nothing reports that it is freed: the next block is at the same place.
    check(commands, [*line, "S *line[2] main", "L *line[2] main"])
    check([*commands, "trace allocator drop free(1)"], line)


@suite.case("a file without functions")
def data():
    check(["trace file data.c", "trace variable table", "trace variable all", "trace file rows.c"],
          ["L table[1] rows"])


# what a header says may mean something else elsewhere (docs/source-c.md)
STAYS = ("#ifdef __has_include\n#endif\n")
HEADERS = {
    "cells.h": STAYS + """
#define SET(g, i, v) ((g)[i] = (v))
static inline double cell(const double *p, int i) { return p[i]; }
static inline double both(const double *p) { return p[0] + p[1]; }
""",
    "more.h": STAYS + "static inline void clear(double *p) { *p = 0; }\n",
    "uses.c": """#include <stdio.h>
#include "cells.h"
#include "sub/more.h"
static double grid[8];
int main(void)
{
	SET(grid, 2, 5);
	clear(grid);
	printf("%g\\n", cell(grid, 2) + both(grid) + grid[2]);
	return 0;
}
""",
    "only.c": """#include "cells.h"
static double line[2] = { 1, 2 };
double sum(void)
{
	return both(line);
}
""",
}


@suite.case("accesses in headers that stay as they are have no probe: the tool names these "
            "headers, and so does the trace")
def headers():
    folder = h.fresh("instrument_headers")
    (folder / "sub").mkdir()
    for name, text in HEADERS.items():
        (folder / ("sub" if name == "more.h" else ".") / name).write_text(text)

    def run(*argv, text=None):
        return subprocess.run([str(a) for a in argv], check=True, capture_output=True, text=True,
                              cwd=folder, input=text).stdout
    said = run(h.BOBBIN, "instrument", "-o", "out", "--", "-I.", text="trace file uses.c\n"
               "trace variable grid\ntrace file only.c\ntrace variable line\nbye\n")
    want = ["no probe at 3 places: written in an included file, ./cells.h",
            "no probe at 1 place: written in an included file, ./sub/more.h"]
    found = [line for line in said.splitlines() if "no probe" in line]
    h.check(found == [f"uses.c: {want[0]}", f"uses.c: {want[1]}", f"only.c: {want[0]}"], said)
    run("gcc", "-O2", "-w", "-I.", "-Iout", "out/uses.c", "out/only.c", "-o", "probed")
    h.check(run(h.BOBBIN, "record", "-q", "--source", "-o", "trace", "--", "./probed") == "10\n",
            "another result")
    info = run(h.BOBBIN, "info", "trace")
    for line in (f"uses.c: {want[0]}", f"uses.c: {want[1]}", f"only.c: {want[0]}"):
        h.check(line in info, info)
    rows = re.findall(r"^([LS]) 0x\S+ \d+ \w+\.c\S+ (.+)$",
                      run(h.BOBBIN, "replay", "--mem", "--subscripts", "trace"), re.M)
    h.check(rows == [("S", "grid[2]"), ("L", "grid[2]")], str(rows))
    # Headers of the system: one line for all files.
    for name in ("s1", "s2"):
        (folder / "sub" / f"{name}.h").write_text(f"static inline int {name}(int *p) {{ *p += 1; "
                                                  f"return *p; }}\n")
    (folder / "one.c").write_text("#include <s1.h>\n#include <s2.h>\nstatic int a[4];\n"
                                  "int one(void) { return s1(a) + s2(a); }\n")
    (folder / "two.c").write_text("#include <s2.h>\nint one(void);\nstatic int a[4];\n"
                                  "int main(void) { return s2(a) + one() == 7; }\n")
    for files, want in ((2,
                         "no probe at 6 places of 2 files: written in {}headers of the system{}"),
                        (1, "one.c: no probe at 4 places: written in 2 headers of the system")):
        run("rm", "-rf", "of_system", "t")
        said = run(h.BOBBIN, "instrument", "-o", "of_system", "--", "-isystem", "sub",
                   text="".join(f"trace file {f}\ntrace variable a\n"
                                for f in ("one.c", "two.c")[:files]))
        found = [line for line in said.splitlines() if "no probe" in line]
        h.check(found == [want.format("2 ", "")], said)
        run("gcc", "-isystem", "sub", "-Iof_system", "of_system/one.c",
            "of_system/two.c" if files == 2 else "two.c", "-o", "probed")
        run(h.BOBBIN, "record", "-q", "--source", "-o", "t", "--", "./probed")
        info = run(h.BOBBIN, "info", "t")
        h.check(info.count("no probe at") == 1
                and want.format("", ", up to 2 in a file") + "\n" in info, info)
    # More than the trace gets lines for, in a file whose path alone would fill one.
    deep = folder / "/".join(["f" * 200] * 6)
    deep.mkdir(parents=True)
    text = "static double grid[8];\n"
    for k in range(70):
        (deep / f"h{k}.h").write_text(STAYS
                                      + f"static inline double f{k}(const double *p) {{ return *p; "
                                      f"}}\n")
        text += f'#include "h{k}.h"\n'
    (deep / "many.c").write_text(text + "int main(void)\n{\n\treturn grid[0] + "
                                 + " + ".join(f"f{k}(grid)" for k in range(70)) + ";\n}\n")
    run(h.BOBBIN, "instrument", "-o", "more",
        text=f"trace file {deep.relative_to(folder)}/many.c\ntrace variable grid\nbye\n")
    source = next((folder / "more").rglob("many.c"))
    run("gcc", "-w", f"-I{deep}", "-Imore", source, "-o", "many")
    run(h.BOBBIN, "record", "-q", "--source", "-o", "long", "--", "./many")
    info = run(h.BOBBIN, "info", "--json", "long")
    h.check(info.count("f/many.c: no probe at 1 place: written in an included file, ") == 64
            and "f/many.c: ... and 6 more" in info, info)


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        raise SystemExit(77)
    raise SystemExit(suite.run())
