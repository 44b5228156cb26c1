/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals on the stack of the interrupted function: raise, pthread_kill and tgkill to oneself,
 * nested handlers, a handler right after a deep stack was unwound. All arrive at known points. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "depth_deep.h"

static volatile int handled;

TFN void t_inner_handler(int sig)
{
	(void)sig;
	ENTER(t_inner_handler);
	t_deep(2);
	handled++;
	LEAVE;
}

TFN void t_handler(int sig, siginfo_t *info, void *uc)
{
	(void)info;
	(void)uc;
	ENTER(t_handler);
	t_deep(1);
	if (sig == SIGUSR2)
		raise(SIGHUP);
	t_deep(0);
	handled++;
	LEAVE;
}

TFN void t_send(int how, int sig)
{
	ENTER(t_send);
	if (how == 0)
		raise(sig);
	else if (how == 1)
		pthread_kill(pthread_self(), sig);
	else
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), sig);
	t_deep(1);
	LEAVE;
}

TFN void t_round(int i)
{
	ENTER(t_round);
	t_deep(200);
	t_send(i % 3, SIGUSR1);
	t_deep(3);
	t_send(i % 3, SIGUSR2);
	LEAVE;
}

int main(void)
{
	struct sigaction sa = { .sa_flags = SA_SIGINFO };
	struct sigaction in = { .sa_handler = t_inner_handler };

	sa.sa_sigaction = t_handler;
	truth_begin(0, 1 << 16);
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGUSR2, &sa, NULL);
	sigaction(SIGHUP, &in, NULL);
	for (int i = 0; i < 6; i++)
		t_round(i);
	raise(SIGUSR1);
	/* a round: 1 + 201 + 4, two sends of 1 + 2, two handlers of 1 + 2 + 1, one of 1 + 3 */
	return truth_end(6 * 224 + 4, handled == 6 * 3 + 1);
}
