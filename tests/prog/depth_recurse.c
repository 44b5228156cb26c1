/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursion, mutual recursion, and recursion with a branching tree. */
#include "truth.h"

int t_odd(int n);

TFN int t_even(int n)
{
	int r;

	ENTER(t_even);
	r = n == 0 ? 1 : t_odd(n - 1);
	LEAVE;
	return r;
}

TFN int t_odd(int n)
{
	int r;

	ENTER(t_odd);
	r = n == 0 ? 0 : t_even(n - 1);
	LEAVE;
	return r;
}

TFN long t_fib(int n)
{
	long r;

	ENTER(t_fib);
	r = n < 2 ? n : t_fib(n - 1) + t_fib(n - 2);
	LEAVE;
	return r;
}

TFN long t_ack(long m, long n)
{
	long r;

	ENTER(t_ack);
	if (m == 0)
		r = n + 1;
	else if (n == 0)
		r = t_ack(m - 1, 1);
	else
		r = t_ack(m - 1, t_ack(m, n - 1));
	LEAVE;
	return r;
}

int main(void)
{
	int ok;

	truth_begin(0, 1 << 16);
	ok = t_even(100) == 1 && t_odd(57) == 1;
	ok = t_fib(14) == 377 && ok;
	ok = t_ack(2, 5) == 13 && ok;
	/* 101 + 58 + (2 fib(15) - 1) + ackermann(2, 5), counted once by hand */
	return truth_end(101 + 58 + 1219 + 90, ok);
}
