/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls in an order that does not repeat, in turns on two stacks: the folded tree of them is larger
 * than `bobbin show` keeps. Argument: turns. */
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t contexts[2];
static char stack[1 << 16];
static unsigned state = 1;
static volatile int sink;
static long turns;

#define FN __attribute__((noinline, noclone))

static unsigned next(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 16) % n;
}

FN void leaf(void)
{
	sink++;
}

FN void one(void)
{
	for (unsigned n = next(3) + 2; n; n--)
		leaf();
	sink++;
}

FN void two(void)
{
	one();
	if (next(2))
		leaf();
	sink++;
}

FN void turn(int self)
{
	for (unsigned n = next(4) + 1; n; n--) {
		if (next(2))
			one();
		else
			two();
	}
	swapcontext(&contexts[self], &contexts[!self]);
}

FN void other(void)
{
	for (;;)
		turn(1);
}

int main(int argc, char **argv)
{
	turns = argc > 1 ? atol(argv[1]) : 10;
	getcontext(&contexts[1]);
	contexts[1].uc_stack.ss_sp = stack;
	contexts[1].uc_stack.ss_size = sizeof(stack);
	makecontext(&contexts[1], other, 0);
	for (long i = 0; i < turns; i++)
		turn(0);
	return 0;
}
