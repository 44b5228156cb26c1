#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The C front end of the instrumenter: what leaves the sight of probes is said, on the terminal and
in the trace: variables that functions without probes are given, and pointers that get their values
from functions that are not named as allocators."""
import re
import sys

import harness as h
from c_probes import why_not

suite = h.Suite("source c given")

REST = "which is in no file of the command: accesses there are not recorded"
GIVEN = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct s { double *r; char text[8]; int n; };
static double a[10], b[10][10], other[10];
static int c[4], k;
int away(double *p);
static int order(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
static void fill(double *q, struct s *p) { memset(q, 0, 80); strcpy(p->text, "s"); }
int main(void)
{
	struct s v, *p = &v;
	double *d = malloc(80);
	p->r = malloc(80);
	memcpy(a, b[3], 80);
	memcpy(&a[2], 1 + b[3], 8);
	memset(p->r, 0, 80);
	qsort(c, 4, sizeof(int), order);
	if (away(a + 1) && scanf("%d", &k))
		return 1;
	fill(other, p);
	memset(other, 0, 80);
	memmove(d, a, 8);
	free(d);
	free(p->r);
	printf("%d %g\\n", c[0] + k, a[0]);
	return 0;
}
"""


def said(folder, *commands, status=0, **more):
    """What is said of variables, a line each, without the table."""
    (folder / "commands").write_text("".join(line + "\n" for line in commands))
    out = folder / "out"
    r = h.run([h.BOBBIN, "instrument", "-o", out, "commands"], cwd=folder, **more)
    h.check(r.status == status and out.exists() == (status == 0), str(r))
    if out.exists():
        out.rename(h.fresh("instrumented") / "out")
    return [line for line in (r.out + r.err).decode().splitlines()
            if re.match(r"bobbin: instrument: |\w+\.c:", line)]


def equal(got, want):
    h.check(got == want, "\n".join(["got", *got, "want", *want]))


@suite.case("variables that are given to functions without probes: a line each, all their "
            "functions in it")
def given():
    folder = h.fresh("source")
    (folder / "g.c").write_text(GIVEN)
    equal(said(folder, "trace file g.c",
               *(f"trace variable {name}"
                 for name in ("a", "b[3][0..2]", "p->r", "c[2..3]", "k", "main:d"))), [
        "g.c:9: a pointer that may refer to a requested variable is given to memset, " + REST,
        "g.c:15: a is given to memcpy, away, memmove, " + REST,
        "g.c:15: b is given to memcpy, " + REST,
        "g.c:17: p->r is given to memset, " + REST,
        "g.c:18: c is given to qsort, " + REST,
        "g.c:19: k is given to scanf, " + REST,
        "g.c:23: d is given to memmove, " + REST,
    ])
    equal(said(folder, "trace file g.c", "trace variable k"),
          ["g.c:19: k is given to scanf, " + REST])
    equal(said(folder, "trace file g.c", "trace variable b[5]"), ["g.c:9: a pointer that may refer "
                                                                  "to a requested variable is "
                                                                  "given to memset, memmove, "
                                                                  + REST])
    lines = said(folder, "trace file g.c", "trace variable *")
    h.check([line for line in lines if "is given" in line] == ["g.c:9: what was asked for is given "
                                                               "to memset, strcpy, memcpy, qsort, "
                                                               "away, scanf, memmove, " + REST],
            lines)


@suite.case("what inline functions of the system's headers are given is no line of the program")
def inline():
    folder = h.fresh("source")
    (folder / "i.c").write_text("#include <stdio.h>\n#include <stdlib.h>\nint n;\n"
                                "int main(int argc, char **argv)\n{\n"
                                "\tn = argc > 1 ? atoi(argv[1]) : 3;\n\tputchar(n);\n\treturn 0;\n"
                                "}\n")
    for flags in ([], ["-O2"]):
        (folder / "commands").write_text("trace file i.c\ntrace variable *\n")
        r = h.run([h.BOBBIN, "instrument", "-o", h.fresh("instrumented") / "out", "commands", "--",
                   *flags], cwd=folder)
        equal([line for line in (r.out + r.err).decode().splitlines() if "is given" in line],
              ["i.c:6: what was asked for is given to atoi, " + REST])


@suite.case("functions that another file of the command has are seen; more than eight are counted")
def others():
    folder = h.fresh("source")
    (folder / "g.c").write_text("extern int away(double *p);\nstatic double a[4];\n"
                                "int main(void) { return away(a); }\n")
    (folder / "other.c").write_text("int away(double *p) { return p[1] != 0; }\n")
    (folder / "f.f90").write_text("subroutine s\nend\n")
    equal(said(folder, "trace file g.c", "trace variable a"),
          ["g.c:3: a is given to away, " + REST])
    equal(said(folder, "trace file g.c", "trace variable a", "trace file other.c"), [])
    # What Fortran defines is not known.
    equal(said(folder, "trace file g.c", "trace variable a", "trace file f.f90"), [])
    names = [f"f{i}" for i in range(11)]
    (folder / "g.c").write_text("".join(f"void {n}(int *);" for n in names)
                                + "\nstatic int a[4];\nint main(void)\n{\n"
                                + "".join(f"\t{n}(a);\n\t{n}(a + 1);\n" for n in names)
                                + "\treturn 0;\n}\n")
    equal(said(folder, "trace file g.c", "trace variable a"), [f"g.c:5: a is given to "
                                                               f"{', '.join(names[:8])} and 3 "
                                                               f"more, {REST}"])


TAKES = """#include <stdio.h>
#include <stdlib.h>
struct s { double *r, *never; };
static void *take(size_t n) { return malloc(n); }
int main(void)
{
	struct s v, *p = &v;
	double *q = take(8), *passed = take(8);
	p->r = take(80);
	p->r = (double *)take(80);
	p->never = p->r;
	for (int i = 0; i < 10; i++)
		p->r[i] = i;
	printf("%g\\n", p->r[3]);
	p->never = passed;
	return q == 0;
}
"""


@suite.case("pointers that get their values from what is no allocator, or get none; an allocator "
            "that is never called")
def takes():
    folder = h.fresh("source")
    (folder / "a.c").write_text(TAKES)
    rest = "from take, which is no allocator that was named: what it leads to is not recorded"
    equal(said(folder, "trace file a.c", "trace variable p->r", "trace variable q",
               "trace variable p->never"), [
        f"a.c:8: q gets its value {rest}",
        f"a.c:8: p->never gets its value {rest}",
        f"a.c:9: p->r gets its value {rest}",
    ])
    equal(said(folder, "trace file a.c", "trace variable p->r", "trace allocator take size(1)"), [])
    equal(said(folder, "trace file a.c", "trace variable p->r", "trace allocator taken size(1)",
               status=1), ["bobbin: instrument: commands:3:17: there is no call of taken in the C "
                           "files of the command"])
    (folder / "b.c").write_text("struct s { double *r; };\ndouble get(struct s *g) { return "
                                "g->r[0]; }\n")
    equal(said(folder, "trace file b.c", "trace variable g->r"), ["b.c: g->r: nothing in this file "
                                                                  "is known to give it memory, "
                                                                  "so no access is recorded here"])
    # One file calls it: it need not be the one that names it.
    equal(said(folder, "trace file b.c", "trace allocator take size(1)", "trace file a.c",
               "trace variable p->r"), [])


@suite.case("the trace says it, too, where nothing has a probe")
def in_trace():
    folder = h.fresh("source")
    (folder / "a.c").write_text("#include <string.h>\nstatic int a[4];\n"
                                "int main(void) { memset(a, 0, 16); return 0; }\n")
    (folder / "commands").write_text("trace file a.c\ntrace variable a\n")
    r = h.run([h.BOBBIN, "instrument", "--compile", "commands", "--", "cc", "a.c", "-o", "a"],
              cwd=folder)
    h.check(r.status == 0, str(r))
    r = h.record([folder / "a"], ["--source"])
    info = h.bobbin("info", r.trace)
    h.check(r.status == 0 and f"a.c: line 3: a is given to memset, {REST}" in info.out.decode(),
            str(info))


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        sys.exit(77)
    sys.exit(suite.run())
