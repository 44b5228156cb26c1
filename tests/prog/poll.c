/* SPDX-License-Identifier: BSD-3-Clause */
/* Perturbation: one thread works (traced calls) and then sets a flag, another polls the flag with
 * traced calls; one turn of both is a round. The number of polls measures how long the work took,
 * in units of the poller's own work. It stays the same if recording costs about the same per call,
 * and jumps if recording sometimes stops the worker.
 *     poll ROUNDS            prints the mean of the rounds (poll.h), and the polls of each */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "poll.h"

static atomic_int turn; /* 2r + 1: the worker's; 2r + 2: done; -1: the end */
static double work_time;

__attribute__((noinline)) int poll_flag(int want)
{
	between_polls();
	return atomic_load_explicit(&turn, memory_order_acquire) == want;
}

static void *worker(void *arg)
{
	(void)arg;
	for (int mine = 1;; mine += 2) {
		int now;

		while ((now = atomic_load_explicit(&turn, memory_order_acquire)) != mine)
			if (now < 0)
				return NULL;
		work_time = work();
		atomic_store_explicit(&turn, mine + 1, memory_order_release);
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	double polls = 0, raw = 0;
	pthread_t id;

	if (rounds < 1 || pthread_create(&id, NULL, worker, NULL))
		return 97;
	for (int r = 0; r < rounds; r++) {
		double before = processor_time(), n = 0;

		atomic_store_explicit(&turn, 2 * r + 1, memory_order_release);
		do
			n++;
		while (!poll_flag(2 * r + 2));
		polls += n * work_time / (processor_time() - before);
		raw += n;
	}
	atomic_store_explicit(&turn, -1, memory_order_release);
	pthread_join(id, NULL);
	printf("%.0f %.0f\n", polls / rounds, raw / rounds);
	return 0;
}
