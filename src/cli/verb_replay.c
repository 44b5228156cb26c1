/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin replay: the memory accesses of a trace as a stream of lines or records. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/between.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/terminal/output.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "export/export.h"

enum {
	OPT_MEM,
	OPT_FORMAT,
	OPT_ORDER,
	OPT_QUANTUM,
	OPT_SUBSCRIPTS,
	OPT_SYNCS,
	OPT_MPI,
	OPT_BETWEEN,
	OPT_GROUP,
	OPT_THREAD,
	OPT_MAX_EVENTS,
	OPT_OUTPUT
};

const struct cli_option replay_options[] = {
	{ "mem", 0, NULL, "memory accesses, which is all that can be replayed" },
	{ "format", 'f', "FORMAT",
	  "text (default): kind, address, size, place; din; lackey; binary",
	  .values = "text|din|lackey|binary" },
	{ "order", 0, "ORDER",
	  "turns (default): the threads of a process take turns; threads: one after "
	  "another",
	  .values = "threads|turns" },
	{ "quantum", 'q', "ACCESSES", "of a thread's turn (default 100)" },
	{ "subscripts", 0, NULL,
	  "behind each access the variable and its subscripts, of instrumented sources "
	  "(text only)" },
	{ "syncs", 0, NULL, "also where threads synchronise (text only)" },
	{ "mpi", 0, NULL, "also where MPI is called (text only)" },
	{ "between", 0, "FROM..TO", CLI_BETWEEN_HELP },
	{ "group", 'g', "SPEC", "only these threads: 0, 1.0, rank=0-3, pid=N, host=NAME" },
	{ "thread", 't', "N", "the same as --group" },
	{ "max-events", 0, "N", CLI_MAX_EVENTS_HELP },
	{ "output", 'o', "FILE", "write there instead of standard output" },
	{ 0 },
};

/* Those of the chosen threads that have accesses. */
static uint32_t choose_threads(const struct cli_session *s, uint32_t *threads)
{
	uint32_t n = bob_trace_thread_count(s->trace), count = 0;
	struct bob_access_cursor *c;

	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1))
		if (bob_access_cursor_open(s->trace, i, &c, NULL) == BOB_OK) {
			bob_access_cursor_close(c);
			threads[count++] = i;
		}
	return count;
}

static int replay(struct cli_session *s, FILE *out, struct bob_access_style *style)
{
	struct bob_error err = { .text = "" };
	struct bob_export x = {
		.trace = s->trace, .functions = s->functions, .out = out, .err = &err
	};
	uint32_t *threads = calloc(bob_trace_thread_count(s->trace) + 1u, sizeof(*threads));
	char number[BOB_NUMBER_MAX];
	bob_status st = BOB_OK;
	int status = 0;

	if (!threads)
		return cli_fail("replay", "out of memory");
	x.thread_count = choose_threads(s, threads);
	x.threads = threads;
	if (x.thread_count < 2)
		style->order = BOB_ACCESSES_THREADS; /* lines need not name it */
	if (x.thread_count)
		st = bob_export_accesses(&x, style);
	else
		status = cli_fail("replay",
				  "the trace has no memory accesses, or none in the threads "
				  "chosen; they are recorded with bobbin record --mem");
	if (st != BOB_OK)
		status = cli_fail_status("replay", "not all of the trace can be read", st, &err);
	if (x.forced)
		fprintf(stderr,
			"bobbin: replay: %s time%s a thread went on before what it waited for: the trace "
			"does not have it\n",
			bob_format_count(number, x.forced), bob_plural(x.forced));
	free(threads);
	return status;
}

static int take_option(struct cli_session *s, struct bob_access_style *style, int opt,
		       const char *arg)
{
	int word = 0, status = 0;

	switch (opt) {
	case OPT_GROUP:
	case OPT_THREAD:
		return cli_session_select("replay", s, arg);
	case OPT_MAX_EVENTS:
		return cli_session_max_events(s, arg);
	case OPT_FORMAT:
		status = cli_option_word("replay", &replay_options[opt], arg, &word);
		style->format = (enum bob_access_format)word;
		return status;
	case OPT_ORDER:
		status = cli_option_word("replay", &replay_options[opt], arg, &word);
		style->order = (enum bob_access_order)word;
		return status;
	case OPT_QUANTUM:
		if (cli_parse_count(arg, &style->quantum) || !style->quantum)
			return cli_misuse("replay", "--quantum is a number above 0, not '%s'", arg);
		return 0;
	case OPT_SUBSCRIPTS:
		style->subscripts = 1;
		return 0;
	case OPT_SYNCS:
		style->syncs = 1;
		return 0;
	case OPT_MPI:
		style->values = 1;
		return 0;
	default:
		return 0;
	}
}

int verb_replay(int argc, char **argv)
{
	struct cli_session s = { .verb = "replay" };
	const char *arg, *output = NULL;
	struct cli_options o;
	struct bob_access_style style = { .order = BOB_ACCESSES_TURNS };
	struct cli_between between = { .given = 0 };
	int opt, status = 0;
	FILE *out;

	cli_options_begin(&o, "replay", argc, argv);
	while ((opt = cli_options_next(&o, &arg)) >= 0) {
		if (opt == OPT_OUTPUT)
			output = arg;
		else if (!status && opt == OPT_BETWEEN)
			status = cli_between_parse("replay", &between, arg);
		else if (!status)
			status = take_option(&s, &style, opt, arg);
	}
	if (opt != CLI_OPTIONS_END)
		return opt == CLI_OPTIONS_HELP ? 0 : 2;
	if (!status)
		status = cli_session_open(&s, argc, argv);
	if (status)
		return status;
	status = cli_between_apply(&between, &s, 1);
	out = status ? NULL : cli_output_open("replay", output);
	status |= !out;
	if (out) {
		status = replay(&s, out, &style);
		status |= cli_output_close("replay", out, output);
	}
	cli_session_close(&s);
	return status;
}
