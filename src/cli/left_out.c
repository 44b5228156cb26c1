/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines about what a recording excluded, from the processes' settings and counters (left_out.h). */
#include "cli/left_out.h"

#include <string.h>

#include "table/numbers.h"

static const char *const *list_of(const struct cli_session *s, uint32_t process)
{
	return bob_trace_process(s->trace, process)->left_out;
}

/* Whether a thread of the process is chosen; for a process without threads, whether all are. */
static int is_chosen(const struct cli_session *s, uint32_t process)
{
	const struct bob_process_info *p = bob_trace_process(s->trace, process);

	for (uint32_t i = p->first_thread; i < p->first_thread + p->thread_count; i++)
		if (cli_select_match(&s->select, s->trace, i))
			return 1;
	return !s->select.count;
}

static int add_count(void *ctx, const struct bob_value_pair *p)
{
	*(uint64_t *)ctx += p->count;
	return 0;
}

/* Number of calls without times, if others have them: there were too many pairs of call sites, or
 * no memory. One call per thread may have none, because it had not returned. */
static uint64_t untimed(const struct bob_trace *t)
{
	struct bob_trace_sizes sizes;
	uint64_t timed = 0;

	(void)bob_trace_value_times(t, BOB_VALUES_MPI, add_count, &timed);
	if (!timed)
		return 0;
	bob_trace_sizes(t, &sizes);
	return sizes.mpi_calls > timed + bob_trace_thread_count(t) ? sizes.mpi_calls - timed : 0;
}

/* Accesses of the threads chosen that were not recorded. */
static uint64_t count_outside(const struct cli_session *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < bob_trace_thread_count(s->trace); i++)
		if (cli_select_match(&s->select, s->trace, i))
			n += bob_trace_thread(s->trace, i)->outside;
	return n;
}

#define TEXTS_MAX 32u	/* different ones; after them some may occur twice */

uint32_t cli_left_out_print(const struct cli_session *s, const char *before, FILE *out)
{
	const char *said[TEXTS_MAX];
	uint32_t lines = 0, count = 0, at;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];
	uint64_t missing, outside;

	for (uint32_t i = 0; i < bob_trace_process_count(s->trace); i++) {
		const char *const *list = list_of(s, i);

		for (; *list && is_chosen(s, i); list++) {
			for (at = 0; at < count && strcmp(said[at], *list); at++)
				;
			if (at < count)
				continue;
			if (count < TEXTS_MAX)
				said[count++] = *list;
			fprintf(out, "%snot everything: recorded with --%s\n", before, *list);
			lines++;
		}
	}
	missing = s->select.count ? 0 : untimed(s->trace);
	if (missing)
		fprintf(out,
			"%snot everything: times of %s calls, after too many pairs of call sites\n",
			before, bob_format_count(a, missing));
	outside = count_outside(s);
	if (outside)
		fprintf(out, "%snot everything: %s accesses of other addresses\n", before,
			bob_format_count(b, outside));
	return lines + (missing != 0) + (outside != 0);
}

const char *cli_left_out_value(const struct cli_session *s, const char *name)
{
	const size_t n = strlen(name);

	for (uint32_t i = 0; i < bob_trace_process_count(s->trace); i++)
		for (const char *const *list = list_of(s, i); *list && is_chosen(s, i); list++)
			if (!strncmp(*list, name, n) && (*list)[n] == '=')
				return *list + n + 1;
	return NULL;
}
