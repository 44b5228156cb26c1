/* SPDX-License-Identifier: BSD-3-Clause */
/* Tail calls. What a tracer of entries can see is the physical sequence: the callee takes the
 * place of its caller, at the same depth. So a function that ends in a tail call logs LEAVE
 * before it. Built only where the compiler makes sibling calls (-O2, -O3, -Os); the callee
 * proves that it happened by comparing return addresses. */
#include "truth.h"

static void *caller;
static int missed, checked;

#define MARK() (caller = __builtin_return_address(0))
#define PROVE() (checked++, missed += caller != __builtin_return_address(0))

TFN int t_end(int n)
{
	ENTER(t_end);
	PROVE();
	LEAVE;
	return n;
}

TFN int t_helper(int n)
{
	ENTER(t_helper);
	LEAVE;
	return n;
}

TFN int t_tail1(int n)
{
	ENTER(t_tail1);
	n += t_helper(1);
	MARK();
	LEAVE;
	return t_end(n);
}

TFN int t_tail2(int n)
{
	ENTER(t_tail2);
	n += t_helper(2);
	LEAVE;
	return t_tail1(n);
}

static int (*volatile through)(int) = t_tail2;

TFN int t_indirect(int n)
{
	int (*f)(int) = through;

	ENTER(t_indirect);
	LEAVE;
	return f(n);
}

int t_pong(int n);

TFN int t_ping(int n)
{
	ENTER(t_ping);
	if (n == 0) {
		MARK();
		LEAVE;
		return t_end(7);
	}
	LEAVE;
	return t_pong(n - 1);
}

TFN int t_pong(int n)
{
	ENTER(t_pong);
	if (n == 0) {
		LEAVE;
		return 8;
	}
	LEAVE;
	return t_ping(n - 1);
}

TFN int t_round(int i)
{
	int r;

	ENTER(t_round);
	r = t_tail1(i) + t_tail2(i) + t_indirect(i);
	r += t_helper(i);
	r += t_ping(2000);
	r += t_helper(i);
	LEAVE;
	return r;
}

int main(void)
{
	int ok = 1;

	truth_begin(0, 1 << 16);
	for (int i = 0; i < 5; i++)
		ok &= t_round(i) == 5 * i + 14;
	if (missed)
		printf("%d of %d tail calls were not made as jumps\n", missed, checked);
	/* a round: 1 + (3) + (5) + (6) + 1 + 2002 + 1 */
	return truth_end(5 * 2019, ok && !missed && checked == 20);
}
