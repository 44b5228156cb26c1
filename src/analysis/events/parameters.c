/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects parameter values in one pass over the events of each thread. A row is a parameter of an
 * event, as input or as result, at any place. Numbers are collected like those of hooks
 * (archive/events/value_numbers.h), integers also exactly (whole_numbers.h), texts while there are
 * few distinct ones. Of MPI functions only parameters that are numbers in every process: counts,
 * bytes, tags and the like. */
#define _GNU_SOURCE
#include "analysis/events/parameters.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/events/whole_numbers.h"
#include "analysis/mpi/decode_calls.h"
#include "analysis/mpi/site_cells.h"
#include "analysis/mpi/values.h"
#include "archive/events/user_functions.h"
#include "archive/events/value_numbers.h"
#include "base/host/arena.h"
#include "base/order.h"
#include "table/numbers.h"

#define TEXTS_MAX 48u		/* distinct texts per row */
#define TEXTS_SHOWN 6u
#define TEXT_BYTES 200u		/* bytes of a text that are compared */

struct text {
	uint64_t word[TEXT_BYTES / 8], bytes, count;
};

struct row {
	const struct bob_mpi_function *function; /* first entry of the event */
	const struct bob_mpi_param *param; /* a parameter of that name */
	int is_out;
	uint64_t count, others;	/* others: texts beyond TEXTS_MAX */
	struct bob_value_numbers numbers;
	struct bob_whole_numbers *whole; /* of integers; otherwise NULL */
	struct text *text;	/* in order of first occurrence; NULL: numbers */
	uint32_t texts;
};

struct gathering {
	struct row *row;
	size_t count, cap;
	/* Cache by function number: rows of its parameters, alternating input and result. ROW_NONE:
	 * not reported. */
	uint32_t *rows_of[BOB_USER_FUNCTION_LAST + 1];
};

#define ROW_NONE UINT32_MAX

/* --- rows --- */

static int is_reported(const struct bob_mpi_function *f, const struct bob_mpi_param *p)
{
	if (f->flags & BOB_MPI_USER)
		return 1;
	return !(p->flags & BOB_MPI_VECTOR) &&
	       (p->role == BOB_MPI_ROLE_COUNT || p->role == BOB_MPI_ROLE_BYTES ||
		p->role == BOB_MPI_ROLE_INT || p->role == BOB_MPI_ROLE_TAG);
}

static uint32_t find_row(struct gathering *g, const struct bob_mpi_function *f,
			 const struct bob_mpi_param *p, int is_out)
{
	const struct bob_mpi_function *first = bob_event_function_first(f);
	struct row *to;

	for (size_t i = 0; i < g->count; i++)
		if (g->row[i].function == first && g->row[i].is_out == is_out &&
		    !strcmp(g->row[i].param->name, p->name))
			return (uint32_t)i;
	if (bob_array_reserve(&g->row, g->count, &g->cap, sizeof(*g->row)))
		return ROW_NONE;
	to = &g->row[g->count];
	*to = (struct row){ .function = first, .param = p, .is_out = is_out };
	if (p->flags & BOB_MPI_VECTOR)
		to->text = calloc(TEXTS_MAX, sizeof(*to->text));
	else if (p->role != BOB_MPI_ROLE_DOUBLE)
		to->whole = calloc(1, sizeof(*to->whole));
	if (!to->text && !to->whole && p->role != BOB_MPI_ROLE_DOUBLE)
		return ROW_NONE;
	return (uint32_t)g->count++;
}

/* NULL: no memory. */
static const uint32_t *rows_of(struct gathering *g, const struct bob_mpi_function *f)
{
	uint32_t *rows = g->rows_of[f->number];

	if (rows)
		return rows;
	rows = calloc(2u * f->count + 1u, sizeof(*rows));
	for (uint32_t i = 0; rows && i < 2u * f->count; i++) {
		const struct bob_mpi_param *p = &f->params[i / 2];
		const int is_there = (i & 1 ? p->out : p->in) != BOB_MPI_NOWHERE &&
				     is_reported(f, p);

		rows[i] = is_there ? find_row(g, f, p, i & 1) : ROW_NONE;
		if (is_there && rows[i] == ROW_NONE) {
			free(rows);
			return NULL;
		}
	}
	g->rows_of[f->number] = rows;
	return rows;
}

/* --- values --- */

static void take_text(struct row *to, const struct bob_value_vector *v, uint64_t bytes)
{
	const uint64_t most = bytes < TEXT_BYTES ? bytes : TEXT_BYTES, words = (most + 7) / 8;
	struct text t = { .bytes = bytes, .count = 1 };

	if (v->words != 1 || v->count < words)
		return;
	memcpy(t.word, v->at, words * 8);
	for (uint32_t i = 0; i < to->texts; i++)
		if (to->text[i].bytes == bytes &&
		    !memcmp(to->text[i].word, t.word, sizeof(t.word))) {
			to->text[i].count++;
			return;
		}
	if (to->texts < TEXTS_MAX)
		to->text[to->texts++] = t;
	else
		to->others++;
}

static void take_value(struct row *to, const struct bob_mpi_call *c, const struct bob_mpi_param *p)
{
	const uint64_t v = to->is_out ? bob_mpi_out(c, p) : bob_mpi_in(c, p);
	uint32_t vector;
	double d;

	if (to->text) {
		vector = bob_mpi_vector_of(c->function, p);
		if (vector >= c->event.vectors)
			return;
		take_text(to, &c->event.vector[vector], v);
	} else if (p->role == BOB_MPI_ROLE_DOUBLE) {
		memcpy(&d, &v, sizeof(d));
		bob_value_add(&to->numbers, d);
		free(to->whole); /* another parameter of that name is not an integer */
		to->whole = NULL;
	} else if (c->function->flags & BOB_MPI_USER || bob_mpi_value_is_number(p->role, v)) {
		bob_value_add(&to->numbers, (double)(int64_t)v);
		if (to->whole)
			bob_whole_add(to->whole, (int64_t)v);
	} else {
		return;
	}
	to->count++;
}

static bob_status take_thread(struct gathering *g, const struct bob_trace *t, uint32_t thread,
			      uint32_t *damaged)
{
	struct bob_mpi_reader *reader;
	struct bob_mpi_call c;
	bob_status st = bob_mpi_reader_open(t, thread, &reader, NULL);

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	while ((st = bob_mpi_reader_next(reader, &c, NULL)) == BOB_OK || st == BOB_ERR_CORRUPT) {
		const uint32_t *rows;

		if (st == BOB_ERR_CORRUPT) {
			++*damaged;
			continue;
		}
		rows = rows_of(g, c.function);
		if (!rows) {
			st = BOB_ERR_NOMEM;
			break;
		}
		/* an incomplete event has no results */
		for (uint32_t i = 0; i < 2u * c.function->count; i++)
			if (rows[i] != ROW_NONE && !(i & 1 && c.event.open))
				take_value(&g->row[rows[i]], &c, &c.function->params[i / 2]);
	}
	bob_mpi_reader_close(reader);
	return st == BOB_END ? BOB_OK : st;
}

/* --- the table --- */

BOB_COMPARE(by_name, struct row,
	    BOB_TEXT(function->name) BOB_UP(function) BOB_UP(is_out) BOB_TEXT(param->name))

BOB_COMPARE(by_count, struct text, BOB_DOWN(count) BOB_UP(bytes) BOB_BYTES(word))

/* "odd" (150 times), "even", ... 12 in total */
static void print_texts(struct row *row, FILE *out)
{
	char a[BOB_NUMBER_MAX];

	qsort(row->text, row->texts, sizeof(*row->text), by_count);
	for (uint32_t i = 0; i < row->texts && i < TEXTS_SHOWN; i++) {
		const struct text *x = &row->text[i];
		const uint64_t most = x->bytes < TEXT_BYTES ? x->bytes : TEXT_BYTES;

		fputs(i ? ", " : "", out);
		bob_mpi_text_print(x->word, (most + 7) / 8, most, out);
		fputs(x->bytes > TEXT_BYTES ? "..." : "", out);
		if (x->count > 1)
			fprintf(out, " (%s times)", bob_format_count(a, x->count));
	}
	if (row->others)
		fprintf(out, ", ... more than %u in all", TEXTS_MAX);
	else if (row->texts > TEXTS_SHOWN)
		fprintf(out, ", ... %u in all", row->texts);
}

static bob_status put_row(struct bob_table *t, struct row *row)
{
	const struct bob_mpi_function *f = row->function;
	char *text = NULL;
	size_t len;
	FILE *out;

	bob_mpi_function_cell(t, f);
	bob_table_text(t, row->is_out ? "->" : "");
	bob_table_text(t, row->param->name);
	if (!row->text) {
		bob_numbers_cells(t, &row->numbers, row->whole);
		return BOB_OK;
	}
	out = open_memstream(&text, &len);
	if (!out)
		return BOB_ERR_NOMEM;
	print_texts(row, out);
	if (fclose(out)) {
		free(text);
		return BOB_ERR_NOMEM;
	}
	bob_texts_cells(t, row->count, text);
	free(text);
	return BOB_OK;
}

static bob_status make_table(struct gathering *g, struct bob_table **out)
{
	static const struct bob_column columns[] = {
		{ "event", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT, "name of the event" },
		{ "direction", "", BOB_COLUMN_TEXT, 0, "-> comes out of it; empty: goes in" },
		{ "parameter", NULL, BOB_COLUMN_TEXT, 0, "its name" },
		BOB_NUMBERS_COLUMNS,
	};
	struct bob_table *t = bob_table_create("parameters", "parameter", columns,
					       sizeof(columns) / sizeof(columns[0]));
	bob_status st = t ? BOB_OK : BOB_ERR_NOMEM;

	if (g->count)
		qsort(g->row, g->count, sizeof(*g->row), by_name);
	for (size_t i = 0; i < g->count && st == BOB_OK; i++)
		if (g->row[i].count)
			st = put_row(t, &g->row[i]);
	if (st != BOB_OK) {
		bob_table_destroy(t);
		return st;
	}
	*out = t;
	return BOB_OK;
}

static void free_all(struct gathering *g)
{
	for (size_t i = 0; i < g->count; i++) {
		free(g->row[i].text);
		free(g->row[i].whole);
	}
	for (uint32_t i = 0; i <= BOB_USER_FUNCTION_LAST; i++)
		free(g->rows_of[i]);
	free(g->row);
	free(g);
}

bob_status bob_parameters_table(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
				struct bob_table **out, uint32_t *damaged)
{
	struct gathering *g = calloc(1, sizeof(*g));
	bob_status st = g ? BOB_OK : BOB_ERR_NOMEM;

	*out = NULL;
	*damaged = 0;
	for (uint32_t i = 0; i < count && st == BOB_OK; i++)
		st = take_thread(g, t, threads[i], damaged);
	if (st == BOB_OK)
		st = make_table(g, out);
	if (g)
		free_all(g);
	return st;
}
