/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers on a sigaltstack are children of the function that was interrupted; also nested ones,
 * and one that leaves the alternate stack with siglongjmp. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>

#include "depth_deep.h"

static sigjmp_buf env;
static volatile int handled;

TFN void t_on_alt(int sig)
{
	ENTER(t_on_alt);
	t_deep(3);
	if (sig == SIGUSR1)
		raise(SIGUSR2);
	t_deep(1);
	handled++;
	LEAVE;
}

TFN void t_leave_alt(int sig)
{
	ENTER(t_leave_alt);
	t_deep(2);
	siglongjmp(env, sig);
}

TFN void t_send(int n, int sig)
{
	ENTER(t_send);
	if (n)
		t_send(n - 1, sig);
	else
		raise(sig);
	t_deep(1);
	LEAVE;
}

TFN void t_try(int n)
{
	long d;

	ENTER(t_try);
	d = DEPTH_NOW();
	if (sigsetjmp(env, 1) == 0) {
		t_send(n, SIGHUP);
	} else {
		RESTORE(d);
		handled++;
	}
	t_deep(2);
	LEAVE;
}

TFN void t_round(int i)
{
	ENTER(t_round);
	t_deep(20);
	t_send(i, SIGUSR1);
	t_try(i);
	t_deep(1);
	LEAVE;
}

int main(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction sa = { .sa_handler = t_on_alt, .sa_flags = SA_ONSTACK };
	struct sigaction out = { .sa_handler = t_leave_alt, .sa_flags = SA_ONSTACK };

	truth_begin(0, 1 << 16);
	if (sigaltstack(&ss, NULL))
		return 97;
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGUSR2, &sa, NULL);
	sigaction(SIGHUP, &out, NULL);
	for (int i = 0; i < 6; i++)
		t_round(i);
	return truth_end(0, handled == 18);
}
