/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls with parameters of all kinds, in registers and on the stack. Prints each as `bobbin show`
 * prints it. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define HOOKED __attribute__((noinline, noclone, visibility("default")))

enum colour { RED, GREEN = -3 };

static jmp_buf out;
static volatile int calls;

HOOKED int t_small(signed char a, unsigned char b, short c, unsigned short d, int e, unsigned f,
		   long g, uint64_t h, _Bool i, enum colour j)
{
	__asm__ volatile("");
	return a + b + c + d + e + (int)f + (int)g + (int)h + i + j;
}

HOOKED double t_reals(float a, double b, float c, double d, double e, double f, double g, double h,
		      double i, float j, long double k, double l, int m)
{
	__asm__ volatile("");
	return (double)a + b + (double)c + d + e + f + g + h + i + (double)j + (double)k + l + m;
}

HOOKED const char *t_texts(const char *s, const void *p, int64_t *q, int n)
{
	__asm__ volatile("" : : "r"(p), "r"(q));
	return n ? s + n : NULL;
}

HOOKED float t_float(float x)
{
	__asm__ volatile("");
	return x * 2;
}

HOOKED void t_nothing(void)
{
	calls++;
}

HOOKED bool t_leaves(int n)
{
	if (n > 2)
		longjmp(out, n);
	return n & 1;
}

HOOKED int t_sum(int count, ...)
{
	calls++;	/* one that is too short cannot be hooked */
	return count + 1;
}

int main(void)
{
	int64_t q = 1;
	int n;

	for (n = -2; n <= 2; n++) {
		const int r = t_small((signed char)(n * 60), (unsigned char)(250 + n),
				      (short)(-30000 * n / 2), 65535, -n, 4000000000u,
				      -5000000000 * n, UINT64_MAX, n & 1, n ? RED : GREEN);

		printf("t_small(a=%d, b=%d, c=%d, d=65535, e=%d, f=4000000000, g=%" PRId64
		       ", h=-1, i=%d, j=%d) -> result=%d\n",
		       (signed char)(n * 60), 250 + n, (short)(-30000 * n / 2), -n, -5000000000 * n,
		       n & 1, n ? RED : GREEN, r);
	}
	for (n = 1; n <= 3; n++) {
		const double r = t_reals(0.5f * (float)n, 1, 2.25f, 3, 4, 5, 6, 7, 8, -9.5f,
					 10.125L * n, 11, n);

		printf("t_reals(a=%g, b=1, c=2.25, d=3, e=4, f=5, g=6, h=7, i=8, j=-9.5, k=%g, "
		       "l=11, m=%d) -> result=%g\n",
		       0.5 * n, 10.125 * n, n, r);
	}
	t_texts("one", NULL, &q, 1);
	printf("t_texts(s=\"one\", p=0, q=1, n=1) -> result=\"ne\"\n");
	t_texts("", &q, NULL, 0);
	printf("t_texts(s=\"\", p=1, q=0, n=0) -> result=\"\"\n");
	printf("t_float(x=-1.5) -> result=%g\n", (double)t_float(-1.5f));
	t_nothing();
	printf("t_nothing()\n");
	for (n = 1; n <= 3; n++) {
		const int jumped = setjmp(out);

		if (!jumped)
			t_leaves(n);
		printf("t_leaves(n=%d) -> result=%d\n", n, jumped ? 0 : n & 1);
	}
	printf("t_sum(count=2) -> result=%d\n", t_sum(2, 7, 8));
	return 0;
}
