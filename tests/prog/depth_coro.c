/* SPDX-License-Identifier: BSD-3-Clause */
/* Coroutines by makecontext/swapcontext, four on malloc'ed stacks (one mapping holds several) and
 * four on mmap'ed ones. Each yields from inside a recursion; depth counts on the own stack. */
#define _GNU_SOURCE
#include <ucontext.h>

#include "truth.h"

#define COUNT 8
#define STACK (64 * 1024)

static struct co {
	ucontext_t uc;
	long depth;
	int done;
	long result;
} co[COUNT + 1]; /* 0 is the main stack */
static int current;

static inline __attribute__((always_inline)) void go(int to)
{
	int from = current;

	co[from].depth = DEPTH_NOW();
	current = to;
	truth_switch(to, co[to].depth);
	swapcontext(&co[from].uc, &co[to].uc);
}

TFN int t_leaf(int n)
{
	ENTER(t_leaf);
	LEAVE;
	return n * 2;
}

TFN void t_yield(void)
{
	ENTER(t_yield);
	go(0);
	t_leaf(1);
	LEAVE;
}

TFN long t_work(int n)
{
	long r;

	ENTER(t_work);
	t_yield();
	r = t_leaf(n);
	if (n)
		r += t_work(n - 1);
	t_yield();
	LEAVE;
	return r;
}

TFN void t_coroutine(void)
{
	int me = current;

	ENTER(t_coroutine);
	co[me].result = t_work(me);
	co[me].done = 1;
	LEAVE;
	current = 0;
	truth_switch(0, co[0].depth);
}

TFN void t_resume(int i)
{
	ENTER(t_resume);
	go(i);
	LEAVE;
}

TFN int t_scheduler(void)
{
	int live = COUNT, turns = 0;

	ENTER(t_scheduler);
	while (live) {
		live = 0;
		for (int i = 1; i <= COUNT; i++) {
			if (co[i].done)
				continue;
			t_resume(i);
			t_leaf(i);
			turns++;
			live++;
		}
	}
	LEAVE;
	return turns;
}

int main(void)
{
	int ok = 1, turns;

	truth_begin(0, 1 << 16);
	for (int i = 1; i <= COUNT; i++) {
		void *s = i % 2 ? malloc(STACK) :
				  mmap(NULL, STACK, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (!s || s == MAP_FAILED || getcontext(&co[i].uc))
			return 97;
		co[i].uc.uc_stack.ss_sp = s;
		co[i].uc.uc_stack.ss_size = STACK;
		co[i].uc.uc_link = &co[0].uc;
		makecontext(&co[i].uc, t_coroutine, 0);
	}
	turns = t_scheduler();
	for (int i = 1; i <= COUNT; i++)
		ok &= co[i].result == (long)i * (i + 1);
	/* coroutine i works i + 1 times and yields twice each, so it is resumed 2i + 3 times */
	ok &= turns == 2 * 36 + 3 * COUNT;
	return truth_end(0, ok);
}
