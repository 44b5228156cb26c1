/* SPDX-License-Identifier: BSD-3-Clause */
/* Nested functions (GNU C): the static chain travels in r10, and a nested function whose address
 * is taken is called through a trampoline on the stack, which is code in no image. gcc only. */
#include "truth.h"

TFN int t_leaf(int n)
{
	ENTER(t_leaf);
	LEAVE;
	return n;
}

TFN int t_apply(int (*f)(int), int n)
{
	int r;

	ENTER(t_apply);
	r = f(n) + t_leaf(n);
	LEAVE;
	return r;
}

TFN int t_outer(int k)
{
	int calls = 0, r;
	int v[16];

	TFN int t_inner(int n)
	{
		int s;

		ENTER(t_inner);
		calls++;
		s = n ? t_inner(n - 1) + k : t_leaf(k);
		LEAVE;
		return s;
	}
	TFN int t_by_distance(const void *a, const void *b)
	{
		int x = abs(*(const int *)a - k), y = abs(*(const int *)b - k), s;

		ENTER(t_by_distance);
		calls++;
		s = t_leaf((x > y) - (x < y));
		LEAVE;
		return s;
	}

	ENTER(t_outer);
	r = t_inner(3);
	r += t_apply(t_inner, 2);
	for (int i = 0; i < 16; i++)
		v[i] = i * 7 % 16;
	qsort(v, 16, sizeof(int), t_by_distance);
	r += v[0] == k ? 0 : 1000;
	LEAVE;
	return calls > 20 ? r : -1;
}

int main(void)
{
	int ok = 1;

	truth_begin(0, 1 << 16);
	for (int i = 0; i < 10; i++)
		ok &= t_outer(i) == 4 * i + 3 * i + 2;
	return truth_end(0, ok);
}
