/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the MPI_COMM_WORLDs of a trace and missing spawned processes (print_worlds.h). */
#include "cli/print_worlds.h"

#include <inttypes.h>

#include "table/numbers.h"

#define SHOWN 12u

static void print_range(uint32_t first, uint32_t size, FILE *out)
{
	if (size == 1)
		fprintf(out, "rank %" PRIu32, first);
	else
		fprintf(out, "ranks %" PRIu32 "-%" PRIu32, first, first + size - 1);
}

static const struct bob_spawn_info *spawn_of(const struct bob_trace *t, uint32_t world)
{
	for (uint32_t i = 0; i < bob_trace_spawn_count(t); i++)
		if (bob_trace_spawn(t, i)->world == (int32_t)world)
			return bob_trace_spawn(t, i);
	return NULL;
}

static void print_world(const struct bob_trace *t, uint32_t i, FILE *out)
{
	const struct bob_world_info *w = bob_trace_world(t, i);
	const struct bob_spawn_info *s = spawn_of(t, i);

	print_range(w->first, w->size, out);
	fputs(w->size == 1 ? " is " : " are ", out);
	print_range(0, w->size, out);
	fputs(" of another MPI_COMM_WORLD", out);
	if (s)
		fprintf(out, ", which rank %" PRId32 " started (MPI_Comm_spawn)",
			bob_trace_process(t, s->process)->rank);
	fputc('\n', out);
}

void cli_worlds_print(const struct bob_trace *t, const char *before, FILE *out)
{
	const uint32_t n = bob_trace_world_count(t);

	for (uint32_t i = 1; i < n && i <= SHOWN; i++) {
		fputs(before, out);
		print_world(t, i, out);
	}
	if (n > SHOWN + 1)
		fprintf(out, "%s... %" PRIu32 " worlds in all\n", before, n);
}
