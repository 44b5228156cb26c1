/* SPDX-License-Identifier: BSD-3-Clause */
/* A program for debuggers. It sends itself SIGUSR1 before its work, which is where a debugger that
 * stops at signals comes when all entries have been patched. With an argument it waits until a
 * debugger sets `go`. */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

volatile int go;
static volatile int sink;

__attribute__((noinline)) int leaf(int x)
{
	sink += x;
	return x * 3 + sink % 7;
}

__attribute__((noinline)) int mid(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += leaf(i);
	return s;
}

__attribute__((noinline)) int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) void body(void)
{
	sink += mid(3); /* at -O0 the first instruction after push and mov */
}

int main(int argc, char **argv)
{
	(void)argv;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	signal(SIGUSR1, SIG_IGN);
	for (int i = 0; argc > 1 && !go && i < 6000; i++)
		usleep(10000);
	raise(SIGUSR1);
	body();
	printf("%d %d\n", mid(20), fib(10));
	fflush(stdout);
	return 3;
}
