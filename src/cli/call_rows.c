/* SPDX-License-Identifier: BSD-3-Clause */
/* Each line of the tree becomes a row when bob_tree_walk passes it. The number of calls in a row is
 * the product of the repetitions of the line and of all lines around it. The walk prints an open
 * call before it is complete, and its children after lines of other stacks; so when the stack
 * changes, all lines that are still open occurred once. */
#include "cli/call_rows.h"

#include <inttypes.h>

#include "analysis/place_cells.h"
#include "base/host/vec.h"
#include "cli/code_place.h"
#include "cli/terminal/complain.h"

#define ROWS_FLUSHED 4096u

struct call_rows {
	struct cli_answer *a;
	struct bob_table *table;
	int streamed;		/* rows are printed as they come */
	int status;
	uint32_t stack;		/* of the last row */
	/* How often the newest line of each depth occurred, all repetitions multiplied. */
	BOB_VEC(uint64_t) times;
};

struct bob_table *cli_call_rows_table(void)
{
	static const struct bob_column columns[] = {
		{ "call", NULL, BOB_COLUMN_NUMBER, 0,
		  "number of the first call of the row in its thread, from 0" },
		{ "stack", NULL, BOB_COLUMN_NUMBER, BOB_COLUMN_EXTRA,
		  "number of the stack in the thread" },
		{ "depth", NULL, BOB_COLUMN_NUMBER, 0, "level in the tree, from 0" },
		{ "kind", NULL, BOB_COLUMN_TEXT, 0,
		  "call; mpi: a call of MPI; repeated: what follows one level deeper repeats as a "
		  "whole" },
		{ "repeat", NULL, BOB_COLUMN_COUNT, 0, "how often in succession" },
		{ "calls", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_ADDS,
		  "in all repetitions of the row and of those around it" },
		{ "image", NULL, BOB_COLUMN_TEXT, 0, "short name of the function's image" },
		{ "function", NULL, BOB_COLUMN_FUNCTION, BOB_COLUMN_SUBJECT, NULL },
		{ "notes", NULL, BOB_COLUMN_TEXT, 0, "such as: still open, signal handler" },
	};

	return bob_table_create("calls", "row", columns, sizeof(columns) / sizeof(columns[0]));
}

const char *cli_call_notes(uint32_t flags, char text[CLI_CALL_NOTES_MAX])
{
	static const char *const notes[] = { "still open", "entered before", "signal handler",
					     "caller not known", "recording was off before",
					     "calls lost before" };
	int n = 0;

	text[0] = '\0';
	for (int i = 0; i < 6; i++)
		if (flags & 1u << i)
			n += snprintf(text + n, (size_t)(CLI_CALL_NOTES_MAX - n), "%s%s",
				      n ? ", " : "", notes[i]);
	return text;
}

/* How often the line occurred; 0: no memory. */
static uint64_t times_of(struct call_rows *r, const struct bob_tree_line *l)
{
	const size_t known = l->stack == r->stack ? r->times.count : 0;

	if (BOB_VEC_REACH(&r->times, (size_t)l->depth + 1))
		return 0;
	for (size_t i = known; i < r->times.count; i++)
		r->times.at[i] = 1;
	r->stack = l->stack;
	r->times.at[l->depth] = l->repeat * (l->depth ? r->times.at[l->depth - 1] : 1);
	return r->times.at[l->depth];
}

static void put_repeated(struct bob_table *t)
{
	bob_table_none(t);
	bob_table_none(t);
	bob_table_none(t);
}

static void put_function(const struct call_rows *r, const struct bob_tree_line *l, uint64_t times)
{
	char text[CLI_MPI_NAME_MAX];

	bob_table_count(r->table, times);
	if (l->number & BOB_TREE_MPI) {
		bob_table_none(r->table);
		bob_table_text(r->table, cli_place_mpi(l->number & ~BOB_TREE_MPI, text));
	} else {
		bob_text_cell(r->table, cli_names_image(r->a->s.names, l->number));
		bob_table_text(r->table, cli_names_get(r->a->s.names, l->number));
	}
}

static int add_row(void *ctx, const struct bob_tree_line *l)
{
	struct call_rows *r = ctx;
	const int is_repeated = l->number == BOB_CALLER_NONE;
	const int is_mpi = !is_repeated && l->number & BOB_TREE_MPI;
	const uint64_t times = times_of(r, l);
	char notes[CLI_CALL_NOTES_MAX];

	if (!times) {
		r->status = cli_fail("show", "out of memory");
		return 1;
	}
	if (is_mpi)
		bob_table_none(r->table);
	else
		bob_table_number(r->table, (int64_t)l->index);
	bob_table_number(r->table, l->stack);
	bob_table_number(r->table, l->depth);
	bob_table_text(r->table, is_repeated ? "repeated" : is_mpi ? "mpi" : "call");
	bob_table_count(r->table, l->repeat);
	if (is_repeated)
		put_repeated(r->table);
	else
		put_function(r, l, times);
	bob_text_cell(r->table, cli_call_notes(l->flags, notes));
	if (r->streamed && bob_table_rows(r->table) >= ROWS_FLUSHED)
		r->status = cli_answer_flush(r->a, r->table);
	return r->status || ferror(r->a->out);
}

static void print_rest(struct call_rows *r)
{
	if (r->status || r->streamed) {
		r->status = r->status ? r->status : cli_answer_flush(r->a, r->table);
		bob_table_destroy(r->table);
	} else {
		r->status = cli_answer_table(r->a, r->table);
	}
}

int cli_call_rows_print(struct cli_answer *a, uint32_t thread, const struct bob_tree_options *o)
{
	const struct bob_thread_info *th = bob_trace_thread(a->s.trace, thread);
	struct call_rows r = { .a = a, .table = cli_call_rows_table() };
	struct bob_tree_options options = *o;
	struct bob_tree_result result;
	struct bob_error err = { 0 };
	bob_status st;
	char name[32];

	r.streamed = a->view.format != BOB_TABLE_TEXT && !a->view.sort;
	options.max_lines = r.streamed && a->view.limit != BOB_TABLE_LIMIT_DEFAULT ? a->view.limit :
										     0;
	snprintf(name, sizeof(name), "%" PRIu32 ".%" PRIu32, th->process, th->number);
	bob_table_of(r.table, "thread", name);
	st = bob_tree_walk(a->s.trace, a->s.functions, thread, &options, add_row, &r,
			   &a->s.progress, &result, &err);
	cli_session_progress_end(&a->s);
	BOB_VEC_FREE(&r.times);
	print_rest(&r);
	return r.status ? r.status : cli_session_thread_done(&a->s, thread, st, &err);
}
