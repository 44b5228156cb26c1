/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the MPI events of a trace for the tests, one a line:
 *     T rank pid thread                                   a thread begins
 *     NAME open lost depth innermost-place WORDS... [ELEMENTS...]...
 * Numbers only, signed; src/mpi/functions.txt has their meaning, which tests/e2e/mpi_events.py
 * reads. */
#include <inttypes.h>
#include <stdio.h>

#include "archive/events/mpi_functions.h"
#include "bobbin/trace.h"

static void print(const struct bob_value_event *e)
{
	const struct bob_mpi_function *f;
	uint32_t number = 0;

	for (size_t i = 0; i < e->key_len; i++)
		number |= (uint32_t)(e->key[i] & 127) << 7 * i;
	f = bob_mpi_function_of(number);
	printf("%s %d %d %" PRIu32 " %" PRIx64, f ? f->name : "?", e->open, e->lost, e->depth,
	       e->depth ? e->place[e->depth - 1] : 0);
	for (uint32_t i = 0; i < e->words; i++)
		printf(" %" PRId64, (int64_t)e->word[i]);
	for (uint32_t i = 0; i < e->vectors; i++) {
		printf(" [");
		for (uint64_t k = 0; k < e->vector[i].count * e->vector[i].words; k++)
			printf(" %" PRId64, (int64_t)e->vector[i].at[k]);
		printf(" ]");
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct bob_error err;
	struct bob_trace *t;

	if (argc != 2 || bob_trace_open(argv[1], &t, &err) != BOB_OK) {
		fprintf(stderr, "%s\n", argc == 2 ? err.text : "print_events TRACE");
		return 1;
	}
	for (uint32_t i = 0; i < bob_trace_problem_count(t); i++)
		printf("P %s: %s\n", bob_trace_problem(t, i)->file, bob_trace_problem(t, i)->text);
	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		const struct bob_process_info *p =
			bob_trace_process(t, bob_trace_thread(t, i)->process);
		struct bob_value_cursor *c;
		struct bob_value_event e;
		bob_status st;

		printf("T %" PRId32 " %" PRIu64 " %" PRIu32 "\n", p->rank, (uint64_t)p->pid, i);
		st = bob_value_cursor_open(t, i, BOB_VALUES_MPI, &c, &err);
		if (st == BOB_NONE)
			continue;
		while (st == BOB_OK && (st = bob_value_cursor_next(c, &e, &err)) == BOB_OK)
			print(&e);
		if (st != BOB_END) {
			fprintf(stderr, "thread %" PRIu32 ": %s\n", i, err.text);
			return 1;
		}
		bob_value_cursor_close(c);
	}
	bob_trace_close(t);
	return 0;
}
