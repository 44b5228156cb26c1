/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/left_out.h"

#include <string.h>

static const char *const *list_of(const struct cli_session *s, uint32_t process)
{
	return bob_trace_process(s->trace, process)->left_out;
}

#define TEXTS_MAX 32u	/* different ones; behind them there may be some twice */

uint32_t cli_left_out_print(const struct cli_session *s, const char *before, FILE *out)
{
	const char *said[TEXTS_MAX];
	uint32_t lines = 0, count = 0, at;

	for (uint32_t i = cli_session_thread(s, 0); i < bob_trace_thread_count(s->trace);
	     i = cli_session_thread(s, i + 1)) {
		const char *const *list = list_of(s, bob_trace_thread(s->trace, i)->process);

		for (; *list; list++) {
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

	for (uint32_t i = cli_session_thread(s, 0); i < bob_trace_thread_count(s->trace);
	     i = cli_session_thread(s, i + 1)) {
		const char *const *list = list_of(s, bob_trace_thread(s->trace, i)->process);

		for (int k = 0; list[k]; k++)
			if (!strncmp(list[k], name, n) && list[k][n] == '=')
				return list[k] + n + 1;
	}
	return NULL;
}
