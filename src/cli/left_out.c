/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/left_out.h"

#include <string.h>

static const char *const *list_of(const struct cli_session *s, uint32_t process)
{
	return bob_trace_process(s->trace, process)->left_out;
}

/* Is a thread of the process chosen? A process without threads is, where all are. */
static int is_chosen(const struct cli_session *s, uint32_t process)
{
	const struct bob_process_info *p = bob_trace_process(s->trace, process);

	for (uint32_t i = p->first_thread; i < p->first_thread + p->thread_count; i++)
		if (cli_select_match(&s->select, s->trace, i))
			return 1;
	return !s->select.count;
}

#define TEXTS_MAX 32u	/* different ones; behind them there may be some twice */

uint32_t cli_left_out_print(const struct cli_session *s, const char *before, FILE *out)
{
	const char *said[TEXTS_MAX];
	uint32_t lines = 0, count = 0, at;

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
	return lines;
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
