/* SPDX-License-Identifier: BSD-3-Clause */
/* Much work for the collector: threads access their own arrays, mostly by a rule, sometimes at
 * random; the same accesses in every run.
 *
 *     collected THREADS ACCESSES [fork|pause|cost]
 *
 * It checks between accesses that it has no children but its own. fork: a child does the same.
 * pause: prints "half" and waits for a line before the second half. cost: prints the CPU time of
 * the accesses in us. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bobbin/probe.h"

#define ELEMENTS 65536
#define THREADS 8

static const int64_t bounds[][2] = { { 0, ELEMENTS } };
#define ARRAY(n)                                                                                   \
	{                                                                                          \
		.name = n, .element = 8, .rank = 1, .bounds = bounds, .rows_first = 1              \
	}
static const struct bob_probe_variable variables[THREADS] = {
	ARRAY("a0"), ARRAY("a1"), ARRAY("a2"), ARRAY("a3"),
	ARRAY("a4"), ARRAY("a5"), ARRAY("a6"), ARRAY("a7"),
};
static const char *const units[] = { "work" };
static const struct bob_probe_site sites[] = {
	{ .line = 10, .kind = BOB_PROBE_READ, .size = 8 },
	{ .line = 11, .kind = BOB_PROBE_WRITE, .size = 8 },
	{ .line = 12, .kind = BOB_PROBE_UPDATE, .size = 8 },
};
static struct bob_probe_file bob_probe_here = {
	.size = sizeof(bob_probe_here), .path = "collected.c", .digest = 77,
	.unit = units, .variable = variables, .site = sites, .units = 1, .variables = THREADS,
	.sites = 3,
};

static double array[THREADS][ELEMENTS];
static uint64_t accesses;
static int pauses;
static const char *unexpected;

static void *work(void *number)
{
	const unsigned t = (unsigned)(uintptr_t)number;
	uint64_t state = 88172645463325252u + t, at = 0;

	for (uint64_t i = 0; i < accesses; i++) {
		if (pauses && !t && i == accesses / 2) {
			char line[8];

			printf("half\n");
			fflush(stdout);
			if (!fgets(line, sizeof(line), stdin))
				unexpected = "no line";
		}
		if (i % 4096 == 0 && !t && waitpid(-1, NULL, WNOHANG | __WALL) >= 0)
			unexpected = "an unexpected child";
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		at = state % 16 ? at + 3 : state >> 20;
		if (i % 7 == 0)
			BOB_PROBE_X(1, array[t][at % ELEMENTS]) = (double)i;
		else
			(void)*(volatile double *)&BOB_PROBE_X(0, array[t][at % ELEMENTS]);
	}
	return NULL;
}

static void run(unsigned threads)
{
	pthread_t thread[THREADS];

	for (unsigned t = 1; t < threads; t++)
		if (pthread_create(&thread[t], NULL, work, (void *)(uintptr_t)t))
			abort();
	work(NULL);
	for (unsigned t = 1; t < threads; t++)
		pthread_join(thread[t], NULL);
}

static int print_cost(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	printf("%ld\n", (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000 + r.ru_utime.tv_usec +
				r.ru_stime.tv_usec);
	return 0;
}

int main(int argc, char **argv)
{
	const unsigned threads = argc > 2 ? (unsigned)atoi(argv[1]) : 0;
	int status = 0;

	if (!threads || threads > THREADS)
		return 2;
	accesses = strtoull(argv[2], NULL, 10);
	pauses = argc > 3 && !strcmp(argv[3], "pause");
	bob_probe_begin(&bob_probe_here);
	for (unsigned t = 0; t < THREADS; t++)
		bob_probe_declare(&bob_probe_here, t, array[t], NULL);
	run(threads);
	if (argc > 3 && !strcmp(argv[3], "cost"))
		return print_cost();
	if (argc > 3 && !strcmp(argv[3], "fork")) {
		const pid_t child = fork();

		if (!child) {
			run(threads);
			_exit(unexpected ? 1 : 7);
		}
		if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
			unexpected = "the child ended otherwise";
	}
	if (waitpid(-1, NULL, __WALL) != -1 || errno != ECHILD)
		unexpected = "an unexpected child, in the end";
	printf("%s\n", unexpected ? unexpected : "ok");
	return unexpected ? 1 : 3;
}
