#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""Copies of C functions for the calls that give them what is traced: the trace is the one that
probes in the functions themselves give, access by access, and the program does what it did, with
gcc and clang, without a warning.

Programs at random hand pointers around in all kinds of ways. BOB_TEST_SEEDS=N tries N of them
(default 3; BOBBIN_TEST_LONG=1: 6); BOB_TEST_TORTURE_EVERY=N takes every N-th of GCC's programs that
check themselves (default 120; BOBBIN_TEST_LONG=1: 60), half of their variables traced."""

import os
import random
import re

import harness as h
import test_gcc_torture as torture
from c_probes import why_not
from copies_reported import replay, run, said_of

suite = h.Suite("source c clones")
SEEDS = int(os.environ.get("BOB_TEST_SEEDS", h.share(3, 6)))
WARNINGS = ("-Wall", "-Wextra", "-Werror")
COUNTS = {"copies": 0, "accesses": 0}


def tables(out, names):
    """{file: [(line, column, function) of each site]}"""
    found = {}
    for name in names:
        text = (out / name).read_text(errors="replace")
        if "bobbin_sites[]={" not in text:
            continue
        units = re.findall(r'"([^"]*)",', text.split("bobbin_units[]={")[1].split("0};")[0])
        rows = re.findall(r"^\{(\d+),(\d+),\d,0,(\d+),\d+,\d+\},$",
                          text.split("bobbin_sites[]={")[1].split("{0,0,0,0,0,0")[0], re.M)
        found[name] = [(int(line), int(column), units[int(unit)]) for line, column, unit in rows]
    return found


def refused_of(text):
    return sorted(re.findall(r"no probe at .*", text))


def both_ways(folder, names, commands, flags=(), events=False, warnings=WARNINGS, how=(),
              compilers=("gcc", "clang"), more=()):
    """(copies, what was said, accesses); the accesses are the same with copies and in place."""
    h.need("gcc", "clang")
    libs = ("-lm",)
    run("gcc", "-w", *flags, *names, *more, "-o", "plain", *libs, folder=folder)
    native = h.run([folder / "plain"], cwd=folder)
    rows, said, reported = {}, {}, {}
    for way in ("in-place", "copies"):
        out = folder / way
        said[way] = run(h.BOBBIN, "instrument", *(["--copies"] if way == "copies" else []), *how,
                        "-o", out, "--", *flags, folder=folder, text="\n".join([*commands, ""]))
        sites = tables(out, names)
        for cc in compilers:
            run(cc, *warnings, "-O1", *flags, f"-I{out}", *(out / n for n in names), *more, "-o",
                out / cc, *libs, folder=folder)
            h.same(native, h.run([out / cc], cwd=folder), f"{way}, {cc}, not recorded")
            traced = h.record([out / cc], ["--source", *(["--events"] if events else [])],
                              out / f"t.{cc}", cwd=folder)
            h.same(native, traced, f"{way}, {cc}")
            rows[way, cc] = replay(traced.trace, sites)
            lines = run(h.BOBBIN, "report", "--mpi", "-n", "0", out / f"t.{cc}",
                        folder=folder).splitlines()[3:] if events else []
            reported[way, cc] = sorted(re.sub(r" +[\d.]+ \w+  ", "  ", re.sub(r"  +", "  ", line))
                                       for line in lines)
    for cc in compilers:
        want, got = rows["in-place", cc], rows["copies", cc]
        first = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b),
                     min(len(want), len(got)))
        h.check(want == got, f"{folder} {cc}: {len(got)} accesses, not {len(want)}; first other "
                f"one {first}: {got[first:first + 3]}, not {want[first:first + 3]}")
        h.check(reported["in-place", cc] == reported["copies", cc], str(reported))
    h.check(set(said_of(said["in-place"]).values()) == {0}, said["in-place"])
    h.check(refused_of(said["in-place"]) == refused_of(said["copies"]),
            f'{said["in-place"]}\n{said["copies"]}')
    copies = said_of(said["copies"])
    COUNTS["copies"] += sum(copies.values())
    COUNTS["accesses"] += len(rows["copies", compilers[0]])
    return copies, said["copies"], rows["copies", compilers[0]]


def one(text, *commands, **kw):
    folder = h.fresh("clones")
    (folder / "a.c").write_text(text)
    return both_ways(folder, ["a.c"], ["trace file a.c", *commands], **kw)


EVERY = r"""
#include <stdio.h>
#include <stdlib.h>
static double a[40], b[40];
double sum(const double *p, int n);
typedef int (*test)(const void *, const void *);
static void scale(double *x, const double *y, int n, double c)
{
	for (int i = 0; i < n; i++)
		x[i] = c * y[i] + x[i];
	if (n > 10)
		scale(x, y, n / 2, c);
}
static inline void copy(double *to, const double *from, int n) { while (n--) *to++ = *from++; } /**/
double
sum(const double *p,
    int n) /* of several lines */
{
	double s = 0;
	const double *q = p + n;
	while (p < q) {
#ifdef __GNUC__
		s += *p++;
#else
		s += *p++ * 1;
#endif
	}
	return s;
}
static double old(p, n)
	double *p;
	int n;
{
	return p[n];
}
static double *middle(double *p, int n)
{
	return p + n / 2;
}
static double work(double *u, double *v)
{
	copy(u, v, 20);
	scale(v, u, 20, 0.5);
	return sum(u, 20) + sum(v, 10) + *middle(v, 4);
}
static int order(const void *x, const void *y)
{
	return *(const double *)x < *(const double *)y ? -1 :
	       *(const double *)x > *(const double *)y;
}
static double last(double m[][4], int n)
{
	return m[n - 1][3] + sum(m[0], 4);
}
int main(int argc, char **argv)
{
	double *c = malloc(40 * sizeof(*c)), *d = c + 2, m[3][4] = { { 0 } };
	test compare = order;
	(void)argv;
	for (int i = 0; i < 40; i++)
		a[i] = b[i] = c[i] = 7 * i % 41;
	printf("%g\n", work(b, c));
	printf("%g\n", work(a, d));
	printf("%g\n", work(b + 1, a) + (sum)(a, (int)sum(b, 2) % 3));
	printf("%g %g\n", old(a, 3), old(argc > 5 ? c : b, 3));
	printf("%g %g\n", last(m, 3), last((double(*)[4])a, argc));
	qsort(a, 40, sizeof(*a), compare);
	scale(c, c, 20, 1);
	scale(middle(a, 20), d = b, 5, 2);
	printf("%g %g %g\n", a[3], b[4], c[5]);
	free(c);
	return 3;
}
"""


@suite.case("all kinds of functions and calls")
def every():
    for how in ((), ("--flat",)):
        copies, said, rows = one(EVERY, "trace variable a", how=how,
                                 warnings=("-Wall", "-Wextra", "-Werror",
                                           "-Wno-deprecated-non-prototype",
                                           "-Wno-unknown-warning-option"))
        # scale of x, of y; copy of both; sum; old; work of u, of v; last
        h.check(copies == {"a.c": 9}, f"{copies}\n{said}")
        h.check(len(rows) > 300, str(len(rows)))
        h.check("order has its probes" not in said, said)


@suite.case("calls and loops that are events have the same names and numbers")
def events():
    one(EVERY, "trace variable a", "trace code at loop level", "trace code at subroutine level",
        events=True, warnings=("-w",))


@suite.case("the function itself is the same bytes")
def untouched():
    folder = h.fresh("clones")
    text = ("static int a[4], b[4];\nstatic int get(int *p, int n)\n{\n\treturn p[n]; }\n"
            "int main(void)\n{\n\treturn get(a, 1) + get(b, 2);\n}\n")
    (folder / "a.c").write_text(text)
    both_ways(folder, ["a.c"], ["trace file a.c", "trace variable a"])
    new = (folder / "copies" / "a.c").read_text()
    h.check(text[text.index("static int get"):text.index("int main")].rstrip() in new, new)
    in_place = (folder / "in-place" / "a.c").read_text()
    h.check("BOBBIN_AT(0,(p[n]))" in in_place, in_place)


# What must stay in place, with the reason. f gets a and b.
REFUSED = {
    "it keeps variables from one call to the next": "static int f(int *p) { static int n; n++; "
    "return *p + n; }",
    "it has a variable number of arguments": "static int f(int *p, ...) { return *p; }",
    "it has an asm statement": "static int f(int *p) { __asm__(\"\"); return *p; }",
    "it takes the address of a label": "static int f(int *p) { void *to = &&end; goto *to;\n"
    "end: return *p; }",
    "it uses its own name (__func__), possibly in a macro": "#include <stdio.h>\n"
    "static int f(int *p) { puts(__func__); return *p; }",
    "it uses its own name (__func__), possibly in a": "#include <assert.h>\nstatic int f(int *p) { "
    "assert(p); return *p; }",
    "the preprocessor has lines in it": "static int f(int *p)\n{\n#define ONE 1\n"
    "\treturn *p + ONE;\n}",
    "the preprocessor has lines in": "#if 1\nstatic int f(int *p)\n{\n\tp++;\n#else\n"
    "static int g(int *p)\n{\n#endif\n\treturn p[-1];\n}",
    "it has the attribute constructor": "__attribute__((constructor)) static void init(int argc) { "
    "(void)argc; }\n"
                                        "static int f(int *p) __attribute__((destructor));\n"
                                        "static int f(int *p) { return p ? *p : 0; }",
    "it is called before it is declared": "static int f(p) int *p; { return *p > 9 ? "
    "f(p + 1) : *p; }",
    "it has a type of its own before its body": "static struct pair { int n; } g(int *p) { struct "
    "pair x = { *p }; return x; }",
    "part of its text is in a macro": "#define BEGIN {\nstatic int f(int *p) BEGIN return *p; }",
    "part of its text is in a": "#define DEF(n) struct n##_tag { int x; }; static\n"
    "DEF(f) int f(int *p) { return *p; }",
    "it has the attribute weak": "int f(int *p);\nint f(int *p) __attribute__((weak));\n"
    "int f(int *p) { return *p; }",
    "a declaration has an attribute that its definition has not": "static int f(int *p) "
    "__attribute__((noinline));\nstatic int f(int *p) { return *p; }",
    "it uses its own name or __COUNTER__": "static int f(int *p) { return *p + "
    "__COUNTER__; }",
    "it uses its own name or __COUNTER__, possibly": "#define COUNT __COUNTER__\n"
    "static int f(int *p) { return *p + COUNT; }",
    "a pointer argument was requested and may refer to anything": "static int f(int *p) { return "
    "*p; }\nint g(int q[4]) { return q[0]; }",
}


@suite.case("what may have no copy has its probes in place, and the reason is said")
def refused():
    for why, text in REFUSED.items():
        folder = h.fresh("clones")
        name = "g" if "type of its own" in why else "f"
        if "attribute" in why:
            text = text.replace("destructor", "constructor")
        main = (f"int printf(const char *, ...);\nint main(void)\n{{\n\tb[1] = 2;\n"
                f"\tprintf(\"%d\\n\", "
                f"{'g(a).n + g(b).n' if 'type of' in why else f'{name}(a) + {name}(b)'});\n"
                f"\treturn 0;\n}}\n")
        (folder / "a.c").write_text(f"static int a[4], b[4];\n{text}\n{main}")
        commands = ["trace file a.c", "trace variable a"]
        if "pointer argument" in why:
            commands.append("trace variable g:q")
        if "attribute" in why or "alias" in text:
            said = run(h.BOBBIN, "instrument", "--copies", "-o", "out", folder=folder,
                       text="\n".join([*commands, ""]))
            h.check(said_of(said) == {"a.c": 0}, f"{why}: {said}")
        else:
            copies, said, rows = both_ways(folder, ["a.c"], commands, warnings=("-w",),
                                           compilers=("gcc",))
            h.check(copies == {"a.c": 0} and rows, f"{why}: {said}")
        h.check(re.search(rf"^a.c:\d+: {name} has its probes in place, for all who call it: "
                          rf".*{re.escape(why)}", said, re.M), f"{why}: {said}")


# Who may call f beside those that are seen: it keeps its probes, and the call that gives b goes to
# a copy.
OPEN = {
    "it is named elsewhere than in calls": "static int f(int *p) { return *p; }\n"
    "int (*pointer)(int *) = f;",
    "it is named elsewhere than in": "static int f(int *p) { return *p; }\n#define F f\n"
    "int (*pointer)(int *) = F;",
    "it is named elsewhere": "static int f(int *p) { return *p; }\n"
    "__attribute__((alias(\"f\"))) int g(int *p);",
    "a macro or an included file has a call of it": "static int f(int *p) { return *p; }\n"
    "#define TWICE(x) ((x) * 2)\nint other(void) { return TWICE(f(a)); }",
    "may pass on traced variables": "int foreign(void);\nint f(int *p) { if (*p > 1000) return "
    "foreign(); return *p; }",
    "may pass on traced": "extern int there;\nint f(int *p) { if (*p > 1000) return there; return "
    "*p; }",
}


@suite.case("what others may call keeps its probes; calls that give nothing go to a copy")
def opened():
    for why, text in OPEN.items():
        folder = h.fresh("clones")
        (folder / "a.c").write_text(f"static int a[4], b[4];\n{text}\n"
                                    f"int printf(const char *, ...);\nint main(void)\n{{\n"
                                    f"\tb[1] = 2;\n"
                                    "\tprintf(\"%d\\n\", f(a) + f(b));\n\treturn 0;\n}\n")
        (folder / "rest.c").write_text("int foreign(void) { return 1; }\nint there;\n")
        copies, said, rows = both_ways(folder, ["a.c"], ["trace file a.c", "trace variable a"],
                                       warnings=("-w",), compilers=("gcc",), more=("rest.c",))
        h.check(copies == {"a.c": 1} and rows, f"{why}: {said}")
        h.check(re.search(rf"^a.c:\d+: f keeps its probes, for others who may call it: "
                          rf".*{re.escape(why)}", said, re.M), f"{why}: {said}")
    folder = h.fresh("clones")
    (folder / "a.c").write_text("static int a[4], b[4];\nint f(int *p) { return *p; }\n"
                                "int g(void) { return f(a) + f(b); }\n")
    said = run(h.BOBBIN, "instrument", "--copies", "-o", "out", "--", "-fPIC", folder=folder,
               text="trace file a.c\ntrace variable a\n")
    h.check(said_of(said) == {"a.c": 0} and "another definition may replace it (-fPIC)" in said,
            said)


HEADER = "static int f(int *p);\nstatic inline int in_header(int *p) { return f(p); }\n"


@suite.case("a call in a header is one by an unknown caller; a static function of a header is no "
            "function of the file")
def header():
    folder = h.fresh("clones")
    (folder / "a.h").write_text(HEADER)
    (folder / "a.c").write_text("#include \"a.h\"\nstatic int a[4], b[4];\n"
                                "static int f(int *p) { return *p; }\n"
                                "int main(void) { return f(a) + f(b) + in_header(a) + "
                                "in_header(b); }\n")
    copies, said, _ = both_ways(folder, ["a.c"], ["trace file a.c", "trace variable a"],
                                flags=("-I.",))
    h.check(copies == {"a.c": 1}
            and "f keeps its probes, for others who may call it: a macro or an included file has a "
            "call of it" in said, said)


# Ways on which a comes to where it is read, beside b; the number of copies. Where 0, what is given
# may be anything.
WAYS = {
    "p = b; p = a;": ("int *p = b; if (n) p = a; r += get(p) + get(b);", 1),
    "p = q; q = a;": ("int *p = b, *q = p; for (int i = 0; i < 3; i++) { r += get(p) + get(b); p = "
                      "q; q = a; }", 1),
    "only b": ("int *p = b, *q = p + 1; q = p; p = q++; r += get(a) + get(p) + get(q);", 1),
    "address taken": ("int *p = b, **q = &p; *q = a; r += get(p) + get(b);", 1),
    "condition": ("r += get(n ? a : b) + get(b);", 1),
    "condition without one": ("int *p = n > 5 ? b : 0; r += get(p ?: a) + get(b);", 1),
    "comma": ("r += get((r++, a)) + get((r++, b));", 1),
    "assignment": ("int *p; r += get(p = a); r += get(p) + get(b);", 1),
    "casts": ("r += get((int *)(char *)a) + get((void *)b) + get((int *)(unsigned long)a);", 1),
    "struct": ("struct { int *p; } s = { b }; s.p = a; r += get(s.p) + get(b);", 1),
    "array of pointers": ("int *v[2] = { a, b }; r += get(v[n - 1]) + get(b);", 1),
    "union": ("union { int *p; long n; } x; x.n = (long)a; r += get(x.p) + get(b);", 1),
    "statement expression": ("r += get(({ int *p = a; p; })) + get(b);", 1),
    "returned": ("r += get(pass(a)) + get(b);", 1),
    "given out": ("int *p = 0; give(&p); r += get(p) + get(b);", 1),
    "kept": ("keep(a); r += get(kept) + get(b);", 1),
    "kept in a static": ("r += get(last(a)) + get(last(b));", 1),
    "asm": ("int *p; __asm__(\"\" : \"=r\"(p) : \"0\"(a)); r += get(p) + get(b);", 1),
    "choose": ("int *p = b; (void)_Generic(n, int: p = a); r += get(p) + get(b);", 1),
    "memory": ("int *p = calloc(10, 4); p[0] = 4; r += get(p) + get(a); p = realloc(p, 80); r += "
               "get(p); free(p);", 1),
    "strings and literals": ("r += get((int[]){ 1, 2 }) + get((int *)\"four and more\") + get(a);",
                             1),
    "but for a function that is never called, all are a": ("r += get(a) + get(a + 1);", 1),
    "none is a": ("a[1] = 1; r += get(b);", 0),
    "a parameter": ("n = n * 2; r += deep(3, a) + deep(3, b);", 2),
    "a row": ("int m[2][8] = { { 1 }, { 2 } }; r += get(m[1]) + get(&m[0][2]) + get(&a[3]);", 1),
    "by its address": ("int *p = b; r += get(p); *(&p) = a; r += get(p) + get(b);", 1),
    "by its address, an element": ("int *p = b; (&p)[0] = a; r += get(p) + get(b);", 1),
    "by its address, in a macro": ("int *p = b;\n#define AT(x) (*(&(x)))\n"
                                   "\tAT(p) = a; r += get(p) + get(b);", 1),
    "given out in a macro": ("int *p = 0;\n#define GIVE(x) give(&(x))\n"
                             "\tGIVE(p); r += get(p) + get(b);", 1),
    "from null": ("int *p = (int *)((char *)0 + (unsigned long)a); r += get(p) + get(b);", 1),
    "several arguments": ("r += two(a, b) + two(b, a) + two(a, a) + two(b, b);", 3),
}
WAY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int a[8] = { 1, 2, 3 }, b[8] = { 4, 5, 6 };
static int *kept;
static int get(int *p) { return p[0] + p[1]; }
static int two(int *p, int *q) { return p[0] + q[1]; }
static int *pass(int *p) { p[0]++; return p; }
static void give(int **p) { *p = a; }
static void keep(int *p) { kept = p; }
static int *last(int *p) { static int *old = b; int *was = old; old = p; return was; }
static int deep(int n, int *p) { return n ? deep(n - 1, p + 1) : get(p); }
int main(int argc, char **argv)
{
	int r = 0, n = argc;
	(void)argv;
	BODY
	printf("%d %d\n", r, n);
	return 0;
}
"""


@suite.case("ways on which pointers come to a call")
def ways():
    for number, (name, (body, copies)) in enumerate(WAYS.items()):
        got, said, rows = one(WAY.replace("BODY", body), "trace variable a", warnings=("-w",),
                              how=("--flat",), compilers=(("gcc", "clang")[number % 2],))
        h.check(got == {"a.c": copies}, f"{name}: {got}, not {copies}\n{said}")
        h.check(rows or "give" in body, f"{name}: nothing")


# Programs with what is asked for, and the number of copies.
GET = ("#include <stdarg.h>\n#include <stdlib.h>\nstatic int a[4] = { 1 }, b[4] = { 2 };\n"
       "static int get(int *p) { return *p; }\n")
PROGRAMS = {
    "an assignment as a value": (GET
                                 + "static int *kept;\nint main(void) { int *q; q = kept = "
                                 "calloc(4, 4); int r = get(q) + get(b); free(q); return r; }\n",
                                 ["trace variable kept"], 1),
    "an assignment to a member as a value": (GET
                                             + "struct g { int *v; };\nint main(void) { "
                                             "struct g s, *g = &s; int *q; "
                                             "q = g->v = calloc(4, 4); int r = get(q) + get(b); "
                                             "free(q); return r; }\n",
                                             ["trace variable g->v"], 1),
    "arguments without names": (GET
                                + "static int first(int n, ...) { va_list l; va_start(l, n); "
                                "int *p = va_arg(l, int *); va_end(l); return get(p) + n; }\n"
                                "int main(void) { return first(1, a) + get(b); }\n",
                                ["trace variable a"], 1),
    "a function that gives a pointer to one": (GET
                                               + "static int (*ret(int *p, int n))(int *) { return "
                                               "p[n] == 7 ? ret(p, n - 1) : get; }\n"
                                               "int main(void) { return ret(a, 1)(b) + ret(b, "
                                               "1)(b); }\n",
                                               ["trace variable a"], 1),
    "memory in an object": ("static char pool[100], other[100];\nstatic int used;\nstatic int *v;\n"
                            "void *take(int n) { char *p = pool + used; used += n; return p; }\n"
                            "static int count(char *p) { int n = 0; for (int i = 0; i < 100; i++) "
                            "if (p[i]) n++; return n; }\n"
                            "int main(void) { v = take(40); v[1] = 1; return count(pool) + "
                            "count(other); }\n", ["trace variable v",
                                                  "trace allocator take size(1)"], 0),
    "two names": ("int a[4] = { 1 };\nextern int other[4] __attribute__((alias(\"a\")));\n"
                  "static int b[4];\nstatic int get(int *p) { return *p; }\n"
                  "int main(void) { return get(other) + get(b); }\n", ["trace variable a"], 0),
    "a type among the arguments": ("static int a[4], b[4];\nstatic int f(struct opaque *q, int *p) "
                                   "{ return !q + *p; }\nint main(void) { return f(0, a) + f(0, "
                                   "b); }\n", ["trace variable a"], 0),
}


@suite.case("what is anywhere, or can have no copy")
def programs():
    for name, (text, commands, copies) in PROGRAMS.items():
        got, said, rows = one(text, *commands, warnings=("-w",), how=("--flat",),
                              compilers=("gcc",))
        h.check(got == {"a.c": copies} and rows,
                f"{name}: {got}, not {copies}; {len(rows)}\n{said}")


@suite.case("more sets of arguments than a function gets copies: one for all")
def many():
    calls = "\n".join(f"\tr += f({', '.join('a' if k >> i & 1 else 'b' for i in range(4))});"
                      for k in range(16))
    text = ("static int a[4] = { 1 }, b[4] = { 2 };\nstatic int f(int *p, int *q, int *r, int *s)\n"
            "{\n\treturn *p + *q * 3 + *r * 5 + *s * 7;\n}\n"
            f"int main(void)\n{{\n\tint r = 0;\n{calls}\n\treturn r & 127;\n}}\n")
    copies, _, rows = one(text, "trace variable a")
    h.check(copies == {"a.c": 1} and len(rows) == 32, f"{copies} {len(rows)}")


@suite.case("several files: what the others call keeps its probes")
def several():
    folder = h.fresh("clones")
    (folder / "a.c").write_text("int get(const int *p), more(void);\nint a[4] = { 1 };\n"
                                "static int b[4] = { 2 };\nstatic int local(const int *p) { "
                                "return get(p) + *p; }\nint main(void) { return local(a) + "
                                "local(b) + get(b) + more(); }\n")
    (folder / "b.c").write_text("int get(const int *p);\nextern int a[4];\n"
                                "static int one(const int *p) { return *p; }\n"
                                "int get(const int *p)\n{\n\tint here = 5;\n"
                                "\treturn one(p) + one(&here) + one(a);\n}\n"
                                "int more(void) { int here = 6; return get(&here) + get(a); }\n")
    copies, said, rows = both_ways(folder, ["a.c", "b.c"],
                                   ["trace file a.c", "trace variable a", "trace file b.c"])
    h.check(copies == {"a.c": 1, "b.c": 2} and rows, f"{copies}\n{said}")
    h.check("b.c:4: get keeps its probes, for others who may call it: other files of the command "
            "may call it" in said, said)


@suite.case("in the place of the compiler")
def compile_mode():
    folder = h.fresh("clones")
    (folder / "a.c").write_text(EVERY)
    (folder / "commands").write_text("trace file a.c\ntrace variable a\n")
    run("gcc", "-w", "a.c", "-o", "plain", folder=folder)
    run(h.BOBBIN, "instrument", "--copies", "--compile", "commands", "--", "gcc", "-w", "a.c", "-o",
        "traced", folder=folder)
    native, traced = h.run([folder / "plain"], cwd=folder), h.record([folder / "traced"],
                                                                     ["--source"], folder / "t",
                                                                     cwd=folder)
    h.same(native, traced)
    names = run("nm", folder / "traced", folder=folder)
    h.check("bobbin_k1_work" in names, names)


@suite.case("the prediction knows the copies: as many accesses as in place, but for what is not "
            "reported")
def predicted():
    text = ("static int a[8], b[8];\nstatic int get(int *p)\n{\n\tint s = 0, i = 0;\n"
            "\twhile (i < 8)\n\t\ts += p[i++];\n\treturn s;\n}\nint main(void)\n{\n\tint r = 0;\n"
            "\tfor (int i = 0; i < 10; i++)\n\t\tr += get(b);\n\treturn r + get(a);\n}\n")
    _, said, rows = one(text, "trace variable a")
    h.check(len(rows) == 8 and "100 accesses are reported" in said, said)  # 100 trips are assumed


# --- programs at random ---

class Writer:
    """Functions that call each other with pointers of theirs, moved, chosen and kept."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.arguments = [self.r.randint(1, 3) for _ in range(6)]
        self.gives = [self.r.random() < 0.25 for _ in self.arguments]

    def pointer(self, known, k):
        """An expression of four elements."""
        r = self.r
        p, q = r.choice(known), r.choice(known)
        return r.choice([lambda: p] * 6
                        + [lambda: f"(n > {r.randint(0, 3)} ? {p} : {q})",
                           lambda: f"(int *)(char *){p}", lambda: f"(s++, {p})",
                           lambda: f"(&{p}[0])", lambda: "kept",
                           lambda: f"box.p[{r.randint(0, 1)}]", lambda: f"g{r.randint(0, 1)}"]
                        + [lambda j=j: self.call(known, j)
                           for j in range(k + 1, 6) if self.gives[j]])()

    def call(self, known, j):
        return (f"f{j}({', '.join(self.pointer(known, 99) for _ in range(self.arguments[j]))}, n - "
                f"1)")

    def statement(self, known, own, k):
        r = self.r
        p = self.pointer(known, k)
        callees = [j for j in range(6) if j > k or (j == k and k >= 0)]
        call = [lambda: f"if (n > 0) s += {'*' if self.gives[j] else ''}{self.call(known, j)};"
                for j in [r.choice(callees)]] if callees else []
        return r.choice([lambda: f"s += {p}[{r.randint(0, 3)}];",
                         lambda: f"{r.choice(known)}[{r.randint(0, 3)}] += s & 7;",
                         lambda: f"for (int i = 0; i < 4; i++) s += {r.choice(known)}[i];",
                         lambda: f"for (int i = 0; i < 4; i++) {r.choice(known)}[i] ^= i;"]
                        + ([lambda: f"{r.choice(own)} = {p};"] * 2 if own else [])
                        + [lambda: f"kept = {p};", lambda: f"box.p[{r.randint(0, 1)}] = {p};",
                           lambda: f"g{r.randint(0, 1)} = {p};"][:1 if r.random() < 0.2 else 0]
                        + call * 4)()

    def body(self, known, own, k):
        return "\n".join(f"\t{self.statement(known, own, k)}" for _ in range(self.r.randint(3, 7)))

    def function(self, k):
        arguments = [f"p{i}" for i in range(self.arguments[k])]
        own = [f"q{i}" for i in range(self.r.randint(0, 2))]
        known = arguments + own + self.r.choice([[], ["b"], ["a"]])
        return (f"static int "
                f"{'*' if self.gives[k] else ''}f{k}({', '.join('int *' + p for p in arguments)}, "
                f"int n)\n{{\n\tint s = n;\n" + "".join(f"\tint *{q} = "
                                                        f"{self.r.choice(arguments)};\n"
                                                        for q in own)
                + self.body(known, own + arguments, k) + (f"\n\ttotal += s;\n\treturn "
                                                          f"{self.r.choice(known)};\n}}\n"
                                                          if self.gives[k]
                                                          else "\n\treturn s;\n}\n"))

    def text(self):
        first = self.r.choice(["static int *g0 = b, *g1 = c;", "static int *g0 = b;\nint *g1 = a;"])
        heads = [f"static int "
                 f"{'*' if self.gives[k] else ''}f{k}({', '.join(['int *'] * self.arguments[k])}, "
                 f"int);" for k in range(6)]
        # calls through a pointer
        hooks = [k for k in range(6) if self.arguments[k] == 1 and not self.gives[k]
                 and self.r.random() < 0.5][:1]
        hook = "".join(f"static int (*volatile hook)(int *, int) = f{k};\n" for k in hooks)
        called = "".join("\n\ts += hook(a, 1) + hook(h, 2);" for _ in hooks)
        return ("#include <stdio.h>\n#include <stdlib.h>\n"
                "static int a[8] = { 1, 2, 3 }, b[8] = { 4, 5 }, c[8] = { 6 };\nstatic int total;\n"
                "static int *kept = b;\n"
                f"static struct {{ int *p[2]; }} box = {{ {{ b, c }} }};\n{first}\n"
                + "\n".join(heads) + "\n" + hook + "".join(self.function(k) for k in range(6)) +
                "int main(void)\n{\n\tint s = 0, n = 3;\n\tint *h = calloc(8, sizeof(*h)), *l = c, "
                "here[8] = { 9 };\n" +
                self.body(["a", "b", "c", "h", "l", "here"], ["l"], -1) + "\n"
                + self.body(["a", "b", "c", "h", "l", "here"], ["l"], -1) + called +
                "\n\tfor (int i = 0; i < 8; i++)\n\t\ttotal = total * 3 + a[i] + b[i] + c[i];\n"
                "\tprintf(\"%d %d\\n\", s, total);\n\tfree(h);\n\treturn 0;\n}\n")


def at_random(seed):
    w = Writer(seed)
    request = random.Random(seed).choice(["trace variable a", "trace variable a[1..2]",
                                          "trace variable main:h", "trace variable b"])
    one(w.text(), request, warnings=("-w",), how=("--flat",) if seed % 2 else (),
        flags=("-fwrapv",), compilers=("clang" if seed % 4 > 1 else "gcc",))


for number in range(SEEDS):
    suite.add(f"at random {number}", at_random, number)


# --- GCC's programs ---

def torture_one(path):
    folder = h.fresh("clones")
    text = path.read_text(errors="replace")
    (folder / "a.c").write_text(text)
    if h.run(["gcc", "-w", "-O1", "a.c", "-o", "plain", "-lm"],
             cwd=folder).status or h.run([folder / "plain"], cwd=folder, timeout=20).status:
        raise h.Skip("does not pass as it is")
    r = h.run([h.BOBBIN, "instrument", "-o", "all"], cwd=folder,
              stdin=b"trace file a.c\ntrace variable *\n")
    if r.status:
        raise h.Skip("clang refuses it")
    listed = (folder / "all" / "a.c").read_text(errors="replace")
    names = re.findall(r'^\{"(.*?)",', listed.split("bobbin_variables[]=")[1].split("{0,0,0")[0],
                       re.M) if "bobbin_variables[]=" in listed else []
    chance = random.Random(path.stem)
    requests = []
    for name in sorted(set(names)):
        m = re.fullmatch(r"(\w+)(?: in (\w+))?", name)
        if m and chance.random() < 0.5:
            requests.append(f"trace variable {m[2] + ':' if m[2] else ''}{m[1]}")
    if not requests:
        raise h.Skip("has no variables")
    if re.search(r"typedef[^;]* u?int(8|16|32|64|ptr)_t;", text):
        raise h.Skip("has other types by names of <stdint.h>")
    both_ways(folder, ["a.c"], ["trace file a.c", *requests], warnings=("-w",), compilers=("gcc",),
              how=("--flat",))


def main():
    why = why_not()
    if why:
        print(f"skip source c clones: {why}")
        return 77
    try:
        torture.unpack()
        every = int(os.environ.get("BOB_TEST_TORTURE_EVERY", h.share(120, 60)))
        for path in [p for p in sorted((torture.TREE / "gcc.c-torture/execute").glob("*.c"))
                     if torture.fit(p)][::every]:
            suite.add(f"torture {path.stem}", torture_one, path)
    except h.Skip as e:
        print(f"programs of GCC left out: {e}")
    status = suite.run()
    print(f"{COUNTS['copies']} copies, {COUNTS['accesses']} accesses")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
