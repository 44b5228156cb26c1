/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the log lines of a trace, each distinct line once, with a count (info_notes.h). */
#define _GNU_SOURCE /* memmem */
#include "cli/source/info_notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/source/instrument_predict.h"

#define NOTES_MAX 20u

/* Number of times that the line is logged in processes before this one, or UINT32_MAX for all. */
static uint32_t times_logged(const struct bob_trace *t, uint32_t before, const char *line,
			     size_t len)
{
	uint32_t n = 0, last = bob_trace_process_count(t);

	for (uint32_t i = 0; i < last && i < before; i++)
		for (const char *p = bob_trace_log(t, i), *end; *p; p = end + (*end != 0)) {
			end = p + strcspn(p, "\n");
			n += (size_t)(end - p) == len && !memcmp(p, line, len);
		}
	return n;
}

/* Predictions have a line of their own. */
static int is_prediction(const char *line)
{
	return !strncmp(line, CLI_PREDICTED_BEGIN, strlen(CLI_PREDICTED_BEGIN));
}

/* Sum over instrumented files of places in system headers, printed as one line. */
struct of_system {
	uint32_t files, places, headers;
	const char *first;
	size_t len;
};

static int is_of_system(struct of_system *to, const char *line, size_t len)
{
	static const char what[] = ": no probe at ", end[] = " of the system";
	const size_t n = sizeof(end) - 1;
	const char *at = memmem(line, len, what, sizeof(what) - 1);
	unsigned places, headers;

	if (!at || len < n || memcmp(line + len - n, end, n) != 0 ||
	    sscanf(at, ": no probe at %u place%*[s:] written in %u header", &places, &headers) != 2)
		return 0;
	if (!to->files++) {
		to->first = line;
		to->len = len;
	}
	to->places += places;
	to->headers = headers > to->headers ? headers : to->headers;
	return 1;
}

void cli_info_notes(const struct bob_trace *t, FILE *out)
{
	struct of_system system = { 0 };
	uint32_t shown = 0, more = 0;

	for (uint32_t i = 0; i < bob_trace_process_count(t); i++)
		for (const char *p = bob_trace_log(t, i), *end; *p; p = end + (*end != 0)) {
			const size_t len = strcspn(p, "\n");
			uint32_t all;

			end = p + len;
			if (times_logged(t, i, p, len) || is_prediction(p) ||
			    is_of_system(&system, p, len))
				continue;
			if (shown == NOTES_MAX) {
				more++;
				continue;
			}
			all = times_logged(t, UINT32_MAX, p, len);
			fprintf(out, "%s%.*s", shown++ ? "            " : "\nnotes       ",
				(int)len, p);
			fprintf(out, all > 1 ? " (%" PRIu32 " times)\n" : "\n", all);
		}
	if (system.files > 1)
		fprintf(out,
			"%sno probe at %u places of %u files: written in headers of the system, "
			"up to %u in a file\n",
			shown ? "            " : "\nnotes       ", system.places, system.files,
			system.headers);
	else if (system.files)
		fprintf(out, "%s%.*s\n", shown ? "            " : "\nnotes       ", (int)system.len,
			system.first);
	if (more)
		fprintf(out, "            ... %" PRIu32 " more, see bobbin info --json\n", more);
}
