/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin dump: every event, one line each, as docs/format.md defines it; names are not
 * demangled. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "archive/archive.h"
#include "cli/terminal/complain.h"
#include "cli/terminal/output.h"
#include "cli/session.h"
#include "cli/verbs.h"

enum { OPT_GROUP, OPT_MAX_EVENTS, OPT_OUTPUT };

const struct cli_option dump_options[] = {
	{ "group", 'g', "SPEC", "only these threads: 0, 1.0, rank=0-3, pid=N, host=NAME" },
	{ "max-events", 0, "N", CLI_MAX_EVENTS_HELP },
	{ "output", 'o', "FILE", "write there instead of standard output" },
	{ 0 },
};

static bob_status dump_thread(struct cli_session *s, uint32_t thread, FILE *out)
{
	const struct bob_thread_info *th = bob_trace_thread(s->trace, thread);

	fprintf(out, "thread %" PRIu32 ".%" PRIu32 "\n", th->process, th->number);
	return bob_archive_dump_thread(s->trace, thread, out);
}

static int dump_all(struct cli_session *s, FILE *out)
{
	uint32_t n = bob_trace_thread_count(s->trace);

	for (uint32_t i = cli_session_thread(s, 0); i < n && !ferror(out);
	     i = cli_session_thread(s, i + 1))
		if (cli_session_thread_done(s, i, dump_thread(s, i, out), NULL))
			return 1;
	if (!s->select.count && (bob_archive_dump_shapes(s->trace, out) != BOB_OK ||
				 bob_archive_dump_times(s->trace, out) != BOB_OK ||
				 bob_archive_dump_sets(s->trace, out) != BOB_OK ||
				 bob_archive_dump_sources(s->trace, out) != BOB_OK))
		return 1;
	return s->damaged != 0;
}

int verb_dump(int argc, char **argv)
{
	struct cli_session s = { .verb = "dump" };
	const char *arg, *output = NULL;
	struct cli_options o;
	int opt, status = 0;
	FILE *out;

	cli_options_begin(&o, "dump", argc, argv);
	while ((opt = cli_options_next(&o, &arg)) >= 0) {
		if (opt == OPT_GROUP && !status)
			status = cli_session_select("dump", &s, arg);
		else if (opt == OPT_MAX_EVENTS && !status)
			status = cli_session_max_events(&s, arg);
		else if (opt == OPT_OUTPUT)
			output = arg;
	}
	if (opt != CLI_OPTIONS_END)
		return opt == CLI_OPTIONS_HELP ? 0 : 2;
	if (!status)
		status = cli_session_open(&s, argc, argv);
	if (status)
		return status;
	status = 1;
	out = cli_output_open("dump", output);
	if (out) {
		status = dump_all(&s, out);
		status |= cli_output_close("dump", out, output);
	}
	cli_session_close(&s);
	return status;
}
