/* SPDX-License-Identifier: BSD-3-Clause */
/* Stack arguments: 7, 8, 9 and 12 parameters. After f() returned, its caller may call g() with a
 * lower stack pointer; a tracer that only compares stack pointers takes f for the parent of g. */
#include "truth.h"

TFN long t_leaf(long x)
{
	ENTER(t_leaf);
	LEAVE;
	return x + 1;
}

TFN long t_a7(long a, long b, long c, long d, long e, long f, long g)
{
	long r;

	ENTER(t_a7);
	r = t_leaf(a + b + c + d + e + f + g);
	LEAVE;
	return r;
}

TFN long t_a8(long a, long b, long c, long d, long e, long f, long g, long h)
{
	long r;

	ENTER(t_a8);
	r = t_leaf(a + h) + t_a7(a, b, c, d, e, f, g);
	LEAVE;
	return r;
}

TFN long t_a9(long a, long b, long c, long d, long e, long f, long g, long h, long i)
{
	long r;

	ENTER(t_a9);
	r = t_a8(a, b, c, d, e, f, g, h) + t_leaf(i);
	LEAVE;
	return r;
}

struct wide {
	long v[9];
};

TFN long t_wide(struct wide w, long k)
{
	long r;

	ENTER(t_wide);
	r = t_leaf(w.v[0] + w.v[8] + k);
	LEAVE;
	return r;
}

TFN long t_a12(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,
	       long k, long l)
{
	long r;

	ENTER(t_a12);
	r = t_a9(a, b, c, d, e, f, g, h, i) + t_leaf(j + k + l);
	LEAVE;
	return r;
}

TFN long t_caller(long n)
{
	struct wide w = { { n, 1, 2, 3, 4, 5, 6, 7, 8 } };
	long r;

	ENTER(t_caller);
	r = t_leaf(n);
	r += t_a7(1, 2, 3, 4, 5, 6, n);
	r += t_leaf(n);
	r += t_a12(1, 2, 3, t_leaf(4), 5, 6, 7, t_leaf(8), 9, 10, 11, n);
	r += t_leaf(n);
	r += t_a9(1, 2, 3, 4, 5, 6, 7, 8, n);
	r += t_wide(w, t_leaf(n));
	r += t_a8(1, 2, 3, 4, 5, 6, 7, t_a7(1, 1, 1, 1, 1, 1, n));
	r += t_leaf(n);
	LEAVE;
	return r;
}

int main(void)
{
	long sum = 0, want = 0;

	truth_begin(0, 1 << 16);
	for (long n = 0; n < 40; n++) {
		sum += t_caller(n);
		want += 187 + 10 * n;
	}
	if (sum != want)
		printf("sum %ld, want %ld\n", sum, want);
	return truth_end(40 * 32, sum == want);
}
