/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin dump: every event, one line each, in the exact format of docs/format.md:
 *     thread <process>.<number>
 *     <index> > <depth> <name>[ <note>...]
 *     <index> < <depth> <name> */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/complain.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/verbs.h"

enum { OPT_GROUP, OPT_OUTPUT, OPT_NO_DEMANGLE };

const struct cli_option dump_options[] = {
	{ "group", 'g', "SPEC", "only these threads: 0, 1.0, rank=0-3, pid=N, host=NAME", NULL,
	  NULL },
	{ "output", 'o', "FILE", "write there instead of standard output", NULL, NULL },
	{ "no-demangle", 0, NULL, "print C++ names as the compiler wrote them", NULL, NULL },
	{ NULL, 0, NULL, NULL, NULL, NULL },
};

static void print_notes(uint32_t notes, FILE *out)
{
	static const char *const names[] = { "signal", "orphan", "stack", "gap", "lost" };

	for (int i = 0; i < 5; i++)
		if (notes & 1u << i)
			fprintf(out, " %s", names[i]);
}

static bob_status dump_thread(struct cli_session *s, uint32_t thread, FILE *out,
			      struct bob_error *err)
{
	const struct bob_thread_info *th = bob_trace_thread(s->trace, thread);
	uint64_t entries = 0;
	struct bob_cursor *c;
	struct bob_event ev;
	bob_status st;

	fprintf(out, "thread %" PRIu32 ".%" PRIu32 "\n", th->process, th->number);
	st = bob_cursor_open(s->trace, thread, &c, err);
	if (st != BOB_OK)
		return st;
	while ((st = bob_cursor_next(c, &ev, err)) == BOB_OK) {
		uint32_t number = bob_functions_number(s->functions, th->process, ev.id);

		fprintf(out, "%" PRIu64 " %c %" PRIu32 " %s", ev.index,
			ev.kind == BOB_EVENT_ENTRY ? '>' : '<', ev.depth,
			cli_names_get(s->names, number));
		if (ev.notes)
			print_notes(ev.notes, out);
		fputc('\n', out);
		if (ferror(out))
			break;
		if (ev.kind == BOB_EVENT_ENTRY && !(++entries & 0xfffff) && s->progress.tick)
			s->progress.tick(s, 0x100000);
	}
	bob_cursor_close(c);
	return st == BOB_END ? BOB_OK : st;
}

static int dump_all(struct cli_session *s, FILE *out)
{
	uint32_t n = bob_trace_thread_count(s->trace);
	struct bob_error err = { 0 };

	for (uint32_t i = cli_session_thread(s, 0); i < n && !ferror(out);
	     i = cli_session_thread(s, i + 1))
		if (cli_session_thread_done(s, i, dump_thread(s, i, out, &err), &err))
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
			status = cli_session_select(&s, arg);
		else if (opt == OPT_OUTPUT)
			output = arg;
		else if (opt == OPT_NO_DEMANGLE)
			s.no_demangle = 1;
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
