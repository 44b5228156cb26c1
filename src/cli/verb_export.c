/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin export: the trace for other tools. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complain.h"
#include "cli/exporting.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/verbs.h"

enum { OPT_FORMAT, OPT_OUTPUT, OPT_GROUP, OPT_MAX_EVENTS, OPT_NO_DEMANGLE };

const struct cli_option export_options[] = {
	{ "format", 'f', "FORMAT", "folded (flame graphs), callgrind (KCachegrind), chrome "
	  "(Perfetto) or csv (a table of functions)", NULL, "folded|callgrind|chrome|csv" },
	{ "output", 'o', "FILE", "write there instead of standard output", NULL, NULL },
	{ "group", 'g', "SPEC", "only these threads: 0, 1.0, rank=0-3, pid=N, host=NAME", NULL,
	  NULL },
	{ "max-events", 'n', "N", "chrome: at most so many calls (default 1M, 0 for all); viewers "
	  "do not survive large files", NULL, NULL },
	{ "no-demangle", 0, NULL, "write C++ names as the compiler wrote them", NULL, NULL },
	{ NULL, 0, NULL, NULL, NULL, NULL },
};

#define MAX_EVENTS_DEFAULT 1000000u

static const struct {
	const char *name;
	bob_status (*write)(struct bob_export *x);
} formats[] = { { "folded", bob_export_folded },
		{ "callgrind", bob_export_callgrind },
		{ "chrome", bob_export_chrome },
		{ "csv", bob_export_csv } };

static int find_format(const char *name)
{
	for (int i = 0; i < 4; i++)
		if (!strcmp(formats[i].name, name))
			return i;
	return -1;
}

const char *cli_export_name(void *ctx, uint32_t number)
{
	return cli_names_get(ctx, number);
}

int cli_export_begin(struct bob_export *x, struct cli_session *s)
{
	uint32_t n = bob_trace_thread_count(s->trace), *threads;

	threads = malloc(((size_t)n + 1) * sizeof(*threads));
	if (!threads)
		return cli_fail(s->verb, "out of memory");
	x->trace = s->trace;
	x->functions = s->functions;
	x->name = cli_export_name;
	x->ctx = s->names;
	x->threads = threads;
	x->progress = &s->progress;
	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1))
		threads[x->thread_count++] = i;
	return 0;
}

void cli_export_end(struct bob_export *x)
{
	free((void *)x->threads);
}

static void tell_cut(const struct bob_export *x, int format)
{
	char a[CLI_NUMBER_MAX];

	if (!x->cut_events)
		return;
	if (formats[format].write == bob_export_chrome)
		cli_warn("export",
			 "%s calls were left out to keep the file small; "
			 "--max-events=0 writes all",
			 cli_count(a, x->cut_events));
	else
		cli_warn("export",
			 "%s calls have paths too many to keep apart; "
			 "they are counted for their callers",
			 cli_count(a, x->cut_events));
}

static int export_to(struct cli_session *s, int format, uint64_t max_events, const char *output)
{
	struct bob_error err = { 0 };
	struct bob_export x = { .max_events = max_events, .err = &err };
	bob_status st;
	int status;

	if (cli_session_need_calls(s) || cli_export_begin(&x, s))
		return 1;
	x.out = cli_output_open("export", output);
	if (!x.out) {
		cli_export_end(&x);
		return 1;
	}
	st = formats[format].write(&x);
	cli_session_progress_end(s);
	status = cli_output_close("export", x.out, output);
	if (st != BOB_OK)
		status = cli_fail_status("export", "not all threads could be read to their end", st,
					 &err);
	tell_cut(&x, format);
	cli_export_end(&x);
	return status;
}

int verb_export(int argc, char **argv)
{
	struct cli_session s = { .verb = "export" };
	uint64_t max_events = MAX_EVENTS_DEFAULT;
	const char *arg, *output = NULL;
	int opt, status = 0, format = -1;
	struct cli_options o;

	cli_options_begin(&o, "export", argc, argv);
	while ((opt = cli_options_next(&o, &arg)) >= 0) {
		if (opt == OPT_FORMAT && (format = find_format(arg)) < 0)
			status = cli_misuse("export", "there is no format '%s'", arg);
		else if (opt == OPT_OUTPUT)
			output = arg;
		else if (opt == OPT_GROUP)
			status |= cli_session_select(&s, arg);
		else if (opt == OPT_MAX_EVENTS && cli_parse_count(arg, &max_events))
			status = cli_misuse("export", "--max-events is a number, not '%s'", arg);
		else if (opt == OPT_NO_DEMANGLE)
			s.no_demangle = 1;
	}
	if (opt != CLI_OPTIONS_END)
		return opt == CLI_OPTIONS_HELP ? 0 : 2;
	if (!status && format < 0)
		status = cli_misuse("export", "say --format=folded, callgrind, chrome or csv");
	if (!status)
		status = cli_session_open(&s, argc, argv);
	if (status)
		return status;
	status = export_to(&s, format, max_events, output);
	cli_session_close(&s);
	return status;
}
