/* SPDX-License-Identifier: BSD-3-Clause */
/* errno between a failing system call and its check: tiny functions are called in between, for the
 * first time (so a tracer's slow path runs) and often, on the main stack, in threads, in signal
 * handlers, and on new stacks. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

static _Thread_local int bad;

#define TINY(n)                                                                                    \
	__attribute__((noinline)) int tiny##n(int x)                                               \
	{                                                                                          \
		__asm__ volatile("");                                                              \
		return x + n;                                                                      \
	}
#define EACH(M) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8)
EACH(TINY)

__attribute__((noinline)) int deep(int n)
{
	volatile int r = n ? deep(n - 1) : 0;

	return r + 1;
}

#define CALL(n)                                                                                    \
	if (tiny##n(1) != 1 + n || errno != want)                                                  \
		bad++;

static void fail_and_check(int want)
{
	EACH(CALL)
	if (deep(50) != 51 || errno != want)
		bad++;
}

static void each_error(void)
{
	if (open("/nonexistent/file", O_RDONLY) != -1)
		bad++;
	fail_and_check(ENOENT);
	if (close(-1) != -1)
		bad++;
	fail_and_check(EBADF);
	if (write(-1, "", 1) != -1)
		bad++;
	fail_and_check(EBADF);
	if (chdir("/dev/null") != -1)
		bad++;
	fail_and_check(ENOTDIR);
	errno = 4095;
	fail_and_check(4095);
}

static void *thread(void *arg)
{
	errno = 1234; /* before the first traced call of this thread */
	fail_and_check(1234);
	each_error();
	*(int *)arg = bad;
	return NULL;
}

static volatile int in_handler;

static void handler(int sig)
{
	int saved = errno;

	(void)sig;
	in_handler = 1;
	each_error();
	errno = saved;
}

static ucontext_t home, away;

static void coroutine(void)
{
	errno = 77;
	fail_and_check(77);
	swapcontext(&away, &home);
}

int main(void)
{
	static int results[8];
	pthread_t id[8];
	int total;

	errno = 4321;
	fail_and_check(4321);
	for (int i = 0; i < 200; i++)
		each_error();
	signal(SIGUSR1, handler);
	for (int i = 0; i < 20; i++) {
		errno = 99;
		raise(SIGUSR1);
		fail_and_check(99);
	}
	getcontext(&away);
	away.uc_stack.ss_sp = malloc(65536);
	away.uc_stack.ss_size = 65536;
	away.uc_link = &home;
	makecontext(&away, coroutine, 0);
	swapcontext(&home, &away);
	for (int i = 0; i < 8; i++)
		if (pthread_create(&id[i], NULL, thread, &results[i]))
			return 97;
	total = bad;
	for (int i = 0; i < 8; i++) {
		pthread_join(id[i], NULL);
		total += results[i];
	}
	printf("%d wrong\n", total);
	return total != 0 || !in_handler;
}
