/* SPDX-License-Identifier: BSD-3-Clause */
/* Has libbobbin three times: two copies of libbobbin.a in shared objects (half.c), and
 * libbobbin.so. Each counts the events of a trace, all at the same time. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "bobbin/bobbin.h"

uint64_t one(const char *dir);
uint64_t two(const char *dir);

static uint64_t own(const char *dir)
{
	struct bob_trace_sizes sizes = { 0 };
	struct bob_trace *trace;

	if (bob_trace_open(dir, &trace, NULL) != BOB_OK)
		return UINT64_MAX;
	bob_trace_sizes(trace, &sizes);
	bob_trace_close(trace);
	return sizes.events;
}

struct job {
	uint64_t (*count)(const char *dir);
	const char *dir;
	uint64_t events;
};

static void *run(void *arg)
{
	struct job *j = arg;

	for (int i = 0; i < 5; i++)
		j->events = j->count(j->dir);
	return NULL;
}

int main(int argc, char **argv)
{
	struct job job[] = { { one, argv[1], 0 }, { two, argv[1], 0 }, { own, argv[1], 0 } };
	pthread_t thread[3];

	if (argc != 2)
		return 2;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, run, &job[i]))
			return 3;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", job[0].events, job[1].events,
	       job[2].events);
	return 0;
}
