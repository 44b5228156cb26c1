/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the records of a rank to its file, with times of the monotonic clock. */
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static FILE *file;

int trace_open(const char *prefix, int rank)
{
	char name[4096];

	snprintf(name, sizeof(name), "%s.%d.trace", prefix, rank);
	file = fopen(name, "w");
	return file ? 0 : -1;
}

double trace_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void trace_call(const char *function, int count, double from)
{
	fprintf(file, "call %s %d %.9f %.9f\n", function, count, from, trace_now());
}

void trace_value(const char *name, int64_t value)
{
	fprintf(file, "value %s %" PRId64 "\n", name, value);
}

int trace_close(void)
{
	int bad = ferror(file);

	return fclose(file) || bad ? -1 : 0;
}
