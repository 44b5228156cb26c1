/* SPDX-License-Identifier: BSD-3-Clause */
/* Only calls: the worst case of a call tracer. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static long fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
	printf("%ld\n", fib(argc > 1 ? atoi(argv[1]) : 30));
	return 0;
}
