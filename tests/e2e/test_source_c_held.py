#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Loops of C that hoist the negative caches of their sites record and count what the same loops
report probe by probe. The latter read a volatile variable."""

import re
import sys

import harness as h
from c_probes import why_not

suite = h.Suite("source c held")

TEXT = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 400
static double x[N], y[N], v[N];
static int at[N];
static volatile int busy;
struct list {
	struct list *next;
	double *d;
	int n;
} links[3] = { { links + 1, x + 30, 30 }, { links + 2, v, 15 }, { NULL, x, N } };
static double sparse(int rows)
{
	double s = 0;
	for (int i = 0; i < rows; i++)
		for (int k = i * 4; k < (i + 1) * 4; k++) {
			LOOK;
			s += v[k] * x[at[k]];
			if (s < 3)
				continue;
			y[i] = s;
		}
	return s;
}
static double pick(const double *p, int k)
{
	return p[k];
}
static double norm(void)
{
	double s = 0;
	for (int k = 0; k < N; k++) {
		LOOK;
		s += sqrt(v[k]) + pick(x, at[k]) - fabs(y[k % 9]);
	}
	return s;
}
static int find(int what)
{
	for (int i = 0; i < N; i++) {
		LOOK;
		if (at[i] == what)
			return i;
	}
	return -1;
}
static int skip(double n)
{
	int i = 0;
	while (i < N) {
		LOOK;
		if (x[at[i]] > n && v[i] > 1)
			break;
		i += 1 + (at[i] & 3);
	}
	return i;
}
static int jump(int i)
{
	int c = 0;
	do {
		LOOK;
		switch (at[i] & 3) {
		case 0:
			x[i]++;
			break;
		case 1:
			v[i] -= x[at[i]];
		case 2:
			if (c > 9)
				goto out;
		default:
			c++;
		}
		i = (i + 7) % N;
	} while (++c < 50);
out:
	return i;
}
static double follow(const struct list *l)
{
	double s = 0;
	for (; l; l = l->next)
		for (int k = l->n; k-- > 0;) {
			LOOK;
			s += l->d[k] > 2 ? l->d[k] : x[k];
		}
	return s;
}
static void mixed(int n)
{
	for (int t = 0; t < n; t++) {
		for (int j = 0; j < 9; j++)
			y[j] += x[j];
		LOOK;
		x[at[t]] += y[t % 9];
	}
}
static double sum(const double *p, int n)
{
	double s = 0;
	for (int k = 0; k < n; k += 1 + (at[k] & 1)) {
		LOOK;
		s += p[k];
	}
	return s;
}
static double lately(int n)
{
	double own[20];
	for (int k = 0; k < 20; k++)
		own[k] = k;
	return sum(own, n);
}
int main(void)
{
	double *other = calloc(N, sizeof(*other)), s = 0;
	unsigned seed = 5;
	for (int k = 0; k < N; k++) {
		seed = seed * 1103515245 + 12345;
		at[k] = (int)(seed >> 8) % N;
		x[k] = k % 7;
		v[k] = k % 3;
	}
	for (int t = 0; t < 5; t++) {
		s += sparse(N / 4) + find(at[N - 1]) + find(-1) + skip(t) + jump(t) +
		     follow(links) + norm();
		mixed(90);
		for (int k = 0; k < 20; k++)
			s += sum(other, N);
		s += lately(20) + sum(x, N) + lately(7);
	}
	printf("%g\n", s);
	free(other);
	return 0;
}
"""
SELECTIONS = (
    ["trace variable x[0..39]", "trace variable v[10..20]"],
    ["trace variable x", "trace variable at[100..119]"],
    ["trace variable lately:own", "trace variable y[3..3]"],
)


def recorded(look, requests, flags, cc="gcc"):
    """(accesses, how many were of nothing that is wanted, loops that hold)"""
    folder = h.fresh("held")
    (folder / "a.c").write_text(TEXT.replace("LOOK", look))
    text = "\n".join(["trace file a.c", *requests, ""])
    r = h.run([h.BOBBIN, "instrument", "-o", "out"], cwd=folder, stdin=text.encode())
    h.check(r.status == 0, str(r))
    r = h.run([cc, "-w", *flags, "-Iout", "out/a.c", "-o", "a", "-lm"], cwd=folder)
    h.check(r.status == 0, str(r))
    native = h.run([folder / "a"])
    r = h.record([str(folder / "a")], ["--source"])
    h.same(native, r)
    reported = re.search(rb"probes counted (\d+) accesses to untraced data",
                         h.bobbin("info", r.trace).out)
    rows = h.bobbin("replay", "--mem", "--subscripts", r.trace).out
    return rows, int(reported[1]), (folder / "out" / "a.c").read_text().count("bobbin_held_end)))")


for number, requests in enumerate(SELECTIONS):
    @suite.case(f"what is recorded and counted is the same, selection {number + 1}")
    def _(requests=requests):
        want, outside, loops = recorded("(void)busy", requests, ["-O2"])
        h.check(loops < 2, f"{loops} loops hold though they read what may change")
        h.check(want.count(b"\n") > 50 and outside > 5000, f"{len(want)} bytes, {outside} outside")
        for cc, flags in (("gcc", ["-O2"]), ("clang", ["-O3"]), ("gcc", ["-O0"]),
                          ("gcc", ["-O2", "-fPIC"])):
            rows, reported, loops = recorded("(void)0", requests, flags, cc)
            h.check(loops >= 4, f"{loops} loops hold")
            h.check(rows == want, f"{cc} {flags}: accesses differ")
            h.check(reported == outside,
                    f"{cc} {flags}: {reported} accesses of nothing, {outside} without")


ONE = r"""
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#define BOTH(p) p[k]
#define TEAM _Pragma("omp parallel for")
#define EACH(i, n) TEAM for (int i = 0; i < (n); i++)
#define JOIN(a, b) a##b
#define SAME(s) s
typedef volatile int flag;
typedef _Atomic int safe[4];
flag done, flags[4];
double x[99];
int at[99];
atomic_int shared;
safe safes;
extern int f(void);
extern double sinc(double);
#define MINE static __attribute__((unused))
MINE double half(double d) { return d / 2; }
MINE double deep(const double *p) { double s = 0; for (int k = 0; k < 3; k++)
	s += fabs(p[k]) + half(s); return s; }
MINE int waits(void) { return done; }
MINE int calls(int k) { return k > 3 ? f() : k; }
MINE int again(int k) { return k > 3 ? again(k - 1) : k; }
MINE double own(int k) { double x1[2] = { 1, 2 }; return x1[k & 1]; }
double shown(double d) { return d / 2; }
void g(int n, volatile int *w, int *p)
{
	HERE
}
"""
LOOPS = {
    "for (int k = 0; k < n; k++) x[at[k]] = BOTH(p);": True,
    "again: for (int k = 0; k < n; k++) if (x[at[k]] < 0) goto again;": True,
    "while (n) if (x[at[--n]] < 1) break; else if (n > 3) return;": True,
    "for (int k = 0; k < n; k++) x[at[k]] = BOTH(p); n = done + flags[1] + safes[1];": True,
    "for (int k = 0; k < n; k++) x[at[k]] = sqrt(x[k]) + fabsf(2.f) + pow(x[k], 2) + abs(at[k]) + "
    "__builtin_popcount(n);": True,
    "for (int k = 0; k < n; k++) if (__builtin_expect(isnan(x[k]), 0)) x[at[k]] = 0;": True,
    "for (int k = 0; k < n; k++) x[at[k]] = half(x[k]);": True,
    "for (int k = 0; k < n; k++) x[at[k]] = deep(x + k);": True,
    "for (int k = 0; k < n; k++) x[at[k]] = f();": False,
    "for (int k = 0; k < n; k++) x[at[k]] = sinc(1);": False,
    "for (int k = 0; k < n; k++) x[at[k]] = waits();": False,
    "for (int k = 0; k < n; k++) x[at[k]] = calls(k);": False,
    "for (int k = 0; k < n; k++) x[at[k]] = again(k);": False,
    "for (int k = 0; k < n; k++) x[at[k]] = shown(k);": False,
    "for (int k = 0; k < n; k++) { double (*to)(double) = half; x[at[k]] = to(k); }": False,
    "for (int k = 0; k < n; k++) x[at[k]] = own(k) + 0 * sizeof(\"x1\");": False,
    "for (int k = 0; k < n; k++) x[at[k]] = *w;": False,
    "for (int k = 0; k < n; k++) x[at[k]] = shared;": False,
    "for (int k = 0; k < n; k++) { while (!done) ; x[at[k]]++; }": False,
    "for (int k = 0; k < n; k++) x[at[k]] = flags[k & 3];": False,
    "for (int k = 0; k < n; k++) x[at[k]] = safes[k & 3];": False,
    "for (int k = 0; k < n; k++) x[at[k]] = atomic_load(&shared);": False,
    "for (int k = 0; k < n; k++) { __atomic_fetch_add(p, 1, 0); x[at[k]] = 1; }": False,
    "for (int k = 0; k < n; k++) { __asm__ volatile(\"\" ::: \"memory\"); x[at[k]] = 1; }": False,
    "for (int k = 0; k < n; k++) x[at[k]] = ({ f(); 2; });": False,
    "for (int k = 0; k < n; k++) { double x1[2]; x[at[k]] = x1[k & 1] = 2; }": False,
    "for (int k = 0; k < n; k++)\n#pragma omp critical\n x[at[k]]++;": False,
    "do { TEAM for (int k = 0; k < n; k++) x[at[k]]++; } while (n-- > 3);": False,
    "do { EACH(k, n) *(p + k) += x[at[k]] > 1; } while (n-- > 3);": False,
    "do { SAME(TEAM) for (int k = 0; k < n; k++) x[at[k]]++; } while (n-- > 3);": False,
    "do { JOIN(TE, AM) for (int k = 0; k < n; k++) x[at[k]]++; } while (n-- > 3);": False,
    "TEAM for (int k = 0; k < n; k++) x[at[k]]++;": False,
    "TEAM for (int k = 0; k < n; k++) x[k]++;": False,
    "\n#ifdef _OPENMP\n#pragma omp parallel for\n#endif /* of\n that */\n"
    " for (int k = 0; k < n; k++) x[at[k]]++;": False,
    "\n#ifdef _OPENMP\n#pragma omp parallel for\n#endif // of that\n"
    " for (int k = 0; k < n; k++) x[k]++;": False,
    "\n#ifdef _OPENMP\n#pragma omp parallel for\n#else\n n--;\n#endif\n"
    " for (int k = 0; k < n; k++) x[at[k]]++;": False,
    "if (n) goto in; for (int k = 0; k < n; k++) { x[at[k]]++; in: n--; }": False,
    "switch (n) { for (int k = 0; k < 9; k++) { case 3: x[at[n]]++; n--; } }": False,
}


@suite.case("loops that call, wait, declare, or are entered elsewhere hold nothing")
def _():
    for loop, holds in LOOPS.items():
        folder = h.fresh("held")
        (folder / "a.c").write_text(ONE.replace("HERE", loop))
        commands = ("trace file a.c\ntrace variable x\ntrace variable x1\n" if "x1" in loop else
                    "trace file a.c\ntrace variable x\n")
        r = h.run([h.BOBBIN, "instrument", "-o", "out"], cwd=folder, stdin=commands.encode())
        h.check(r.status == 0, str(r))
        text = (folder / "out" / "a.c").read_text()
        at = text.index("void g(")
        h.check(("BOBBIN_BY(" in text[at:]) == holds and "BOBBIN_" in text[at:],
                f"{loop}: {text[at:]}")
        for cc, *flags in (("gcc",), ("clang",), ("gcc", "-fopenmp")):
            r = h.run([cc, *flags, "-Wall", "-Werror", "-Wno-unknown-warning-option",
                       "-Wno-unknown-pragmas", "-Wno-implicit-fallthrough",
                       "-Wno-switch-unreachable", "-Wno-maybe-uninitialized",
                       "-Wno-sometimes-uninitialized", "-Wno-uninitialized", "-Wno-unused-label",
                       "-O2", "-Iout", "-c", "out/a.c"], cwd=folder)
            h.check(r.status == 0, str(r))


TEAMS = r"""
#include <stdio.h>
#define PRAGMA(x) _Pragma(#x)
#define EACH(i, n) PRAGMA(omp parallel for) for (int i = 0; i < (n); i++)
static double x[1000], y[1000];
static int n = 1000;
int main(void)
{
	double s = 0;
#ifdef _OPENMP
#pragma omp parallel for reduction(+ : s)
#endif
	for (int i = 0; i < n; i++)
		if (i % 3)
			s += x[i] = i;
#ifdef _OPENMP
#pragma omp parallel for
#endif
	for (int i = 0; i < n; i++)
		x[i] += 1;
	for (int t = 0; t < 50; t++) {
		EACH(i, n) *(y + i) += x[i] > 3 ? x[i] + x[(i * 7) % 1000] : y[i];
	}
	for (int i = 0; i < n; i++)
		s += y[i];
	printf("%.0f\n", s);
	return 0;
}
"""


@suite.case("loops of a team's threads, after #ifdef and from macros, compile and are counted")
def _():
    reported = []
    for flags in ([], ["-fopenmp"]):
        folder = h.fresh("held")
        (folder / "a.c").write_text(TEAMS)
        requests = b"trace file a.c\ntrace variable x[0..9]\n"
        r = h.run([h.BOBBIN, "instrument", "-o", "out", "--", *flags], cwd=folder, stdin=requests)
        h.check(r.status == 0, str(r))
        r = h.run(["gcc", "-w", "-O2", *flags, "-Iout", "out/a.c", "-o", "a"], cwd=folder)
        h.check(r.status == 0, str(r))
        r = h.record([str(folder / "a")], ["--source"])
        h.same(h.run([folder / "a"]), r)
        more = re.search(rb"probes counted (\d+) accesses to untraced data",
                         h.bobbin("info", r.trace).out)
        reported.append((int(more[1]),
                         h.bobbin("replay", "--mem", "--subscripts", r.trace).out.count(b"x[")))
    h.check(reported[0] == reported[1] and min(reported[0]) > 900,
            f"accesses of nothing and of x: {reported[0]}, by a team {reported[1]}")


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        sys.exit(77)
    sys.exit(suite.run())
