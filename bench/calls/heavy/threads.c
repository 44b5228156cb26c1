/* SPDX-License-Identifier: BSD-3-Clause */
/* threads N CALLS: N threads that live at the same time make CALLS calls each. Each one is created
 * when the previous one has started and waits. Prints to standard error the peak resident size in
 * kB and the mean time from pthread_create to the thread's first statement in ns. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_barrier_t all_begun, all_done;
static sem_t one_begun;
static long calls;
static volatile long sink;

struct start {
	pthread_t thread;
	long long created_ns, began_ns;
};

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

__attribute__((noinline)) static void leaf(long i)
{
	sink = i;
}

__attribute__((noinline)) static void other_leaf(long i)
{
	sink = i + 1;
}

static void *work(void *arg)
{
	struct start *s = arg;

	s->began_ns = now_ns();
	sem_post(&one_begun);
	pthread_barrier_wait(&all_begun);
	for (long i = 0; i < calls; i++) {
		if (i % 7)
			leaf(i);
		else
			other_leaf(i);
	}
	pthread_barrier_wait(&all_done);
	return NULL;
}

static long peak_kb(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "VmHWM:", 6) == 0)
			kb = strtol(line + 6, NULL, 10);
	if (f)
		fclose(f);
	return kb;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;
	struct start *s = calloc((size_t)count, sizeof(*s));
	long long sum = 0;

	calls = argc > 2 ? atol(argv[2]) : 1000;
	sem_init(&one_begun, 0, 0);
	pthread_barrier_init(&all_begun, NULL, (unsigned)count + 1);
	pthread_barrier_init(&all_done, NULL, (unsigned)count + 1);
	for (int i = 0; i < count; i++) {
		s[i].created_ns = now_ns();
		if (pthread_create(&s[i].thread, NULL, work, &s[i]) != 0)
			return 1;
		sem_wait(&one_begun);
	}
	pthread_barrier_wait(&all_begun);
	pthread_barrier_wait(&all_done);
	for (int i = 0; i < count; i++) {
		pthread_join(s[i].thread, NULL);
		sum += s[i].began_ns - s[i].created_ns;
	}
	fprintf(stderr, "peak_kb %ld\nstart_ns %lld\n", peak_kb(), sum / count);
	free(s);
	return 0;
}
