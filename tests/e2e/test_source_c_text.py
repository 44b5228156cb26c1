#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The C front end of the instrumenter, where the text matters: macros, `register`, where variables
begin and end, jumps, pragmas."""

import sys

import harness as h
from c_probes import TOOL, WAYS, accesses, build, canonical, check, counts, instrument, why_not

suite = h.Suite("source c text")


MACROS = """
#define AT(i, j) a[(i) * 2 + (j)]
#define N n
#define TWICE(x) ((x) + (x))
#define SWAP(x, y) do { int t_ = x; \\
	x = y; y = t_; } while (0)
#define DECLARE(v, k) int v = k; const char *v##_text = "/* " #v
#define LINE (__LINE__ + n - n)
static int a[8] = { 3, 1, 4, 1, 5 }, n = 2;
int main(void)
{
	AT(1, 1) = AT(0, N) + N;
	SWAP(a[0],
	     n);
	DECLARE(k, n);
	if (LINE != 16 || k_text[3] != 'k')
		return 1;
	return TWICE(n) + k != 9 || TWICE(3) != 6;
}
"""


@suite.case("macros: a use that is in the way of a probe is replaced by what it stands for; no "
            "other is, and no definition")
def _():
    r = check(
        MACROS,
        """12 R a+8 4;12 R n+0 4;12 W a+12 4;12 R n+0 4; 13 R a+0 4;13 R n+0 4;13 W a+0 4;13 W n+0 4
        15 R n+0 4;16 R n+0 4;16 R n+0 4;18 R n+0 4;18 R n+0 4""",
        "--variable=a", "--variable=n",
    )
    text = r.out.decode()
    h.check("TWICE(3)" in text and "AT(1, 1)" in text, "a use that was not in the way is gone")
    for line in MACROS.splitlines():
        h.check(not line.startswith("#") or line in text, f"gone: {line}")


ALIASES = """
#include <sys/stat.h>
#define PUT(d, s) { int *to_ = (d); const int *from_ = (s); *to_ = *from_; }
#define PUT_ITEM PUT
#define PUT_FIRST PUT_ITEM
#define AT(i) v[i]
#define ITEM AT
#define NTH ITEM
#define NAMED(x) x
#define PASTED(x) AT ## x
#define PAIR v[1], v[2]
#define TWO PAIR
#define LIST(...) __VA_ARGS__
#define REGULAR S_ISREG
#define CALL twice
#define LATER PUT_IT
#define PUT_IT(x) (v[0] = (x))
#undef PUT_IT
#define PUT_IT(x) (v[x] = (x))
#define CURRIED(x) AT
static int v[4] = { 3, 1, 4, 1 };
static int twice(int x) { return 2 * x; }
static int sum(int x, int y) { return x + y; }
int main(void)
{
	mode_t mode = S_IFREG;
	PUT_ITEM(&v[0], &v[1]);
	PUT_FIRST /* v[0 */ (&v[1],
		")" ? &v[2] : 0);
	NTH(2) = ITEM(0);
	ITEM (3)++;
	NAMED(AT)(1) += PASTED()(2);
	if (!REGULAR(mode) || sum(TWO) + sum(LIST(v[0], v[1])) != 12)
		return 1;
	LATER(3);
	CURRIED(1)(1)--;
#undef PUT_ITEM
#define PUT_ITEM(x) v[x]
	return CALL(v[1]) + PUT_ITEM(3) + mode != 8 + 3 + S_IFREG;
}
"""


@suite.case("macros: one that ends with the name of another takes the following brackets along")
def _():
    want = """26 W mode+0 4; 27 R v+4 4;27 W v+0 4; 28 R v+8 4;28 W v+4 4; 30 R v+0 4;30 W v+8 4;
        31 U v+12 4; 32 R v+8 4;32 U v+4 4;
        33 R mode+0 4;33 R v+4 4;33 R v+8 4;33 R v+0 4;33 R v+4 4; 35 W v+12 4; 36 U v+4 4;
        39 R v+4 4;39 R v+12 4;39 R mode+0 4"""
    check(ALIASES, want, "--variable=v", "--variable=mode")
    folder = h.fresh("source")
    (folder / "a.c").write_text(ALIASES)
    (folder / "a.cmd").write_text("trace file a.c\ntrace variable v\n")
    for option in ("--flat", "--exact", "--no-hold", "--copies"):
        for compiler in ("gcc", "no-such-compiler"):
            out = folder / (compiler + option)
            r = h.run([h.BOBBIN, "instrument", option, "-o", out, "a.cmd"], cwd=folder,
                      env=h.environment({"CC": compiler}))
            said = (r.out + r.err).decode()
            h.check(r.status == 0 and ("written in a macro" in said) == (compiler != "gcc"), str(r))
            h.check(h.run([build(folder, out / "a.c", flags=("-w", f"-I{out}"))]).status == 0,
                    f"{option} {compiler}")


@suite.case("macros: what they stand for is said by the headers beside the file, not by others of "
            "their names")
def _():
    folder = h.fresh("source")
    for name, value in ((".", 1), ("src", 2), ("flag", 3)):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "put.h").write_text(f"#define PUT(x) ((x) = {value}, n++)\n")
    text = ("#include \"put.h\"\n#include <stdio.h>\nint n, v;\nint main(void)\n{\n\tPUT(v);\n"
            "\tprintf(\"%d %d\\n\", v, n);\n\treturn 0;\n}\n")
    _, r = instrument(text, "--variable=n", flags=("-iquote", "flag"), folder=folder,
                      name="src/a.c")
    h.check(b"= 2, BOBBIN_AT" in r.out, str(r))
    for cc in ("gcc", "clang"):
        after, log = accesses(build(folder, "new.c", cc, ("-w", "-iquote", "src")))
        h.check(after.out == b"2 1\n"
                and [row.split()[2] for row in log.splitlines()] == ["n+0", "n+0"],
                f"{after}\n{log}")


@suite.case("macros: without a compiler, or where the text would mean something else, a piece gets "
            "no probe and is counted")
def _():
    for text, seen in (("int g(int x);\n#define g(x) g(x + n)\nstatic int n = 1;\n"
                        "int main(void) { return g(2) != 4; }\nint (g)(int x) { return x + 1; }\n",
                        ""),
                       ("#define ODD(x) _Pragma(\"GCC unroll 2\") for (int i = 0; i < 2; i++) x\n"
                        "int n; int main(void)\n{\n\tODD(n++);\n\treturn n != 2;\n}\n",
                        "5 R n+0 4")):
        r = check(text, seen, "--variable=n")
        h.check("written in a macro" in r.err.decode(), str(r))
    folder = h.fresh("source")
    (folder / "a.c").write_text(MACROS)
    r = h.run([TOOL, "a.c", "--variable=n", "--"], cwd=folder,
              env=h.environment({"CC": "no-such-compiler"}))
    h.check(r.status == 0 and "written in a macro" in r.err.decode() and b"SWAP(a[0]," in r.out,
            str(r))


@suite.case("register: the word goes where it is in the way; a register that is named stays")
def _():
    r = check(
        """
static int sum(p, n)
	register const int *p;
	register int n;
{
	register int i, s = 0;
	register long sp __asm__("r12") = 1;
	register long untraced = sizeof sp;
	for (i = 0; i < n; i++)
		s += p[i];
	return s + (sp != 0) + (int)untraced;
}
int v[3] = { 1, 2, 3 };
int main(void)
{
	return sum(v, 3) != 15;
}
""",
        """6 W s+0 4; 9 W i+0 4;9 R i+0 4;9 R n+0 4; 10 R p+0 8;10 R i+0 4;10 U s+0 4;
        9 U i+0 4;9 R i+0 4;9 R n+0 4; 10 R p+0 8;10 R i+0 4;10 U s+0 4;
        9 U i+0 4;9 R i+0 4;9 R n+0 4; 10 R p+0 8;10 R i+0 4;10 U s+0 4;
        9 U i+0 4;9 R i+0 4;9 R n+0 4; 11 R s+0 4""",
        "--variable=p", "--variable=n", "--variable=i", "--variable=s", "--variable=sp",
    )
    text = r.out.decode()
    h.check("register long sp __asm__" in text and "register long untraced" in text
            and "register int i" not in text and "register int n" not in text, text)
    h.check("in a register" in r.err.decode(), str(r))


@suite.case("variables of a block: declared where their declarations are, discarded where they end")
def _():
    folder, _ = instrument(
        "int main(void)\n{\n\tint s = 0;\n\tfor (int i = 0; i < 3; i++) {\n\t\tint v[i + 1];\n"
        "\t\tv[i] = i;\n\t\ts += v[i];\n"
        "\t}\n\treturn s != 3;\n}\n", "--variable=s", "--variable=v")
    for cc, level in WAYS:
        r, log = accesses(build(folder, "new.c", cc, ("-w", level)))
        h.check(r.status == 0, str(r))
        want = ["3 W s+0 4"]
        for i in range(3):
            want += [f"6 W v+{4 * i} 4", f"7 R v+{4 * i} 4", "7 U s+0 4"]
        h.check(canonical(log.splitlines()) == canonical([*want, "9 R s+0 4"]), log)


@suite.case("a goto into a loop: its variables, and the loop, are not reported")
def _():
    r = check(
        """
int h = 1, j;
int main(void)
{
	for (int g = 0; g <= 2; ++g) {
L:
		if (j)
			break;
	}
	for (; h;) {
		h = 0, j = 1;
		goto L;
	}
	return 0;
}
""",
        "10 R h+0 4;11 W h+0 4;10 R h+0 4", "--variable=h", "--variable=g", "--loops",
    )
    h.check("jumped over" in r.err.decode() and b"bobbin_loop bobbin_l0 " in r.out
            and b"bobbin_l1 " not in r.out, str(r))


BITS = """
struct flags { char name; unsigned low : 3, mid : 9, : 4; signed high : 7; \
struct { unsigned in : 2; } part[2]; \
union { struct { int deep : 5, far : 20; }; int all; }; };
static struct flags f, many[3];
#define MID(p) (p)->mid
static struct flags *next(struct flags *p) { return p + 1; }
static int use(const struct flags *p, volatile struct flags *v)
{
	v->low++;
	v->high = -p->high;
	return MID(p) + v->far;
}
int main(void)
{
	int i = 1;
	f.low = 5;
	f.mid += f.low * 20;
	(f).high = 3, f.part[i].in = 2;
	many[i].far = f.part[1].in;
	next(many)->deep = -1;
	struct flags *p = &many[i];
	p->mid = 300;
	return use(p, &f) + f.low + f.high + p->deep != 302;
}
"""


@suite.case("bit-fields: the bytes that they lie in")
def _():
    check(
        BITS,
        """15 W f+1 1; 16 R f+1 1;16 U f+1 2; 17 W f+3 1;17 W f+8 1; 18 R f+8 1;18 W many+28 4;
        19 W many+28 1; 21 W many+17 2
        8 U f+1 1; 9 R many+19 1;9 W f+3 1; 10 R many+17 2;10 R f+12 4;
        22 R f+1 1;22 R f+3 1;22 R many+28 1""",
        "--variable=f", "--variable=many",
    )


PACKED = """struct in { char k; short s; };
struct head { char c; int n; int v[2]; struct in in; struct head *next; } __attribute__((packed));
struct whole { int a; double b; };
struct out { char c; struct whole w; struct whole many[2]; } __attribute__((packed));
struct part { char c; int x __attribute__((packed)); long y; };
static struct head h;
static struct out o;
static struct part t;
#define MEMBER(p) (p)->n
static int f(struct head *p, int i)
{
	p->n += 2;
	p->v[i]++;
	p->in.s = 3;
	MEMBER(p) = p->next->next->n;
	return p->v[1];
}
int main(void)
{
	const int two = 2;
	h.next = &h;
	o.w.b = 1;
	o.many[1].a = (int)o.w.b;
	t.x = 2;
	t.y = t.x;
	for (int i = 0; i < 2; i++)
		o.many[i].b = i;
	o.w = o.many[0];
	return f(&h, 1) - 1 + 0 * two;
}
"""


@suite.case("packed structs: no compiler warns of a probe, none takes an address that is wrong for "
            "its type")
def _():
    requests = ("--variable=h", "--variable=o", "--variable=t")
    expected = """21 W h+17 8;22 W o+9 8;23 R o+9 8;23 W o+33 4;24 W t+1 4;25 R t+1 4;25 W t+8 8;
27 W o+25 8;27 W o+41 8;28 R o+17 16;28 W o+1 16;
12 U h+1 4;13 U h+9 4;14 W h+15 2;15 R h+17 8;15 R h+17 8;15 R h+1 4;15 W h+1 4;16 R h+9 4"""
    for way in ((), ("--flat",)):
        check(PACKED, expected, *requests, *way)
        folder, _ = instrument(PACKED, *requests, *way)
        for cc in ("gcc", "clang"):
            exe = build(folder, "new.c", cc,
                        ("-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined",
                         "-fno-sanitize-recover=all"))
            h.check(accesses(exe)[0].status == 0, "the sanitizer says something")


@suite.case("what a pragma rules keeps its form")
def _():
    text = """
static int n, v[100];
int main(void)
{
	#pragma omp parallel for
	for (int i = 0; i < 100; i++) {
		v[i] = i;
		#pragma omp atomic
		n += v[i];
	}
	return n != 4950;
}
"""
    folder, r = instrument(text, "--variable=v", "--variable=n", flags=["-fopenmp"])
    h.check(b"for (int i = 0; i < 100; i++) {" in r.out and b"\t\tn += v[i];" in r.out,
            r.out.decode())
    h.check(counts(r)["probes"] == 2 and b"refused 2: a pragma requires" in r.err, str(r))
    after, _ = accesses(build(folder, "new.c", "gcc", ("-w", "-O2", "-fopenmp")))
    h.check(after.status == 0, str(after))


@suite.case("macros that stand for a pragma rule as it does: its words are looked for in what they "
            "stand for")
def _():
    text = """
#define PRAGMA(x) _Pragma(#x)
#define KIND atomic
#define OMP(x) PRAGMA(omp x)
#define ONE_BY_ONE OMP(KIND)
#define TEAM OMP(parallel for)
#define TOGETHER(n) OMP(parallel for collapse(n))
static int n, m = 5, v[100];
int main(void)
{
	TEAM
	for (int i = 0; i < 100; i++) {
		v[i] = i;
		ONE_BY_ONE
		n += v[i];
		OMP(atomic) n += v[0];
	}
	TOGETHER(2)
	for (int i = 0; i < 20; i++)
		for (int j = 0; j < m; j++)
			v[5 * i + j] = j;
	return n != 4950 || v[99] != 4;
}
"""
    folder, r = instrument(text, "--variable=v", "--variable=n", "--variable=m", flags=["-fopenmp"])
    for kept in (b"for (int j = 0; j < m; j++)\n", b"\t\tn += v[i];", b" n += v[0];"):
        h.check(kept in r.out, r.out.decode())
    h.check(b"refused 5: a pragma requires" in r.err, str(r))
    after, log = accesses(build(folder, "new.c", "gcc", ("-w", "-O2", "-fopenmp")))
    h.check(after.status == 0 and log.count(" W v+") == 200, f"{after}")


@suite.case("loops that a pragma takes together keep their heads")
def _():
    text = """
static int n = 5, v[100];
int main(void)
{
	#pragma omp parallel for collapse(2)
	for (int i = 0; i < 20; i++)
		for (int j = 0; j < n; j++)
			v[5 * i + j] = j;
	return v[99] != 4;
}
"""
    folder, r = instrument(text, "--variable=v", "--variable=n", flags=["-fopenmp"])
    h.check(b"for (int j = 0; j < n; j++)\n" in r.out and b"a pragma requires" in r.err, str(r))
    after, log = accesses(build(folder, "new.c", "gcc", ("-w", "-O2", "-fopenmp")))
    h.check(after.status == 0 and log.count(" W v+") == 100, f"{after}")


@suite.case("a pragma on several lines, before a comment or another pragma, or as an operator")
def _():
    text = """
#include <stdio.h>
static int n = 5, v[100], *end = v + 5;
int main(void)
{
	int i;
	#pragma omp parallel for default(none) \\
		shared(n, v) \\
		collapse(2)
	/* a comment: #pragma
	   of two lines */
	for (int i = 0; i < 20; i++)
		for (int j = 0; j < n; j++)
			v[5 * i + j] = j;
	#pragma omp parallel for
	// no pragma
	for (i = 0; i < n; i++) {
		#pragma omp atomic /* noted */
		/* once more */
		v[2] += 1;
		#pragma omp atomic \\
			update
		v[3] += 1;
	}
	_Pragma("omp parallel for schedule(static, \\"x\\"[0] - 'w')") for (i = 0; i < n; i++)
		v[4] = 1;
	printf("%d", n); _Pragma("omp parallel for")
	for (i = 0; i < n; i++)
		v[i] = 2 * i;
	#pragma omp parallel for schedule(static)
	/**/
	for (int *p = v; p < end; p++)
		++*p;
	#pragma GCC ivdep
	/* here, too */
	for (i = 0; i < n; i++)
		v[i + 10] = v[i];
	return v[13] != 7;
}
"""
    folder, r = instrument(text, "--variable=*", flags=["-fopenmp"])
    for line in ("for (int j = 0; j < n; j++)\n", "\t\tv[2] += 1;", "\t\tv[3] += 1;",
                 "p < end; p++)\n"):
        h.check(line in r.out.decode(), r.out.decode())
    own = r.out.decode().partition("int main(void)")[2]
    h.check(own.count("for (i = 0; i < n; i++)") == 4, r.out.decode())
    for cc in ("gcc", "clang"):
        after, log = accesses(build(folder, "new.c", cc,
                                    ("-w", "-O2") + (("-fopenmp",) if cc == "gcc" else ())))
        h.check(after.status == 0 and log, f"{cc} {after}")


@suite.case("default(none): probes name nothing that the user must share")
def _():
    text = """
#include <stdlib.h>
static int a[4], m[8][8];
int main(void)
{
	int n = 100, *p = malloc(40);
	#pragma omp parallel default(none) shared(a, m, n, p)
	{
		int mine[3] = { 0 };
		for (int i = 0; i < n; i++)
			a[i & 3] = 1 + mine[i % 3];
		#pragma omp single
		{
			for (int i = 0; i < 8; i++)
				for (int j = 0; j < 8; j++)
					m[i][j] = i;
			for (int i = 0; i < 8; i++)
				for (int j = 0; j < i; j++)
					m[i][j]++;
			p[1] = m[7][2];
		}
	}
	n = p[1];
	free(p);
	return a[3] != 1 || n != 8;
}
"""
    folder, r = instrument(text, "--variable=a", "--variable=m", "--variable=p", "--variable=mine",
                           flags=["-fopenmp"])
    h.check(b"bobbin_nest(0," in r.out and b"bobbin_uneven(1," in r.out, r.out.decode())
    for level in ("-O0", "-O2"):
        after, log = accesses(build(folder, "new.c", "gcc",
                                    ("-Wall", "-Wextra", "-Werror", level, "-fopenmp")))
        h.check(after.status == 0 and log, str(after))


@suite.case("the same text each time")
def _():
    names = [f"v{i}" for i in range(30)]
    text = ("".join(f"double {v}[6];\n" for v in names)
            + "int main(void)\n{\n\tdouble *all[] = { %s };\n\tfor (int i = 0; i < 30; i++)\n"
            "\t\tall[i][2] = i;\n\treturn 0;\n}\n" % ", ".join(names))
    new = {instrument(text, *(f"--variable={v}" for v in names))[1].out for _ in range(4)}
    h.check(len(new) == 1 and min(new).count(b"(void)bobbin_local(") >= 30, f"{len(new)} texts")


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        sys.exit(77)
    sys.exit(suite.run())
