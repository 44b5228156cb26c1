/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin dump: prints every event, one line each, as docs/format.md defines it; names are not
 * demangled. */
#include <inttypes.h>
#include <stdio.h>

#include "archive/archive.h"
#include "cli/terminal/complain.h"
#include "cli/terminal/output.h"
#include "cli/session.h"
#include "cli/verbs.h"

struct dump {
	struct cli_session s;
	const char *output;
};

const struct cli_option dump_options[] = {
	CLI_OPTION_GROUP(struct dump, s),
	CLI_OPTION_MAX_EVENTS(struct dump, s),
	CLI_OPTION_OUTPUT(struct dump, output),
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
	struct dump d = { .s = { .verb = "dump" } };
	int status = cli_options_read("dump", argc, argv, &d);
	FILE *out;

	if (status != CLI_GO_ON)
		return status;
	status = cli_session_open(&d.s, argc, argv);
	if (status)
		return status;
	status = 1;
	out = cli_output_open("dump", d.output);
	if (out) {
		status = dump_all(&d.s, out);
		status |= cli_output_close("dump", out, d.output);
	}
	cli_session_close(&d.s);
	return status;
}
