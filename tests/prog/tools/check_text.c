/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that sums up its own code before and after its work. */
#include <stdio.h>

extern const char __executable_start[], etext[];

__attribute__((noinline)) static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static unsigned sum(void)
{
	unsigned s = 0;

	for (const char *p = __executable_start; p < etext; p++)
		s = s * 31 + (unsigned char)*p;
	return s;
}

int main(void)
{
	unsigned before = sum();

	printf("%d\n", fib(15));
	return before == sum() ? 3 : 4;
}
