/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the program itself: local, weak, recursive, with variable arguments. */
#include <stdarg.h>
#include <stdio.h>

#define APART __attribute__((noinline, noclone))

double weak(double x);
int strong(int n);
int variable(int n, ...);

APART static int local(int n)
{
	return n * 3 + (n > 5 ? printf("big\n") : 0);
}

APART __attribute__((weak)) double weak(double x)
{
	return x / 2;
}

APART int strong(int n)
{
	return n < 2 ? n : strong(n - 1) << 1 ^ strong(n - 2);
}

APART int variable(int n, ...)
{
	va_list l;
	int s = 0;

	va_start(l, n);
	while (n--)
		s += va_arg(l, int);
	va_end(l);
	return s;
}

int main(int argc, char **argv)
{
	const int a = local(argc + 5), c = strong(argc + 2), d = variable(argc + 2, 1, 2, 3);

	(void)argv;
	printf("%d %g %d %d\n", a, weak(argc), c, d);
	return 0;
}
