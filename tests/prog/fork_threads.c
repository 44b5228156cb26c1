/* SPDX-License-Identifier: BSD-3-Clause */
/* Children make their first recorded call in many threads at the same time; the thread that forked
 * is the last. Every process makes a known number of calls of `step`. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 16
#define CHILDREN 20
#define STEPS 10

static pthread_barrier_t all;
static __thread volatile int n;

__attribute__((noinline)) void step(void)
{
	n++;
}

static void *thread(void *unused)
{
	pthread_barrier_wait(&all);
	for (int i = 0; i < STEPS; i++)
		step();
	return unused;
}

/* Inlined into main, so that nothing recorded runs between fork and the threads' first calls. */
static inline __attribute__((always_inline)) int child(void)
{
	pthread_t t[THREADS];

	pthread_barrier_init(&all, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, thread, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < STEPS; i++)
		step();
	return 0;
}

int main(void)
{
	int status, failed = 0;

	for (int i = 0; i < CHILDREN; i++) {
		step();
		pid_t pid = fork();
		if (!pid)
			return child();
		waitpid(pid, &status, 0);
		failed += status != 0;
	}
	printf("%d failed\n", failed);
	return 0;
}
