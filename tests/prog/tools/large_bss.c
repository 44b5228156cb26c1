/* SPDX-License-Identifier: BSD-3-Clause */
/* More than 2 GB of variables, some of which are touched: code cannot reach all of them. */
#include <stdio.h>

static char large[3ull << 30];

__attribute__((noinline)) static int fib(int n)
{
	large[n * 200000000ull]++;
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void)
{
	printf("%d %d\n", fib(15), large[3000000000ull]);
	return 3;
}
