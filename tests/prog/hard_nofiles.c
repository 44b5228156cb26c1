/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that start when no more files can be opened. When the agent found the bounds of their
 * stacks only in /proc, the recording ended with "no memory". */
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

#define THREADS 5

__attribute__((noinline)) static int work(int i)
{
	return i % 7 + i / 3 * 5;
}

static void *run(void *sum)
{
	for (int i = 0; i < 100; i++)
		*(volatile long *)sum += work(i);
	return NULL;
}

int main(void)
{
	const struct rlimit none = { 0, 0 };
	long sum = 0;

	setrlimit(RLIMIT_NOFILE, &none);
	for (int i = 0; i < THREADS; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, run, &sum))
			return 1;
		pthread_join(t, NULL);
	}
	run(&sum);
	printf("%ld\n", sum);
	return 0;
}
