#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""The C front end of the instrumenter: what it writes compiles, does what the original does, and
its probes see what the oracle says."""

import os
import re

import harness as h
import test_gcc_torture as torture
from c_probes import TOOL, WAYS, accesses, build, canonical, check, counts, instrument, why_not

suite = h.Suite("source c")
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


@suite.case("pointers: a traced array is seen inside the function it is given to, and other arrays "
            "are not")
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


PUNNED = """
%s
static double a[4] = { 1, 2, 3, 4 };
static void negate(double *p)
{
	WORD *w = (WORD *)p;
	w[1] ^= 1;
	w[2] = 0;
}
int main(void)
{
	negate(a);
	return a[2] != 0;
}
"""


@suite.case("types that may alias others by -fno-strict-aliasing, or by may_alias in the file or "
            "in a header")
def _():
    seen = "7 U a+8 8; 8 W a+16 8; 13 R a+16 8"
    strict, loose = ("#define WORD unsigned long",
                     "typedef unsigned long __attribute__((may_alias)) WORD;")
    check(PUNNED % strict, seen, "--variable=a", flags=("-fno-strict-aliasing",))
    check(PUNNED % loose, seen, "--variable=a")
    header = h.fresh("alias") / "word.h"
    header.write_text("typedef unsigned long __attribute__((may_alias)) word;\ntypedef word WORD;\n"
                      "")
    check(PUNNED % f'#include "{header}"', seen, "--variable=a")
    folder, r = instrument(PUNNED % strict, "--variable=a",
                           flags=("-fno-strict-aliasing", "-fstrict-aliasing"))
    h.check(counts(r)["dropped"] == 2, str(r))


@suite.case("array parameters are pointers: what they point at is the caller's, or their own by "
            "their bounds")
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
    requests = ["--variable=a", "--variable=b", "--variable=d", "--variable=sum", "--variable=s"]
    folder, r = instrument(KERNELS, *requests)
    n = counts(r)
    # fill, product, turn, triangle (its inner loop), smooth, the one with step -3, scale
    h.check((n["nests"], n["in-nests"]) == (7, 16), str(r))
    native = h.run([build(folder, "a.c")])
    flat, r = instrument(KERNELS, *requests, "--flat")
    h.check(counts(r)["nests"] == 0, str(r))
    _, want = accesses(build(flat, "new.c"))
    h.check(len(want.splitlines()) > 900, want)
    for cc, level in WAYS:
        after, log = accesses(build(folder, "new.c", cc, ("-w", level)))
        h.same(native, after, f"{cc} {level}")
        h.check(canonical(log.splitlines()) == canonical(want.splitlines()),
                f"{cc} {level}: accesses differ")


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
        want += [f"6 R v+{8 * i} 4", f"6 R v+{28 - 4 * i} 4", f"6 W w+{4 * i} 4",
                 f"7 U v+{8 * i} 4"]
    h.check(log.splitlines() == want, log)


@suite.case("nests: what is declared in the loop has no meaning where the probe is")
def _():
    text = """
static int a[40], v[40];
static char t[30];
enum { K = 30 };
static int run(int n)
{
	int i, j;
	for (i = 0; i < n; i++) {
		enum { K = 3 };
		a[i + K] = 1;
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			typedef char name[4];
			a[i + j + sizeof(name)] = 1;
		}
	for (i = 0; i < n; i++) {
		char t[4];
		t[0] = 1;
		a[i + sizeof t] = t[0];
	}
	for (i = 0; i < n; i++) {
		struct tag { char x[3]; } z = { { 0 } };
		a[i + sizeof z.x] = 2;
		a[i + sizeof(struct tag)] += z.x[0];
	}
	for (i = 0; i < n; i++) {
		int k = i + 1;
		a[sizeof(char[k])] = 1;
	}
	for (i = 0; i < n; i++)
		v[i + sizeof t / 10 + sizeof(int) + K / 10] = 1;
	return a[9];
}
int main(void)
{
	return run(3) != 0;
}
"""
    for requests, nests in ((["--variable=a", "--variable=v"], 1),
                            (["--variable=a", "--variable=v", "--variable=i", "--variable=n"], 1)):
        flat, _ = instrument(text, *requests, "--flat")
        _, want = accesses(build(flat, "new.c"))
        folder, r = instrument(text, *requests)
        h.check(counts(r)["nests"] == nests, str(r))
        for cc, level in WAYS:
            after, log = accesses(build(folder, "new.c", cc, ("-w", level)))
            h.check(after.status == 0 and canonical(log.splitlines())
                    == canonical(want.splitlines()), f"{cc} {level}: accesses differ\n{log}")


@suite.case("arrays that have their length from a later line")
def _():
    check(
        """
extern int before[];
int following[3];
extern int following[];
static int *p = before;
int main(void)
{
	before[1] = 1;
	following[2] = p[1];
	return following[2] != 1;
}
int before[3];
""",
        "8 W before+4 4;9 R before+4 4;9 W following+8 4;10 R following+8 4",
        "--variable=before", "--variable=following")


@suite.case("a variable of a library that the linker knows by another name")
def _():
    check(
        """
extern int next __asm__("optind");
extern int other __asm__("no_such_symbol");
int main(void)
{
	next = 3;
	return next != 3;
}
""",
        "6 W next+0 4;7 R next+0 4", "--variable=next", "--variable=other")


@suite.case("an error of syntax: where, and nothing written")
def _():
    _, r = instrument("int x;\nint main(void)\n{\n\treturn x +;\n}\n", "--variable=x", status=1)
    h.check(r.out == b"" and b"a.c:4:12: expected expression" in r.err, str(r))


@suite.case("a request for what is not there: what may have been meant")
def _():
    text = ("static int alpha;\nstatic int f(int count)\n{\n\treturn alpha + 1;\n}\n"
            "int main(void)\n{\n\treturn f(1);\n}\n")
    for requests, said in ((["--variable=alpa"],
                            "a.c: there is no variable alpa; did you mean alpha?"),
                           (["--variable=count", "--function=main"],
                            "a.c: there is no variable count in main; did you mean f:count?"),
                           (["--variable=alpha", "--function=f"], "a.c: there is no variable alpha "
                            "in f; did you mean alpha, of the file?"),
                           (["--variable=alpha", "--path=->x"], "a.c: there is no use of a pointer "
                            "alpha->x: what is no pointer is traced with its variable, alpha"),
                           (["--variable=b"], "a.c: there is no variable b"),
                           (["--variable=count", "--function=mainn"],
                            "a.c: there is no function mainn; did you mean main?"),
                           (["--variable=alpha", "--box=1..2"],
                            "a.c: there is no subscript 1 of alpha: it has 0"),
                           (["--variable=alpha", "--lines=40-50"],
                            "a.c: there is no line 40: it has 9")):
        _, r = instrument(text, *requests, status=1)
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
    check(text, f"{rows[2]};11 R a+8 4", "--variable=a", "--box=2..9223372036854775807",
          "--variable=b", "--box=2..9223372036854775807")
    check(text, ";".join(rows[:2]), "--variable=a", "--box=-9223372036854775808..1", "--variable=b",
          "--box=-9223372036854775808..1")


@suite.case("nests: bounds that are macros of the command line")
def _():
    text = "double a[20]; int main(void) { for (int i = 1; i < N - 1; i++) a[i] = i; return 0; }"
    for flags in (["-DN=9"], ["-D", "N=9"], ["-DN=4", "-UN", "-DN=9"]):
        r = check(text, ";".join(f"1 W a+{8 * i} 8" for i in range(1, 8)), "--variable=a",
                  flags=flags)
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

# What they look at is the optimiser or the compiler, and not C: these see that code, and functions,
# were added.
OPTIMISER = re.compile(rb"instrument-functions|link_error|link_failure|__builtin_constant_p|"
                       rb"__builtin_return_address|__builtin_frame_address")
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
    if why_not():
        print(f"skipped: {why_not()}")
        return 77
    try:
        torture.unpack()
        every = int(os.environ.get("BOB_TEST_TORTURE_EVERY", h.share(48, 16)))
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
