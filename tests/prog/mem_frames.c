/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of frames that are at offsets from the stack pointer, frame pointer or CFA. */
#include <stdio.h>

struct vector {
	double x, y, z;
};

__attribute__((noinline)) double sum(const double *p, int n)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += p[i];
	return s;
}

__attribute__((noinline)) double frame(int n)
{
	struct vector v = { n, 2, 3 };
	double other[8], s;

	for (int i = 0; i < 8; i++)
		other[i] = n - i;
	s = sum(other, 8) + sum(&v.x, 3);
	return s + other[n & 7] + v.y;
}

__attribute__((noinline)) int take(const int *a)
{
	volatile int k = *a;

	k++;
	return k;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%g %d\n", frame(argc), take(&argc));
	return 0;
}
