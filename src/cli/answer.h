/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by all verbs that print results (docs/tables.md): a session with a trace, the format of
 * tables, the destination of output. A verb embeds struct cli_answer in its own struct, puts the
 * options below in its table, and prints between begin and end:
 *
 * 	status = cli_options_read("report", argc, argv, &r);	CLI_GO_ON
 * 	status = cli_session_open(&r.a.s, argc, argv);		0
 * 	status = cli_answer_begin(&r.a);			0
 * 	fprintf(r.a.text, ...);		titles and notes: text for people
 * 	status = cli_answer_table(&r.a, table);
 * 	return cli_answer_end(&r.a, status);
 *
 * Owner: the verb. Threads: one. Errors: exit statuses, after a complaint. */
#ifndef BOB_CLI_ANSWER_H
#define BOB_CLI_ANSWER_H

#include <sys/types.h>

#include "cli/session.h"
#include "cli/terminal/output.h"
#include "cli/terminal/pager.h"
#include "table/print.h"

struct cli_answer {
	struct cli_session s;
	struct bob_table_view view;
	const char *output;	/* -o; NULL: standard output */
	int no_pager;
	FILE *out;
	FILE *text;		/* `out` if the format is text, else a stream to /dev/null */
	pid_t pager;
	char last_table[32];	/* name of the last printed table; "": none */
};

/* Initial value: `verb`, and at most `rows` in text unless --limit says otherwise. */
#define CLI_ANSWER(verb_name, rows)                                                                \
	{                                                                                          \
		.s = { .verb = (verb_name) }, .view = { .limit = BOB_TABLE_LIMIT_DEFAULT,          \
							.usual = (rows) }                          \
	}

#define CLI_FORMATS "text|csv|json"

/* Rows of option tables; `type` is the verb's struct, `a` its struct cli_answer. */
#define CLI_OPTIONS_THREADS(type, a) CLI_OPTION_GROUP(type, a.s), CLI_OPTION_MAX_EVENTS(type, a.s)
#define CLI_OPTIONS_TABLE(type, a, formats)                                                        \
	{ "format", 'f', "FORMAT",                                                                 \
	  "text (default), or csv or json for other programs: one line per row",                   \
	  CLI_WORD(type, a.view.format, formats) }, CLI_OPTIONS_ROWS(type, a)
#define CLI_OPTIONS_ROWS(type, a)                                                                  \
	CLI_OPTION_SORT(type, a),                                                                  \
		{ "limit", 'n', "ROWS",                                                            \
		  "rows to print, 0 for all (default: 20 or 30 in text, else all)",                \
		  CLI_COUNT(type, a.view.limit) },                                                 \
		CLI_OPTION_COLUMNS(type, a)
#define CLI_OPTION_SORT(type, a)                                                                   \
	{ "sort", 's', "COLUMNS",                                                                  \
	  "order the rows by a column, or by several separated by commas; -COLUMN reverses "       \
	  "the order",                                                                             \
	  CLI_TEXT(type, a.view.sort) }
#define CLI_OPTION_COLUMNS(type, a)                                                                \
	{ "columns", 0, "COLUMNS", "columns to print, in this order; all; help lists them",        \
	  CLI_TEXT(type, a.view.columns) }
#define CLI_OPTIONS_OUTPUT(type, a)                                                                \
	CLI_OPTION_OUTPUT(type, a.output), CLI_OPTION_NO_PAGER(type, a.no_pager)

/* Opens the output, and a pager if standard output is a terminal and the format is text. */
int cli_answer_begin(struct cli_answer *a);
/* For slow verbs: reports unknown columns of --sort and --columns before the work begins, from an
 * empty table `t`. Destroys `t` (NULL: out of memory). */
int cli_answer_check(const struct cli_answer *a, struct bob_table *t);
/* Prints and destroys `t` (NULL: out of memory). --columns=help: describes it instead. */
int cli_answer_table(struct cli_answer *a, struct bob_table *t);
/* The same for a table after the first, which only text output shows. */
int cli_answer_second_table(struct cli_answer *a, struct bob_table *t);
/* The same with all rows, ignoring --limit: for tables that are always short. */
int cli_answer_whole_table(struct cli_answer *a, struct bob_table *t);
/* Whether --columns=help was given: cli_answer_table then describes the columns. */
int cli_answer_is_help(const struct cli_answer *a);
/* Prints the rows of `t` in CSV or JSON and discards them. May be called repeatedly, for tables
 * that are too long to keep. `t` (NULL: out of memory) stays the caller's. */
int cli_answer_flush(struct cli_answer *a, struct bob_table *t);
/* Closes what begin opened. Returns `status`, or 1 if writing failed. The session stays open. */
int cli_answer_end(struct cli_answer *a, int status);

#endif
