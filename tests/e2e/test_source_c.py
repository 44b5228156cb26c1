#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The C front end of the instrumenter: what it writes compiles, does what the original does, and its probes see what the oracle says.

The recorder is that of tests/prog/source/log_probe.c: a line for each access. Operands of one line of source have no order in C, so
lines of the log that stand beside each other and are of one line of source are compared sorted."""

import itertools
import os
import re

import harness as h
import test_gcc_torture as torture

suite = h.Suite("source c")
TOOL = os.path.join(os.environ.get("BOBBIN_BUILD", str(h.ROOT / "build" / "release")), "tests", "instrument_c")
PROBE = h.PROG / "source"
EXPORT = "-Wl,--export-dynamic-symbol=bobbin_probe_1"
WAYS = [(cc, level) for cc in ("gcc", "clang") for level in ("-O0", "-O1", "-O2", "-O3")]


def instrument(text, *wishes, flags=(), folder=None, status=0, name="a.c"):
    """(folder with a.c and new.c, result)"""
    folder = folder or h.fresh("source")
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    r = h.run([TOOL, name, *wishes, "--", *flags], cwd=folder)
    h.check(r.status == status, f"status {r.status}, not {status}\n{r}")
    (folder / "new.c").write_bytes(r.out)
    return folder, r


def build(folder, source, cc="gcc", flags=("-w",)):
    exe = folder / f"{source}.{cc}"
    log = h.compile("log_probe.o", [PROBE / "log_probe.c"], cc, ["-w", "-O1", "-fPIC", f"-I{h.ROOT}/include", "-c"])
    r = h.run([cc, *flags, f"-I{h.ROOT}/include", source, log, EXPORT, "-o", exe, "-lm"], cwd=folder)
    h.check(r.status == 0, f"does not compile\n{r}")
    return exe


def accesses(exe):
    log = exe.with_suffix(".log")
    log.unlink(missing_ok=True)
    r = h.run([exe], env=h.environment({"BOB_TEST_LOG": str(log)}))
    return r, log.read_text() if log.exists() else ""


def canonical(lines):
    """Neighbours of one line of source, sorted."""
    rows = [line.split(None, 1) for line in lines]
    return [(at, sorted(b for _, b in group)) for at, group in itertools.groupby(rows, key=lambda r: r[0])]


def check(text, expected, *wishes, flags=()):
    """All compilers and levels see `expected`, and the program says what it said before."""
    folder, r = instrument(text, *wishes, flags=flags)
    want = canonical(line.strip() for line in expected.replace(";", "\n").splitlines() if line.strip())
    native = h.run([build(folder, "a.c", flags=("-w", *flags))])
    for cc, level in WAYS:
        exe = build(folder, "new.c", cc, ("-w", level, *flags))
        after, log = accesses(exe)
        h.same(native, after, f"{cc} {level}")
        got = canonical(log.splitlines())
        h.check(got == want, f"{cc} {level}: accesses differ\ngot  {got}\nwant {want}\n{r.out.decode()}")
    return r


def counts(r):
    return {k: int(v) for k, v in re.findall(r"([\w-]+) (\d+)", r.err.decode().splitlines()[0])}


@suite.case("operators: reads, writes, updates, and what is not evaluated")
def _():
    check(
        """
int x = 1, y, v[4]; struct { int a, b[3]; } s;
int main(void)
{
	y = x;
	x += y++;
	v[x] = -v[y];
	s.b[v[2] & 1] = 1, s.a = sizeof(v[x]);
	int *p = &x;
	return (y > 5 && x) || s.a != sizeof x;
}
""",
        """5 R x+0 4;5 W y+0 4; 6 U x+0 4;6 U y+0 4; 7 R x+0 4;7 R y+0 4;7 R v+8 4;7 W v+8 4
        8 R v+8 4;8 W s+4 4;8 W s+0 4; 10 R y+0 4;10 R s+0 4""",
        "--variable=x", "--variable=y", "--variable=v", "--variable=s",
    )


@suite.case("one variable of several, in some lines, in one function")
def _():
    text = """
static int n, k;
static int f(int n)
{
	n++;
	return n + k;
}
int main(void)
{
	n = 2;
	k = f(n);
	n = k;
	return n != 3;
}
"""
    check(text, "10 W n+0 4;11 R n+0 4", "--variable=n", "--function=", "--lines=10-11")
    check(text, "5 U n+0 4;6 R n+0 4", "--variable=n", "--function=f")
    check(text, "12 R k+0 4", "--variable=k", "--lines=12-0")


@suite.case("a box: what is outside gets no probe, what is inside is proved")
def _():
    text = """
double c[20][4];
int main(void)
{
	int i = 3;
	c[0][0] = 1;
	c[2][1] = c[11][1];
	c[i][2] = c[1][1 + 1];
	return c[10][3] != 0;
}
"""
    folder, r = instrument(text, "--variable=c", "--box=1..10")
    n = counts(r)
    h.check((n["proved"], n["filtered"], n["dropped"]) == (3, 1, 2), str(r))
    folder, r = instrument(text, "--variable=c", "--box=1..10,2..3")
    n = counts(r)
    h.check((n["proved"], n["filtered"], n["dropped"]) == (2, 1, 3), str(r))


@suite.case("pointers: a traced array is seen inside the function it is given to, and other arrays are not")
def _():
    r = check(
        """
static double a[4], b[4];
static int k[4];
static double sum(const double *p, int *q)
{
	double s = 0;
	for (int i = 0; i < 2; i++)
		s += p[i] + q[i];
	return s;
}
int main(void)
{
	a[1] = 2;
	double s = sum(b, k);
	s += sum(a + 1, k);
	*(&a[3]) = s;
	return a[1] + a[3] != 4;
}
""",
        "13 W a+8 8; 8 R a+8 8;8 R a+16 8; 16 W a+24 8; 17 R a+8 8;17 R a+24 8",
        "--variable=a",
    )
    n = counts(r)
    h.check(n["filtered"] == 1 and n["proved"] == 4, str(r))


@suite.case("array parameters are pointers: what they point at is the caller's, or their own by their bounds")
def _():
    text = """
static double grid[3][4];
static void set(double a[3][4], int n)
{
	for (int i = 0; i < n; i++)
		a[i][1] = a[i][0] + *a[2] + (*(a + 1))[3];
}
int main(void)
{
	set(grid, 2);
	return grid[0][1] != 0;
}
"""
    offsets = [(0, 64, 56, 8), (32, 64, 56, 40)]
    inside = [f"6 {k} {{n}}+{o} 8" for row in offsets for k, o in zip("RRRW", row)]
    check(text, "\n".join(inside + ["11 R grid+8 8"]).replace("{n}", "grid"), "--variable=grid")
    check(text, "\n".join(inside).replace("{n}", "a"), "--variable=a", "--function=set")


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


@suite.case("macros: a use that is in the way of a probe is replaced by what it stands for; no other is, and no definition")
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


@suite.case("macros: without a compiler, or where the text would mean something else, a piece gets no probe and is counted")
def _():
    for text, seen in (("int g(int x);\n#define g(x) g(x + n)\nstatic int n = 1;\nint main(void) { return g(2) != 4; }\nint (g)(int x) { return x + 1; }\n", ""),
                       ("#define ODD(x) _Pragma(\"GCC unroll 2\") for (int i = 0; i < 2; i++) x\nint n; int main(void)\n{\n\tODD(n++);\n\treturn n != 2;\n}\n", "5 R n+0 4")):
        r = check(text, seen, "--variable=n")
        h.check("written in a macro" in r.err.decode(), str(r))
    folder = h.fresh("source")
    (folder / "a.c").write_text(MACROS)
    r = h.run([TOOL, "a.c", "--variable=n", "--"], cwd=folder, env=h.environment({"CC": "no-such-compiler"}))
    h.check(r.status == 0 and "written in a macro" in r.err.decode() and b"SWAP(a[0]," in r.out, str(r))


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
        """6 W s+0 4; 9 W i+0 4;9 R i+0 4;9 R n+0 4; 10 R p+0 8;10 R i+0 4;10 U s+0 4; 9 U i+0 4;9 R i+0 4;9 R n+0 4; 10 R p+0 8;10 R i+0 4;10 U s+0 4;
        9 U i+0 4;9 R i+0 4;9 R n+0 4; 10 R p+0 8;10 R i+0 4;10 U s+0 4; 9 U i+0 4;9 R i+0 4;9 R n+0 4; 11 R s+0 4""",
        "--variable=p", "--variable=n", "--variable=i", "--variable=s", "--variable=sp",
    )
    text = r.out.decode()
    h.check("register long sp __asm__" in text and "register long untraced" in text and "register int i" not in text and "register int n" not in text, text)
    h.check("in a register" in r.err.decode(), str(r))


@suite.case("variables of a block: told of where they are declared, forgotten where they end")
def _():
    folder, _ = instrument(
        "int main(void)\n{\n\tint s = 0;\n\tfor (int i = 0; i < 3; i++) {\n\t\tint v[i + 1];\n\t\tv[i] = i;\n\t\ts += v[i];\n"
        "\t}\n\treturn s != 3;\n}\n", "--variable=s", "--variable=v")
    for cc, level in WAYS:
        r, log = accesses(build(folder, "new.c", cc, ("-w", level)))
        h.check(r.status == 0, str(r))
        want = ["3 W s+0 4"]
        for i in range(3):
            want += [f"6 W v+{4 * i} 4", f"7 R v+{4 * i} 4", "7 U s+0 4"]
        h.check(canonical(log.splitlines()) == canonical([*want, "9 R s+0 4"]), log)


@suite.case("a goto into a loop: its variables, and the loop, are not told of")
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
    h.check("jumped over" in r.err.decode() and b"bobbin_loop bobbin_l0 " in r.out and b"bobbin_l1 " not in r.out, str(r))


BLOCKS = """
#include <stdlib.h>
#define NEW(type, n) ((type *)malloc((n) * sizeof(type)))
#define FREE(p) do { free(p); p = 0; } while (0)
static int *a, *b;
static short wide(int n) { return (short)n; }
static int third(const int *p) { return p[2]; }
int main(void)
{
	int n = 3, s;
	int (*m)[2] = calloc(n, sizeof *m);
	a = malloc(wide(n) * sizeof *a);
	a[2] = 5;
	s = third(a);
	m[2][1] = s;
	a = realloc(a, 8 * sizeof *a);
	a[7] = a[2];
	if (!(b = NEW(int, n++)))
		return 1;
	b[n - 2] = m[2][1];
	s += b[2];
	FREE(b);
	free(a);
	for (int i = 0; i < 100; i++) {
		int *other = malloc(32 + i);
		other[1] = i;
		s += other[1] - i;
		free(other);
	}
	free(m);
	return s != 10;
}
"""


@suite.case("blocks: what malloc and its like give to a traced pointer is declared, and gone when it is given back")
def _():
    want = """12 W a+0 8; 13 R a+0 8;13 W *a+8 4; 14 R a+0 8; 7 R *a+8 4; 15 R m+0 8;15 W *m+20 4; 16 R a+0 8;16 W a+0 8;
        17 R a+0 8;17 R *a+8 4;17 R a+0 8;17 W *a+28 4; 20 R m+0 8;20 R *m+20 4; 23 R a+0 8; 30 R m+0 8"""
    check(BLOCKS, "11 W m+0 8;" + want, "--variable=a", "--variable=m")
    check(BLOCKS, "18 W b+0 8; 20 R b+0 8;20 W *b+8 4; 21 R b+0 8;21 R *b+8 4; 22 R b+0 8;22 W b+0 8", "--variable=b")


# --- nests: one probe for all accesses of loops ---

KERNELS = r"""
#include <stdio.h>
#include <stdlib.h>
#define N 6
static double a[N][N], b[N][N], d[N * N], sum;
static struct { double x, y[3]; } s[N];
static int idx[N] = { 5, 3, 1, 0, 2, 4 }, count = N;
static void turn(int n, double *c, const double *restrict x)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			c[i * n + j] = x[j * n + i] * 2;
}
static void triangle(unsigned n)
{
	for (unsigned i = 1; i < n; ++i) {
		for (unsigned j = 0; j < i; j += 2)
			a[i][j] += b[j][i];
	}
}
struct grid { int n; double *v; };
static void scale(struct grid *g, double by)
{
	for (int i = 0; i < g->n; i++)
		g->v[i] *= by;
}
int main(void)
{
	int i, j, k;
	for (i = 0; i < N; i++)
		for (j = N - 1; j >= 0; j--) {
			double t = i + j;
			a[i][j] = t;
			b[j][i] = t * a[i][j];
		}
	for (i = 0; i < N; i++)
		for (j = 0; j < N; j++)
			for (k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];
	turn(N, d, &a[0][0]);
	turn(0, NULL, NULL);
	triangle(N);
	triangle(0);
	for (i = 0; i < N; i++) {
		s[i].x = s[N - 1 - i].y[1] + d[2 * i + 1];
		s[i].y[i % 3] = 1;
	}
	for (i = 0; i < N; i++)
		d[idx[i]] = i;
	for (i = 0; i < N && sum > 0; i++)
		d[i] += 1;
	for (i = 1; i < N - 1; i++)
		d[i] = (d[i - 1] + d[i + 1]) / 2;
	for (i = 0; i < count; i++)
		count = 4, d[i] = 0;
	for (i = 0; i < N; i++) {
		if (i == 3)
			continue;
		b[i][0] = abs(i);
	}
	for (i = 10; i > 0; i -= 3)
		d[i] = d[10 - i];
	struct grid g = { 5, d }, none = { 0, NULL };
	scale(&g, 2);
	scale(&none, 2);
	printf("%g %g %g\n", sum, d[3], s[2].x);
	return 0;
}
"""


@suite.case("nests: the same accesses as one by one, and where they may not be, none")
def _():
    wishes = ["--variable=a", "--variable=b", "--variable=d", "--variable=sum", "--variable=s"]
    folder, r = instrument(KERNELS, *wishes)
    n = counts(r)
    # fill, product, turn, triangle (its inner loop), smooth, the one with step -3, scale
    h.check((n["nests"], n["in-nests"]) == (7, 16), str(r))
    native = h.run([build(folder, "a.c")])
    flat, r = instrument(KERNELS, *wishes, "--flat")
    h.check(counts(r)["nests"] == 0, str(r))
    _, want = accesses(build(flat, "new.c"))
    h.check(len(want.splitlines()) > 900, want)
    for cc, level in WAYS:
        after, log = accesses(build(folder, "new.c", cc, ("-w", level)))
        h.same(native, after, f"{cc} {level}")
        h.check(canonical(log.splitlines()) == canonical(want.splitlines()), f"{cc} {level}: accesses differ")


@suite.case("nests: in the order in which they happen")
def _():
    text = """
static int v[8], w[4];
int main(void)
{
	for (int i = 0; i < 4; i++) {
		w[i] = v[2 * i] + v[7 - i];
		v[2 * i]++;
	}
	return 0;
}
"""
    folder, r = instrument(text, "--variable=v", "--variable=w")
    h.check(counts(r)["nests"] == 1, str(r))
    _, log = accesses(build(folder, "new.c"))
    want = []
    for i in range(4):
        want += [f"6 R v+{8 * i} 4", f"6 R v+{28 - 4 * i} 4", f"6 W w+{4 * i} 4", f"7 U v+{8 * i} 4"]
    h.check(log.splitlines() == want, log)


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
    h.check(b"for (int i = 0; i < 100; i++) {" in r.out and b"\t\tn += v[i];" in r.out, r.out.decode())
    h.check(counts(r)["probes"] == 2 and b"refused 2: below a pragma" in r.err, str(r))
    after, _ = accesses(build(folder, "new.c", "gcc", ("-w", "-O2", "-fopenmp")))
    h.check(after.status == 0, str(after))


@suite.case("an error of syntax: where, and nothing written")
def _():
    _, r = instrument("int x;\nint main(void)\n{\n\treturn x +;\n}\n", "--variable=x", status=1)
    h.check(r.out == b"" and b"a.c:4:12: expected expression" in r.err, str(r))


@suite.case("a wish for what is not there: what may have been meant")
def _():
    text = "static int alpha;\nstatic int f(int count)\n{\n\treturn alpha + 1;\n}\nint main(void)\n{\n\treturn f(1);\n}\n"
    for wishes, said in ((["--variable=alpa"], "a.c: there is no variable alpa; did you mean alpha?"),
                         (["--variable=count", "--function=main"], "a.c: there is no variable count"),
                         (["--variable=count", "--function=mainn"], "a.c: there is no function mainn; did you mean main?"),
                         (["--variable=alpha", "--lines=40-50"], "a.c: there is no line 40: it has 9")):
        _, r = instrument(text, *wishes, status=1)
        h.check(r.out == b"" and r.err.decode().strip() == said, str(r))
    instrument(text, "--variable=count", "--function=f")


@suite.case("an array that is only given away, and open boxes")
def _():
    text = """
static int a[4], b[4];
static void copy(int *to, const int *from)
{
	for (int i = 0; i < 3; i++)
		to[i] = from[i];
}
int main(void)
{
	copy(a, b);
	return a[2];
}
"""
    rows = [f"6 R b+{4 * i} 4;6 W a+{4 * i} 4" for i in range(3)]
    check(text, ";".join([*rows, "11 R a+8 4"]), "--variable=a", "--variable=b")
    check(text, f"{rows[2]};11 R a+8 4", "--variable=a", "--box=2..9223372036854775807", "--variable=b",
          "--box=2..9223372036854775807")
    check(text, ";".join(rows[:2]), "--variable=a", "--box=-9223372036854775808..1", "--variable=b",
          "--box=-9223372036854775808..1")


@suite.case("nests: bounds that are macros of the command line")
def _():
    text = "double a[20]; int main(void) { for (int i = 1; i < N - 1; i++) a[i] = i; return 0; }"
    for flags in (["-DN=9"], ["-D", "N=9"], ["-DN=4", "-UN", "-DN=9"]):
        r = check(text, ";".join(f"1 W a+{8 * i} 8" for i in range(1, 8)), "--variable=a", flags=flags)
        h.check(counts(r)["nests"] == 1, f"{flags}: {r}")


@suite.case("nothing asked for: the same bytes")
def _():
    text = "int x;\r\nint main(void) { int y; return x; }"
    _, r = instrument(text, "--variable=y")
    h.check(r.out.decode() == text, str(r))
    _, r = instrument(text, "--variable=x")
    new = r.out.decode()
    for piece in ("#line 2 \"a.c\"\nint main(void) { int y; return BOBBIN_AT(0,(x)); }\n",):
        h.check(piece in new, new)


# --- GCC's own programs, every variable of theirs ---

# What they look at is the optimiser or the compiler, and not C: these see that code, and functions, were added.
OPTIMISER = re.compile(rb"instrument-functions|link_error|link_failure|__builtin_constant_p|__builtin_return_address|__builtin_frame_address")
REFUSED = {"refused": 0, "same": 0}


def torture_one(number, path):
    text = path.read_bytes()
    if OPTIMISER.search(text):
        raise h.Skip("looks at the optimiser")
    cc, level = WAYS[number % len(WAYS)]
    own = " ".join(torture.OPTIONS.findall(text.decode("latin1"))).split()
    flags = ["-w", level, *own, f"-I{path.parent}"]
    folder = h.fresh("torture")
    (folder / path.name).write_bytes(text)
    try:
        before = h.run([build(folder, path.name, cc, flags)], timeout=20)
    except h.Failure:
        before = None
    if before is None or before.status:
        raise h.Skip("does not pass as it is")
    r = h.run([TOOL, path.name, "--variable=*", "--loops", "--calls", "--", *flags], cwd=folder)
    if r.status:
        h.check(re.match(rb"\S+:\d+:\d+: ", r.err), f"no reason given\n{r}")
        REFUSED["refused"] += 1
        raise h.Skip(r.err.decode("utf-8", "replace").strip())
    (folder / "new.c").write_bytes(r.out)
    h.same(before, h.run([build(folder, "new.c", cc, flags)], timeout=60), f"{cc} {level}")
    REFUSED["same"] += 1
    return f"{cc} {level}"


def main():
    if not os.path.exists(TOOL):
        print(f"skipped: no {TOOL}")
        return 77
    if h.run([TOOL, "none.c"]).err.find(b"libclang") >= 0:
        print("skipped: no libclang")
        return 77
    try:
        torture.unpack()
        every = int(os.environ.get("BOB_TEST_TORTURE_EVERY", "16"))
        paths = sorted((torture.TREE / "gcc.c-torture/execute").glob("*.c"))[::every]
    except h.Skip as e:
        print(f"programs of GCC left out: {e}")
        paths = []
    for number, path in enumerate(paths):
        suite.add(f"torture {path.stem}", torture_one, number, path)
    status = suite.run()
    print(f"programs of GCC: {REFUSED['same']} the same, {REFUSED['refused']} refused")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
