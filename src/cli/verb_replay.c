/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin replay: prints the memory accesses of a trace, as lines or binary records. */
#include <stdlib.h>
#include <string.h>

#include "cli/between.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/terminal/output.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "export/export.h"

struct replay {
	struct cli_session s;
	struct bob_access_style style;
	struct cli_between between;
	const char *output;
	int mem;	/* no effect: only accesses can be replayed */
};

static int take_quantum(const char *verb, void *quantum, const char *arg)
{
	uint64_t *q = quantum;

	if (cli_parse_count(arg, q) || !*q)
		return cli_misuse(verb, "--quantum is a number above 0, not '%s'", arg);
	return 0;
}

const struct cli_option replay_options[] = {
	{ "mem", 0, NULL, "replay memory accesses (default; nothing else can be replayed)",
	  CLI_FLAG(struct replay, mem) },
	{ "format", 'f', "FORMAT",
	  "text (default): kind, address, size, place; din; lackey; binary",
	  CLI_WORD(struct replay, style.format, "text|din|lackey|binary") },
	{ "order", 0, "ORDER",
	  "turns (default): the threads of a process take turns; threads: one after another",
	  CLI_WORD(struct replay, style.order, "threads|turns") },
	{ "quantum", 'q', "ACCESSES", "accesses in the turn of a thread (default 100)",
	  CLI_TAKE(struct replay, style.quantum, take_quantum) },
	{ "subscripts", 0, NULL,
	  "instrumented sources: print the variable and its subscripts after each access "
	  "(text only)",
	  CLI_FLAG(struct replay, style.subscripts) },
	{ "syncs", 0, NULL, "also print where threads synchronise (text only)",
	  CLI_FLAG(struct replay, style.syncs) },
	{ "mpi", 0, NULL, "also print where MPI is called (text only)",
	  CLI_FLAG(struct replay, style.values) },
	{ "between", 0, "FROM..TO", CLI_BETWEEN_HELP,
	  CLI_TAKE(struct replay, between, cli_between_parse) },
	CLI_OPTION_THREAD(struct replay, s),
	CLI_OPTION_GROUP(struct replay, s),
	CLI_OPTION_MAX_EVENTS(struct replay, s),
	CLI_OPTION_OUTPUT(struct replay, output),
	{ 0 },
};

/* Keeps the chosen threads that have accesses. */
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
		style->order = BOB_ACCESSES_THREADS; /* lines then need no thread */
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
			"bobbin: replay: %s time%s a thread continued before the event that it "
			"waited for, which the trace lacks\n",
			bob_format_count(number, x.forced), bob_plural(x.forced));
	free(threads);
	return status;
}

int verb_replay(int argc, char **argv)
{
	struct replay r = { .s = { .verb = "replay" }, .style = { .order = BOB_ACCESSES_TURNS } };
	int status = cli_options_read("replay", argc, argv, &r);
	FILE *out;

	if (status != CLI_GO_ON)
		return status;
	status = cli_session_open(&r.s, argc, argv);
	if (status)
		return status;
	status = cli_between_apply(&r.between, &r.s, 1);
	out = status ? NULL : cli_output_open("replay", r.output);
	status |= !out;
	if (out) {
		status = replay(&r.s, out, &r.style);
		status |= cli_output_close("replay", out, r.output);
	}
	cli_session_close(&r.s);
	return status;
}
