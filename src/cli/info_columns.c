/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of events by parameter and call site, those of all processes together. What follows one
 * simple rule for all ranks takes a few bytes, however long the run: what takes more is listed,
 * that with the most first. */
#include "cli/info_columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/mpi/calls.h"
#include "archive/events/event_columns.h"
#include "table/numbers.h"
#include "cli/place.h"
#include "cli/terminal/text_table.h"
#include "cli/terminal/width.h"

#define ROWS_SHOWN 10u
#define FEW_BYTES 32u /* of a simple rule: a nest of three loops, its ranks */

struct row {
	const struct bob_mpi_function *function; /* NULL: trips of loops */
	uint32_t word, vector, process, image;
	uint64_t pc;
	struct bob_fold_usage usage;
};

struct rows {
	const struct bob_trace *t;
	struct row *at;
	size_t count, room;
	uint64_t columns, simple, bytes, simple_bytes, values;
	int failed;
};

/* Images have numbers of their own in each process. */
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
	if (i == r->room) {
		size_t room = r->room ? 2 * r->room : 64;
		struct row *at = realloc(r->at, room * sizeof(*at));

		if (!at) {
			r->failed = 1;
			return;
		}
		r->at = at;
		r->room = room;
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

/* Values that follow no rule count most: there are more of them in a longer run. */
static uint64_t weight(const struct row *x)
{
	return x->usage.most * x->usage.without + x->usage.bytes;
}

static int by_weight(const void *a, const void *b)
{
	const uint64_t x = weight(a), y = weight(b);

	return x < y ? 1 : x > y ? -1 : 0;
}

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

static void print_rows(struct rows *r)
{
	static const char *const titles[] = {
		">bytes", ">rules", ">values", ">threads", "what", "of"
	};
	char text[BOB_NUMBER_MAX], *what;
	struct cli_table table;

	qsort(r->at, r->count, sizeof(*r->at), by_weight);
	puts("\nwhat grows: bytes of rules, and how many rules; values of a thread that follow none, and "
	     "how many threads have such");
	cli_table_begin(&table, 6, titles);
	for (size_t i = 0; i < r->count && i < ROWS_SHOWN; i++) {
		const struct row *x = &r->at[i];
		size_t len;
		FILE *out = open_memstream(&what, &len);

		if (!out)
			break;
		cli_table_cell(&table, bob_format_count(text, x->usage.bytes));
		cli_table_cell(&table, bob_format_count(text, x->usage.forms));
		cli_table_cell(&table, x->usage.most ? bob_format_count(text, x->usage.most) : "-");
		cli_table_cell(&table,
			       x->usage.without ? bob_format_count(text, x->usage.without) : "-");
		if (x->function)
			print_parameter(x, out);
		else
			fputs("trips of loops", out);
		fclose(out);
		cli_table_cell(&table, what);
		free(what);
		out = open_memstream(&what, &len);
		if (!out)
			break;
		if (x->function)
			fprintf(out, "%s%s   ", bob_mpi_prefix(x->function), x->function->name);
		if (x->pc)
			cli_place_print(r->t, x->process, x->image, x->pc, out);
		fclose(out);
		cli_table_cell(&table, what);
		free(what);
	}
	cli_table_end(&table, cli_terminal_width(), stdout);
	if (r->count > ROWS_SHOWN)
		printf("... %zu more\n", r->count - ROWS_SHOWN);
}

void cli_info_columns(const struct bob_trace *t)
{
	struct rows r = { .t = t };
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];

	if (bob_event_columns(t, take, &r, &r.values) == BOB_OK && r.columns && !r.failed) {
		printf("folding     parameters and loops: %s of %s follow simple rules, %s; ",
		       bob_format_count(a, r.simple), bob_format_count(b, r.columns),
		       bob_format_bytes(c, r.simple_bytes));
		printf("the rest %s, ", bob_format_bytes(a, r.bytes - r.simple_bytes));
		printf("values without a rule %s (before compression)\n",
		       bob_format_bytes(b, r.values));
		if (r.count)
			print_rows(&r);
	}
	free(r.at);
}
