/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared start and end of verbs that print tables (answer.h): opens output and pager, prints tables
 * in the chosen format, and closes everything. */
#define _GNU_SOURCE
#include "cli/answer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal/complain.h"
#include "cli/terminal/output.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/width.h"

#define HELP "help"	/* argument of --columns */

static int wants_color(const struct cli_answer *a)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !a->output && isatty(STDOUT_FILENO) && !(no && *no) &&
	       !(term && !strcmp(term, "dumb"));
}

int cli_answer_is_help(const struct cli_answer *a)
{
	return a->view.columns && !strcmp(a->view.columns, HELP);
}

int cli_answer_begin(struct cli_answer *a)
{
	const int is_text = a->view.format == BOB_TABLE_TEXT && !cli_answer_is_help(a);

	a->out = cli_output_open(a->s.verb, a->output);
	if (!a->out)
		return 1;
	a->text = is_text ? a->out : fopen("/dev/null", "we");
	if (!a->text) {
		cli_output_close(a->s.verb, a->out, a->output);
		return cli_fail(a->s.verb, "cannot open /dev/null: %m");
	}
	if (!is_text)
		return 0;
	a->view.color = wants_color(a);
	a->view.width = a->output ? 0 : cli_terminal_width();
	a->pager = a->output ? 0 : cli_pager_begin(!a->no_pager);
	return 0;
}

/* In CSV, a table with the previous one's name continues it; another table follows an empty
 * line. */
static void separate(struct cli_answer *a, const struct bob_table *t)
{
	const char *name = bob_table_name(t);

	a->view.no_header = !strcmp(a->last_table, name);
	if (*a->last_table && !a->view.no_header && a->view.format == BOB_TABLE_CSV)
		fputc('\n', a->out);
	snprintf(a->last_table, sizeof(a->last_table), "%s", name);
}

static int complain(const struct cli_answer *a, bob_status st, const char *why)
{
	if (st == BOB_ERR_INVAL)
		return cli_misuse(a->s.verb, "%s", why);
	return st == BOB_OK ? 0 : cli_fail(a->s.verb, "%s", why);
}

int cli_answer_check(const struct cli_answer *a, struct bob_table *t)
{
	char why[BOB_TABLE_WHY_MAX] = "out of memory";
	struct bob_table_view view = a->view;
	bob_status st;

	if (cli_answer_is_help(a))
		view.columns = NULL;
	st = bob_table_check(t, &view, why);
	bob_table_destroy(t);
	return complain(a, st, why);
}

int cli_answer_table(struct cli_answer *a, struct bob_table *t)
{
	char why[BOB_TABLE_WHY_MAX] = "out of memory";
	bob_status st = t ? BOB_OK : BOB_ERR_NOMEM;

	if (t)
		separate(a, t);
	if (t && cli_answer_is_help(a))
		bob_table_describe(t, a->out);
	else if (t)
		st = bob_table_print(t, &a->view, a->out, why);
	bob_table_destroy(t);
	return complain(a, st, why);
}

int cli_answer_flush(struct cli_answer *a, struct bob_table *t)
{
	char why[BOB_TABLE_WHY_MAX] = "out of memory";

	if (t)
		separate(a, t);
	return complain(a, bob_table_flush(t, &a->view, a->out, why), why);
}

int cli_answer_second_table(struct cli_answer *a, struct bob_table *t)
{
	const struct bob_table_view view = a->view;
	int status = 0;

	a->view.sort = a->view.columns = NULL;
	if (a->view.format == BOB_TABLE_TEXT && !view.columns)
		status = cli_answer_table(a, t);
	else
		bob_table_destroy(t);
	a->view = view;
	return status;
}

int cli_answer_whole_table(struct cli_answer *a, struct bob_table *t)
{
	const uint64_t limit = a->view.limit;
	int status;

	a->view.limit = 0;
	status = cli_answer_second_table(a, t);
	a->view.limit = limit;
	return status;
}

int cli_answer_end(struct cli_answer *a, int status)
{
	if (!a->out)
		return status;
	if (a->text != a->out)
		fclose(a->text);
	if (a->pager)
		cli_pager_end(a->pager);
	else if (status == 2) /* a usage error */
		cli_output_drop(a->out, a->output);
	else if (cli_output_close(a->s.verb, a->out, a->output) && !status)
		status = 1;
	return status;
}
