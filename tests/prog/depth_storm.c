/* SPDX-License-Identifier: BSD-3-Clause */
/* A storm of timer signals over recursive code. A signal may land between a function's entry and
 * its log record, so only the handler's place may differ from the log, and by one record. */
#include <signal.h>
#include <sys/time.h>

#include "depth_deep.h"

static volatile int storms;

TFN void t_alarm(int sig)
{
	(void)sig;
	ENTER(t_alarm);
	t_deep(3);
	storms++;
	LEAVE;
}

TFN long t_fib(int n)
{
	long r;

	ENTER(t_fib);
	r = n < 2 ? n : t_fib(n - 1) + t_fib(n - 2);
	LEAVE;
	return r;
}

TFN long t_round(int n)
{
	long r;

	ENTER(t_round);
	r = t_fib(n) + t_fib(n - 3);
	LEAVE;
	return r;
}

int main(void)
{
	struct sigaction sa = { .sa_handler = t_alarm, .sa_flags = SA_RESTART };
	struct itimerval every = { { 0, 100 }, { 0, 100 } }, off = { { 0, 0 }, { 0, 0 } };
	int ok = 1, rounds = 0;

	truth_async = "t_alarm";
	truth_begin(0, 1 << 20);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (; rounds < 300 && (rounds < 20 || storms < 40); rounds++)
		ok &= t_round(12) == 144 + 34;
	setitimer(ITIMER_REAL, &off, NULL);
	return truth_end(0, ok && storms >= 5);
}
