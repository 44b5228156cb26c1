/* SPDX-License-Identifier: BSD-3-Clause */
/* Perturbation: one thread works (traced calls) and then sets a flag, another polls the flag with
 * traced calls. The polls per round compare the tracer's cost on both sides: they stay the same if
 * every event costs about the same, and jump if recording stalls now and then, as one that
 * collects events in a buffer and writes it out does. `stall` as second argument imitates such a
 * recorder inside the work function, so that the test can show that it would notice.
 *     poll ROUNDS [stall]        prints: median and mean polls per round */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORK 2000
#define BUFFER 16384 /* events of the imitated recorder's buffer */

static atomic_int turn;
static volatile unsigned sink;
static int stall;
static unsigned buffered;

static void flush_buffer(void)
{
	struct timespec t, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	do {
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while ((t.tv_sec - end.tv_sec) * 1000000000L + (t.tv_nsec - end.tv_nsec) < 5000000L);
}

__attribute__((noinline)) void poll_work(unsigned i)
{
	for (unsigned k = 0; k < 40; k++)
		sink = i + k;
	if (stall && ++buffered == BUFFER) {
		buffered = 0;
		flush_buffer();
	}
}

__attribute__((noinline)) int poll_flag(int want)
{
	for (unsigned k = 0; k < 40; k++)
		sink = k;
	return atomic_load_explicit(&turn, memory_order_acquire) == want;
}

static void *worker(void *arg)
{
	int rounds = *(int *)arg;

	for (int r = 0; r < rounds; r++) {
		while (atomic_load_explicit(&turn, memory_order_acquire) != 2 * r + 1)
			;
		for (unsigned i = 0; i < WORK; i++)
			poll_work(i);
		atomic_store_explicit(&turn, 2 * r + 2, memory_order_release);
	}
	return NULL;
}

static int ascending(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 200;
	unsigned long *polls, sum = 0;
	pthread_t id;

	stall = argc > 2 && !strcmp(argv[2], "stall");
	polls = (unsigned long *)calloc((size_t)rounds + 1, sizeof(*polls));
	if (!polls || rounds < 1 || pthread_create(&id, NULL, worker, &rounds))
		return 97;
	for (int r = 0; r < rounds; r++) {
		atomic_store_explicit(&turn, 2 * r + 1, memory_order_release);
		while (!poll_flag(2 * r + 2))
			polls[r]++;
	}
	pthread_join(id, NULL);
	qsort(polls, (size_t)rounds, sizeof(*polls), ascending);
	/* the highest percent is left out of the mean: other programs of the machine */
	for (int r = 0; r < rounds * 99 / 100; r++)
		sum += polls[r];
	printf("%lu %lu\n", polls[rounds / 2], sum / (unsigned long)(rounds * 99 / 100));
	free(polls);
	return 0;
}
