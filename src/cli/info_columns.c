/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of columns of events, by parameter and call site, over all processes. A column that follows
 * one simple rule for all ranks takes a few bytes, whatever the length of the run. Larger columns
 * are listed, the largest first. */
#include "cli/info_columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/mpi/decode_calls.h"
#include "analysis/place_cells.h"
#include "archive/events/event_columns.h"
#include "base/order.h"
#include "table/numbers.h"
#include "cli/code_place.h"

#define ROWS_SHOWN 10u
#define FEW_BYTES 32u /* a simple rule: a nest of three loops, its ranks */

struct row {
	const struct bob_mpi_function *function; /* NULL: trip counts of loops */
	uint32_t word, vector, process, image;
	uint64_t pc;
	struct bob_fold_usage usage;
};

struct rows {
	const struct bob_trace *t;
	struct row *at;
	size_t count, capacity;
	uint64_t columns, simple, bytes, simple_bytes, values;
	int failed;
};

/* Image numbers are per process. */
static int is_same(const struct bob_trace *t, const struct row *a, const struct row *b)
{
	const struct bob_image_info *x, *y;

	if (a->function != b->function || a->word != b->word || a->vector != b->vector ||
	    a->pc != b->pc)
		return 0;
	x = bob_trace_image(t, a->process, a->image);
	y = bob_trace_image(t, b->process, b->image);
	return x == y || (x && y && !strcmp(x->path, y->path));
}

static void add_row(struct rows *r, const struct row *x)
{
	size_t i = 0;

	while (i < r->count && !is_same(r->t, &r->at[i], x))
		i++;
	if (i == r->capacity) {
		size_t capacity = r->capacity ? 2 * r->capacity : 64;
		struct row *at = realloc(r->at, capacity * sizeof(*at));

		if (!at) {
			r->failed = 1;
			return;
		}
		r->at = at;
		r->capacity = capacity;
	}
	if (i == r->count) {
		r->at[r->count++] = *x;
		return;
	}
	r->at[i].usage.bytes += x->usage.bytes;
	r->at[i].usage.forms += x->usage.forms;
	r->at[i].usage.without += x->usage.without;
	if (x->usage.most > r->at[i].usage.most)
		r->at[i].usage.most = x->usage.most;
}

static int take(void *ctx, const struct bob_event_column *c)
{
	struct rows *r = ctx;
	struct row x = { .process = c->process, .image = ~0u, .usage = c->usage };

	const int is_simple = c->usage.bytes < FEW_BYTES && !c->usage.without;

	r->columns++;
	r->bytes += c->usage.bytes;
	r->simple += (uint64_t)is_simple;
	r->simple_bytes += is_simple ? c->usage.bytes : 0;
	if (is_simple)
		return 0;
	if (c->key) {
		x.function = bob_mpi_function_fitting(r->t, c->key, c->key_len, c->words,
						      c->vectors, c->open);
		x.word = c->word;
		x.vector = c->vector;
		if (c->depth)
			bob_trace_place(r->t, c->process, c->place[c->depth - 1], &x.image, &x.pc);
	}
	if (x.function || !c->key)
		add_row(r, &x);
	return r->failed;
}

/* Values without a rule weigh most: their number grows with the length of the run. */
static uint64_t weight(const struct row *x)
{
	return x->usage.most * x->usage.without + x->usage.bytes;
}

BOB_COMPARE(by_weight, struct row, BOB_DOWN_BY(weight))

static void print_parameter(const struct row *x, FILE *out)
{
	static const char *const of_status[] = { "source", "tag", "bytes" };
	const struct bob_mpi_function *f = x->function;

	for (uint32_t i = 0; i < f->count; i++) {
		const struct bob_mpi_param *p = &f->params[i];
		const int is_status = p->role == BOB_MPI_ROLE_STATUS &&
				      !(p->flags & BOB_MPI_VECTOR);

		if (x->vector != ~0u) {
			if (bob_mpi_vector_of(f, p) == x->vector ||
			    bob_mpi_vector_after(f, p) == x->vector) {
				fprintf(out, "elements of %s", p->name);
				return;
			}
		} else if (p->in == x->word || p->out == x->word) {
			fprintf(out, is_status ? "%s of %s" : "%s",
				is_status ? of_status[0] : p->name, p->name);
			return;
		} else if (is_status && p->out != BOB_MPI_NOWHERE && x->word > p->out &&
			   x->word < p->out + 3u) {
			fprintf(out, "%s of %s", of_status[x->word - p->out], p->name);
			return;
		}
	}
	fputs(x->vector != ~0u ? "elements" : "result", out);
}

static void put_text(struct bob_table *table, struct rows *r, const struct row *x, int is_place)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out && !is_place && x->function)
		print_parameter(x, out);
	else if (out && !is_place)
		fputs("trips of loops", out);
	if (out && is_place && x->function)
		fprintf(out, "%s%s   ", bob_mpi_prefix(x->function), x->function->name);
	if (out && is_place && x->pc)
		cli_place_print(r->t, x->process, x->image, x->pc, out);
	if (out)
		fclose(out);
	bob_table_text(table, text ? text : "");
	free(text);
}

static int print_rows(struct cli_answer *a, struct rows *r)
{
	static const struct bob_column columns[] = {
		{ "bytes", NULL, BOB_COLUMN_COUNT, 0, "of rules" },
		{ "rules", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "values", NULL, BOB_COLUMN_COUNT, 0, "of a thread that follow no rule" },
		{ "threads", NULL, BOB_COLUMN_COUNT, 0, "that have such values" },
		{ "what", NULL, BOB_COLUMN_TEXT, 0, "parameter" },
		{ "of", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT, "function and call site" },
	};
	struct bob_table *table = bob_table_create("columns", "column", columns,
						   sizeof(columns) / sizeof(columns[0]));

	qsort(r->at, r->count, sizeof(*r->at), by_weight);
	fputs("\ngrows: size and number of rules; values of a thread that follow no rule, and "
	      "number of threads with such values\n",
	      a->text);
	for (size_t i = 0; i < r->count; i++) {
		const struct row *x = &r->at[i];

		bob_table_count(table, x->usage.bytes);
		bob_table_count(table, x->usage.forms);
		bob_count_cell(table, x->usage.most);
		bob_count_cell(table, x->usage.without);
		put_text(table, r, x, 0);
		put_text(table, r, x, 1);
	}
	return cli_answer_second_table(a, table);
}

int cli_info_columns(struct cli_answer *answer)
{
	const uint64_t usual = answer->view.usual;
	struct rows r = { .t = answer->s.trace };
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];
	int status = 0;

	if (bob_event_columns(r.t, take, &r, &r.values) == BOB_OK && r.columns && !r.failed) {
		fprintf(answer->text,
			"folding     parameters and loops: %s of %s follow simple rules, %s; ",
			bob_format_count(a, r.simple), bob_format_count(b, r.columns),
			bob_format_bytes(c, r.simple_bytes));
		fprintf(answer->text, "the rest %s, ",
			bob_format_bytes(a, r.bytes - r.simple_bytes));
		fprintf(answer->text, "values without a rule %s (before compression)\n",
			bob_format_bytes(b, r.values));
		answer->view.usual = ROWS_SHOWN;
		if (r.count)
			status = print_rows(answer, &r);
		answer->view.usual = usual;
	}
	free(r.at);
	return status;
}
