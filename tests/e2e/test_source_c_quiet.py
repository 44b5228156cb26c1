#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""C sources with probes: what compilers warn of in a file is what they warned of before."""

import sys

import harness as h
from c_probes import accesses, build, instrument, why_not

suite = h.Suite("source c quiet")

QUIET = r"""
#include <stdio.h>
static double at[8][8], b[8];
int s = 2, v = 1, n = 3, bytes = 5;
static void one(int m, double *restrict to, const double *restrict const from)
{
	int i, j;
	for (i = 0; i < m; i++) {
		b[i] = from[i];
		for (j = 0; j < 2; j++)
			to[j] += at[i][j] * b[i];
		for (int k = 0; k < 3; k++)
			at[i][k] += b[k];
	}
	for (i = 0; i < m; i++)
		for (j = 0; j < i; j++)
			at[i][j] += b[j] + i;
	to++;
	*to += s;
}
int main(void)
{
	double own[4] = { 0 };
	one(4, own, b);
	printf("%g %d\n", own[1] + at[3][1], s + v + n + bytes);
	return 0;
}
"""


@suite.case("names that the program has, too, and restrict: no warning of what is in a probe")
def _():
    warnings = ("-Wall", "-Wextra", "-Wshadow", "-Werror", "-Wno-unknown-warning-option")
    for requests in (["--variable=at", "--variable=b"], ["--variable=*"],
                     ["--variable=*", "--flat"]):
        folder, _ = instrument(QUIET, *requests)
        native = h.run([build(folder, "a.c", flags=warnings)])
        for cc, level in (("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O1")):
            after, _ = accesses(build(folder, "new.c", cc, (*warnings, level)))
            h.same(native, after, f"{cc} {level}")


SHADOWS = r"""
static double b[8];
void f(int n)
{
	int j = 0;
	for (j = 0; j < n; j++)
		for (int i = 0; i < 3; i++)
			b[i] += j;
	for (int j = 0; j < 2; j++)
		b[j] = 0;
}
"""


@suite.case("the program's own names that hide others are said as before")
def _():
    folder, _ = instrument(SHADOWS, "--variable=b")
    for cc in ("gcc", "clang"):
        reported = [h.run([cc, "-Wshadow", f"-I{h.ROOT}/include", "-c", name, "-o", "x.o"],
                          cwd=folder).err.count(b"[-Wshadow]") for name in ("a.c", "new.c")]
        h.check(reported == [1, 1], f"{cc}: {reported}")


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        sys.exit(77)
    sys.exit(suite.run())
