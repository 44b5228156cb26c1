/* SPDX-License-Identifier: BSD-3-Clause */
/* Data-dependent calls: quicksort of random numbers, Fibonacci, Ackermann. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
static uint32_t state = 1;
static NOINLINE uint32_t next_random(void)
{
	state = state * 1664525u + 1013904223u;
	return state >> 8;
}
static NOINLINE int less(const uint32_t *a, const uint32_t *b)
{
	return *a < *b;
}
static NOINLINE void swap(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;
	*a = *b;
	*b = t;
}
static NOINLINE int split(uint32_t *a, int n)
{
	int store = 0;

	swap(a + n / 2, a + n - 1);
	for (int i = 0; i < n - 1; i++)
		if (less(a + i, a + n - 1))
			swap(a + i, a + store++);
	swap(a + store, a + n - 1);
	return store;
}
static NOINLINE void sort(uint32_t *a, int n)
{
	int p;

	if (n < 2)
		return;
	p = split(a, n);
	sort(a, p);
	sort(a + p + 1, n - p - 1);
}
static NOINLINE int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static NOINLINE int ack(int m, int n)
{
	return !m ? n + 1 : !n ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}
int main(void)
{
	static uint32_t a[50000];

	for (int r = 0; r < 2; r++) {
		for (int i = 0; i < 50000; i++)
			a[i] = next_random();
		sort(a, 50000);
	}
	printf("%u %d %d\n", a[0], fib(25), ack(2, 300));
	return 0;
}
