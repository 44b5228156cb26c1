#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""C sources with probes: loops whose bounds depend on the loops around them have one probe, and it
says what a probe for each access says."""

import random
import re
import sys

import harness as h
from c_probes import WAYS, accesses, build, canonical, counts, instrument, why_not

suite = h.Suite("source c nests")

TRIANGLES = r"""
#include <stdio.h>
#include <stddef.h>
#define N 9
static double a[N][N], b[N], l[N * (N + 1) / 2];
struct matrix { long n; double *v; } m = { N, a[0] };
static void lower(int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			a[i][j] = a[j][i] + b[j];
}
static void upper(struct matrix *m)
{
	for (long i = 0; i < m->n; i++)
		for (long j = i; j < m->n; j++)
			m->v[i * m->n + j] += 1;
}
static void back(int n)
{
	int i, j;
	for (i = n - 1; i >= 0; i--)
		for (j = n - 1; j > i; j--)
			b[i] -= a[i][j] * b[j];
}
static void band(size_t n, size_t width)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < i + width; j++)
			b[j] = i;
}
static void factor(int n)
{
	for (int k = 0; k < n; k += 2)
		for (int i = k + 1; i < n; i += 2)
			for (int j = k + 1; j <= i; j++)
				a[i][j] -= a[i][k] * a[k][j];
}
static void none(double *p)
{
	for (int i = 0; i < 3; i++)
		for (int j = 5; j < i; j++)
			p[i + j] = 1;
}
/* These must have probes of their own. */
static void not_even(unsigned n, int *k, int square)
{
	for (unsigned i = 1; i < n; i++)
		for (unsigned j = 0; j < n - i; j++)
			b[j] = 2;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < i * i; j++)
			b[j] = 3;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < k[i]; j++)
			b[j] = 4;
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < i / 2; j++)
			b[j] = square;
}
int main(void)
{
	int k[3] = { 2, 0, 1 };
	lower(N);
	lower(0);
	lower(1);
	upper(&m);
	back(N);
	band(N - 3, 3);
	factor(N);
	none(b);
	not_even(5, k, 4);
	double sum = 0;
	for (int i = 0; i < N; i++)
		sum += b[i] + a[i][i];
	printf("%g\n", sum);
	return 0;
}
"""


def same(text, requests, nests, ways=WAYS):
    """With nests and flat: the program's output, and what probes see, in the same order but for
    operands of one line."""
    folder, r = instrument(text, *requests)
    n = counts(r)
    h.check((n["nests"], n["in-nests"]) == nests, str(r))
    native = h.run([build(folder, "a.c", flags=("-w",))])
    flat, r = instrument(text, *requests, "--flat")
    h.check(counts(r)["nests"] == 0, str(r))
    _, want = accesses(build(flat, "new.c"))
    for cc, level in ways:
        after, log = accesses(build(folder, "new.c", cc, ("-w", level)))
        h.same(native, after, f"{cc} {level}")
        h.check(canonical(log.splitlines()) == canonical(want.splitlines()),
                f"{cc} {level}: accesses differ")
    return want


@suite.case("triangles: one probe for all of it, where bounds change evenly in numbers that do not "
            "wrap")
def _():
    # lower 3, upper 1, back 3, band 1, factor 3, none 1; the inner loops of not_even 1 each; the
    # sum of main 2
    want = same(TRIANGLES, ["--variable=a", "--variable=b"], (11, 18))
    h.check(want.count("W") > 60, want)


UNTIL = r"""
#include <stdio.h>
#include <stddef.h>
#define N 7
static double a[N + 1][N + 1], b[N + 1];
static void down(int n, size_t m, unsigned k)
{
	for (int i = n; i; i--)
		b[i] = i;
	for (size_t i = m; i; --i)
		b[i - 1] += 2;
	for (unsigned i = k; i != 0; i -= 1)
		for (long j = n; j != 2; j--)
			a[i][j] = a[j][i] + b[j];
}
static void up(int n, size_t m)
{
	for (int i = 1; i != n; i++)
		for (int j = 0; j != i; j++)
			a[i][j] += b[j];
	for (size_t i = 0; i != m; ++i)
		b[i] *= 2;
	for (size_t i = 0; m != i; ++i)
		b[i] *= 3;
	for (int i = 0; i != 6; i += 2)
		b[i] -= 1;
	for (size_t i = m - 2; i != m; ++i)
		b[i] += 5;
	for (unsigned i = 3; i != 1; i--)
		b[i] += 6;
}
static void ends(double *p, double *end)
{
	for (double *q = p; q != end; q++)
		*q += 1;
	for (int i = 4; i; i--, p++)
		*p += i;
}
int main(void)
{
	down(N, N, 3);
	down(2, 0, 0);
	up(N, N);
	up(1, 2);
	ends(b, b + N);
	ends(b, b);
	for (int i = 0; i <= N; i++)
		printf("%g %g\n", b[i], a[i][1]);
	return 0;
}
"""


@suite.case("loops that end with != and at 0: where it is sure that they come to it")
def _():
    # down 1, 1, 3; up 2, 1; ends 1, 1; what else up has keeps its probes
    want = same(UNTIL, ["--variable=a", "--variable=b"], (7, 10))
    h.check(len(want.splitlines()) > 80, want)
    # the innermost loops of down, one of up, both of ends; where numbers have no sign, a first
    # value that is 0 is not looked at here
    want = same(UNTIL, ["--variable=*"], (6, 38))
    h.check(len(want.splitlines()) > 80, want)


def expression(r, counters):
    """An affine expression of some counters."""
    terms = [f"{r.choice(['', '2 * ', '-'])}{c}" for c in counters if r.random() < 0.6]
    return " + ".join([*terms, str(r.randint(-2, 3))]).replace("+ -", "- ")


def loops(r, depth):
    counters, text = [], ""
    for d in range(depth):
        c = "ijkl"[d]
        low, high = expression(r, counters), expression(r, counters)
        if r.random() < 0.5:
            text += (f"for (int {c} = {low}; {c} {r.choice(['<', '<='])} {high} + 3; "
                     f"{c} += {r.choice([1, 1, 2, 3])}) ")
        else:
            text += (f"for (int {c} = {high} + 3; {c} {r.choice(['>', '>='])} {low}; "
                     f"{c} -= {r.choice([1, 1, 2])}) ")
        counters.append(c)
    body = " ".join(f"a[500 + {expression(r, counters)}]{r.choice([' =', ' +='])} a[500 + "
                    f"{expression(r, counters)}] + {n};" for n in range(r.randint(1, 3)))
    return text + "{ " + body + " }"


@suite.case("nests at random, with bounds that are affine in the counters around them")
def _():
    r = random.Random(7)
    nests = [loops(r, r.randint(1, 4)) for _ in range(60)]
    text = ("#include <stdio.h>\nint a[1000];\nint main(void)\n{\n"
            + "\n".join(f"\t{n}" for n in nests)
            + "\n\tprintf(\"%d\\n\", a[500]);\n\treturn 0;\n}\n")
    number = sum(len(re.findall(r"a\[", n)) for n in nests)
    want = same(text, ["--variable=a"], (60, number),
                [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O1"), ("clang", "-O3")])
    h.check(len(want.splitlines()) > 5000, str(len(want.splitlines())))


HEADS = r"""
#include <stdio.h>
#include <stddef.h>
static double a[20], b[20];
static int n = 7;
struct g { int n; double *v; };
static double dot(int n, const double *x, int incx, register const double *y, int incy)
{
	double s = 0;
	register int i;
	for (i = 0; i < n; i++, x += incx, y += (incy))
		s += *x * *y;
	return s;
}
static void sum(struct g *g)
{
	for (int i = 0; i < g->n; ++i)
		g->v[i] += i;
}
static void between(double *from, double *to)
{
	for (double *p = from, *q = to; p < to; p++)
		*p = 1;
	for (const double *e = to - 1; e >= from; e -= 2)
		a[0] += *e;
}
int main(void)
{
	size_t k;
	unsigned u = 3;
	struct g g = { 4, a }, none = { 0, NULL };
	double x = 2.25;
	int i;
	for (k = 0; k < 5; k++)
		a[k] = b[k + 1] + n;
	for (int i = -1; i < u; i++)
		a[i + 1] = 2;
	for (int i = 0; i < u; i++)
		a[i + 1] = 2;
	for (int i = 0, j = 10; i < n; i += 2, j--)
		b[i] = a[j] + a[i];
	i = 3;
	for (; i < n; i++)
		a[i]++;
	for (; i < n; i++)
		a[i]++;
	sum(&g);
	sum(&none);
	between(a + 2, a + 9);
	x += dot(5, a, 1, b + 8, -2) * 1e-3;
	printf("%g\n", x + dot(3, a, 2, b, 1));
	for (int r = 0; r < 3; r++)
		for (int c = r; c < 4; c++)
			a[r * 4 + c] = c;
	/* These must have probes of their own. */
	for (i = 0; i < x; i++)
		a[i]++;
	for (i = 0; i < n; i++)
		n -= a[i] > 3;
	for (unsigned i = 0, j = 3; i < 4; i++, j -= 2)
		if (j < 4)
			a[j]++;
	for (i = 0; i < 4; i += a[i] > 2 ? 2 : 1)
		b[i]++;
	for (__auto_type i = 0; i < n; i++)
		a[i] = 1;
	return n + i;
}
"""


@suite.case("loops whose counter or bound was asked for: one probe, for the head, too")
def _():
    # dot 1, sum 1, between 2; of main: k, both i < u, j, twice a[i]++, the inner one of r and c
    want = same(HEADS, ["--variable=*"], (11, 75))
    h.check(len(want.splitlines()) > 500, want)
    # Arrays alone: u, j and the moved pointers are no matter; i < n and the like are nests as
    # before, but x is not a whole number.
    same(HEADS, ["--variable=a", "--variable=b"], (12, 17))


def single(r, number):
    """A loop with one counter and some that move beside it."""
    step, down = r.choice([1, 1, 2, 3]), r.random() < 0.4
    low, high = r.randint(-4, 4), r.randint(-4, 12)
    first, last = (high, low) if down else (low, high)
    kind = r.choice(["int", "long", "long long"])
    sides = [(c, r.choice(["++", "--", " += 2", " -= n", " += g.by"]))
             for c in ("j", "p")[:r.randint(0, 2)]]
    places = [f"a[500 + {expression(r, ['i', 'j'])}]", "p[0]", "*p", "p[2 * i + 1]", "g.v[i + 400]",
              "last"]
    body = " ".join(f"{r.choice(places)}{r.choice([' =', ' +='])} {r.choice(places)} + {n} + "
                    f"(int)i;" for n in range(r.randint(1, 3)))
    bound = r.choice([str(last), "bound", "g.bound", "*to"])
    head = f"i = {first}" if r.random() < 0.5 else f"i = {first}, j = {r.randint(-3, 3)}"
    test = f"i {r.choice(['>', '>='] if down else ['<', '<='])} {bound}"
    moves = ", ".join([f"i {'-=' if down else '+='} {step}", *(c + by for c, by in sides)])
    return (f"{{ {kind} i; double *p = a + 500; int j = 1, bound = {last}, n = 2, *to = &g.bound; "
            f"g.bound = {last};\n\tfor ({head}; {test}; {moves})\n\t\t{{ {body} }}\n"
            f"\tlast = (int)i + j; p++; n++; bound++; }}")


@suite.case("single loops at random, everything in them asked for")
def _():
    r = random.Random(11)
    pieces = [single(r, k) for k in range(60)]
    text = ("#include <stdio.h>\ndouble a[1000], last;\n"
            "struct { int bound, by; double *v; } g = { 0, 3, a };\nint main(void)\n{\n" +
            "\n".join(f"\t{p}" for p in pieces)
            + "\n\tprintf(\"%g %g\\n\", a[500], last);\n\treturn 0;\n}\n")
    want = same(text, ["--variable=*"], (60, 942), [("gcc", "-O2"), ("clang", "-O1")])
    h.check(len(want.splitlines()) > 3000, str(len(want.splitlines())))


LAID = r"""
#include <stdio.h>
#include <stddef.h>
#define N 6
enum { THREE = 3 };
static double p[N + 1][3], m[N][3][3], s[N][3], five[N][5][5], out[N][5], t[2];
static void move(void)
{
	for (int n = 0; n < N; n++)
		for (int i = 0; i < 3; i++) {
			p[n + 1][i] = s[n][i];
			for (int j = 0; j < THREE; j++)
				p[n + 1][i] = p[n + 1][i] + m[n][i][j] * p[n][j];
		}
}
static void blocks(int n)
{
	int j;
	for (int c = 0; c < n; c++) {
		for (j = 0; j < 5; j++)
			out[c][j] = five[c][j][0];
		for (j = 4; j >= 1; j -= 2)
			out[c][j] += out[c][j - 1];
		t[0] += out[c][0];
	}
}
static void deep(int n)
{
	for (int i = 0; i < n; i++) {
		double sum = 0;
		for (unsigned k = 2; k; k--)
			for (long j = 0; j != 2; ++j)
				sum += m[i][k][j] * s[i][j];
		t[1] = sum;
		{
			;
			for (int k = 0; k < 0; k++)
				t[0] = 77;
		}
	}
}
/* Rows as long as the outer loop, not three; unrolling the inner loop would leave no space. */
static void perfect(int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < 3; j++)
			s[i][j] += p[i][j];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < 5; j++)
			for (int k = 0; k < 5; k++)
				five[i][j][k] = five[i][k][j] + s[0][0];
	for (int k = 0; k < n; k++)
		for (int i = k; i < n; i++)
			for (int j = 0; j < 2; j++)
				p[i][j] += m[k][j][1];
}
/* These must not be laid out. */
static void others(int n, int three)
{
	int j = 0;
	for (int i = 0; i < n; i++) {
		t[0] = i;
		for (int k = 0; k < three; k++)
			t[1] += p[i][k];
	}
	for (int i = 0; i < n; i++) {
		for (j = 0; j < 2; j++)
			t[j] = 0;
		s[i][j] = 1;
	}
	for (int i = 0; i < n; i++) {
		t[0] = 1;
		for (int k = 0; k < 3; k++)
			t[k & 1] += 1;
	}
	for (int i = 0; i < n; i++) {
		t[0] = 2;
		for (unsigned k = -1; k < 3; k++)
			t[1] += 1;
	}
	for (unsigned i = -1; i < 3; i++)
		t[0] += 1;
	for (int i = 0; i < n; i++)
		for (size_t k = 2; k > -1; k--)
			t[1] += 1;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 3; k++) {
			if (k == 1)
				continue;
			t[1] += s[i][k];
		}
}
int main(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < 3; j++)
			s[i][j] = m[i][j][j] = i + j;
	p[0][0] = 1;
	move();
	blocks(N);
	blocks(0);
	deep(N);
	perfect(N);
	others(4, 3);
	double sum = 0;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < 3; j++)
			sum += p[i][j] + s[i][j] + out[i][j] + t[0] + t[1];
	printf("%g\n", sum);
	return 0;
}
"""


@suite.case("loops within an iteration whose number of iterations is known: one probe for them, "
            "too")
def _():
    # move 6, blocks 2 + 2 + 2, deep 2 + 1, perfect 2 + 3 + 2, main 2 + 5; of others inner loops: 2,
    # 1, and those that begin with -1, which is not below 3 there
    want = same(LAID, [f"--variable={v}" for v in ("p", "m", "s", "five", "out", "t")], (12, 34))
    h.check(want.count("W") > 300, want)


BELOW_0 = r"""
#include <stdio.h>
static double a[4][8], b[8];
int main(void)
{
	for (size_t n = 0, m = 3; n < 4; n++, b[n] = 1) {
		for (size_t i = n - 1; i < m; i++) b[i] = 1;
		for (int i = 0; i < 2; i++)
			for (size_t j = n - 1; j < m; j++) a[i][j] = b[j];
		for (size_t i = m; i > n - 1; i--) b[i] += 2;
	}
	return printf("%g %g\n", b[2], a[1][2]) < 0;
}
"""


@suite.case("unsigned integers wrap around below 0: loops that do not run then have no accesses")
def _():
    same(BELOW_0, ["--variable=a", "--variable=b"], (3, 4), [("gcc", "-O0"), ("clang", "-O2")])
    same(BELOW_0, ["--variable=*"], (3, 18), [("gcc", "-O2"), ("clang", "-O1")])


def body(r, counters, around, depth):
    """Statements, and loops whose iterations are known, side by side."""
    text = []
    for n in range(r.randint(1, 3)):
        if depth and r.random() < 0.6:
            c = r.choice([x for x in "uvw" if x not in around])
            trips, step, low = r.randint(0, 3), r.choice([1, 2, -1]), r.randint(-2, 2)
            test = (f"{c} {'<' if step > 0 else '>'} {low + trips * step}"
                    if r.random() < 0.7 else
                    f"{c} != {low + trips * step}" if abs(step) == 1 else
                    f"{c} <= {low + (trips - 1) * step}")
            own = r.choice(["int ", "int ", ""])
            text.append(f"for ({own}{c} = {low}; {test}; {c} += {step}) "
                        + body(r, counters + [c], around + [c], depth - 1))
        else:
            text.append(f"a[500 + {expression(r, counters)}]{r.choice([' =', ' +='])} a[500 + "
                        f"{expression(r, counters)}] + {n};")
    return "{ " + " ".join(text) + " }"


def imperfect(r):
    counters, text = [], "{ int u, v, w; "
    for d in range(r.randint(1, 3)):
        c, last = "ijk"[d], r.choice(["n", "n", str(r.randint(1, 4)),
                                      "n" if not counters else counters[0] + " + 2"])
        text += f"for (int {c} = 0; {c} < {last}; {c}++) "
        counters.append(c)
    return text + body(r, counters, [], 2) + " (void)u; (void)v; (void)w; }"


@suite.case("nests at random with loops and statements side by side")
def _():
    r = random.Random(23)
    nests = [imperfect(r) for _ in range(50)]
    text = ("#include <stdio.h>\nint a[1000], n = 5;\nint main(void)\n{\n\tint n = 4;\n"
            + "\n".join(f"\t{n}" for n in nests) +
            "\n\tprintf(\"%d\\n\", a[500]);\n\treturn 0;\n}\n")
    want = same(text, ["--variable=a"], (52, 290), [("gcc", "-O0"), ("clang", "-O2")])
    h.check(len(want.splitlines()) > 3000, str(len(want.splitlines())))


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        sys.exit(77)
    sys.exit(suite.run())
