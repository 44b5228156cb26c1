/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin replay: the memory accesses of a trace as a stream of lines. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complain.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "export/export.h"

enum { OPT_MEM, OPT_FORMAT, OPT_GROUP, OPT_THREAD, OPT_OUTPUT };

const struct cli_option replay_options[] = {
	{ "mem", 0, NULL, "memory accesses (nothing else can be replayed yet)", NULL, NULL },
	{ "format", 'f', "FORMAT", "text (default): kind, address, size, place; din; lackey", NULL,
	  "text|din|lackey" },
	{ "group", 'g', "SPEC", "only these threads: 0, 1.0, rank=0-3, pid=N, host=NAME", NULL, NULL },
	{ "thread", 't', "N", "the same as --group", NULL, NULL },
	{ "output", 'o', "FILE", "write there instead of standard output", NULL, NULL },
	{ NULL, 0, NULL, NULL, NULL, NULL },
};

static int need_accesses(const struct cli_session *s, const struct bob_export *x)
{
	struct bob_access_cursor *c;

	for (uint32_t i = 0; i < x->thread_count; i++)
		if (bob_access_cursor_open(s->trace, x->threads[i], &c, NULL) == BOB_OK) {
			bob_access_cursor_close(c);
			return 0;
		}
	return cli_fail("replay",
			"the trace has no memory accesses, or none in the threads chosen; "
			"they are recorded with bobbin record --mem");
}

static int replay(struct cli_session *s, FILE *out, enum bob_access_format format)
{
	struct bob_error err = { .text = "" };
	struct bob_export x = {
		.trace = s->trace, .functions = s->functions, .out = out, .err = &err
	};
	uint32_t n = bob_trace_thread_count(s->trace), *threads = calloc(n + 1, sizeof(*threads));
	bob_status st;
	int status;

	if (!threads)
		return cli_fail("replay", "out of memory");
	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1))
		threads[x.thread_count++] = i;
	x.threads = threads;
	status = need_accesses(s, &x);
	if (!status) {
		st = bob_export_accesses(&x, format);
		if (st != BOB_OK)
			status = cli_fail_status("replay", "not all of the trace can be read", st,
						 &err);
	}
	free(threads);
	return status;
}

int verb_replay(int argc, char **argv)
{
	struct cli_session s = { .verb = "replay" };
	const char *arg, *output = NULL;
	struct cli_options o;
	int opt, status = 0, mem = 0, format = BOB_ACCESSES_TEXT;
	FILE *out;

	cli_options_begin(&o, "replay", argc, argv);
	while ((opt = cli_options_next(&o, &arg)) >= 0) {
		if ((opt == OPT_GROUP || opt == OPT_THREAD) && !status)
			status = cli_session_select(&s, arg);
		else if (opt == OPT_FORMAT && !status)
			status = cli_option_word("replay", &replay_options[opt], arg, &format);
		else if (opt == OPT_OUTPUT)
			output = arg;
		else if (opt == OPT_MEM)
			mem = 1;
	}
	if (opt != CLI_OPTIONS_END)
		return opt == CLI_OPTIONS_HELP ? 0 : 2;
	if (!status && !mem)
		status = cli_misuse("replay", "say what to replay: --mem");
	if (!status)
		status = cli_session_open(&s, argc, argv);
	if (status)
		return status;
	status = 1;
	out = cli_output_open("replay", output);
	if (out) {
		status = replay(&s, out, (enum bob_access_format)format);
		status |= cli_output_close("replay", out, output);
	}
	cli_session_close(&s);
	return status;
}
