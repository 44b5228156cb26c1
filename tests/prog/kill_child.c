/* SPDX-License-Identifier: BSD-3-Clause */
/* Kills its children as soon as they are there, a little later each time, so that some of them die
 * while a recorder begins with them. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static __attribute__((noinline)) int step(volatile int *n)
{
	return ++*n;
}

static void wait_ns(long ns)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < ns);
}

int main(void)
{
	int status, killed = 0;

	for (int i = 0; i < 400; i++) {
		volatile int n = 0;
		pid_t child = fork();

		if (!child)
			for (;;)
				step(&n);
		wait_ns(i * 2000L);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		killed += WIFSIGNALED(status);
	}
	printf("%d killed\n", killed);
	return 0;
}
