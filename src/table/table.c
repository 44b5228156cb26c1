/* SPDX-License-Identifier: BSD-3-Clause */
/* The table: cells in one array in row-major order, texts in arenas. A failed allocation sets
 * `failed`: the cell is then missing or empty, and printing reports it. */
#define _GNU_SOURCE /* qsort_r */
#include "table/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host/arena.h"
#include "table/flushed.h"

struct bob_table {
	const char *name, *row;
	struct bob_column *columns;
	size_t column_count, column_cap;
	struct bob_cell *cells;
	size_t cell_count, cell_cap;
	struct bob_arena names, texts;	/* texts of columns and labels; of cells */
	const char *of[BOB_TABLE_OF_MAX][2];	/* labels: name and value */
	size_t of_count;
	bool failed, flushed;
};

static const char *copied(struct bob_table *t, const char *text)
{
	const char *copy = text ? bob_arena_text(&t->names, text, strlen(text)) : NULL;

	t->failed |= text && !copy;
	return copy;
}

void bob_table_add_column(struct bob_table *t, const struct bob_column *column)
{
	struct bob_column own;

	if (!t)
		return;
	own = (struct bob_column){ copied(t, column->name), copied(t, column->title), column->type,
				   column->flags, copied(t, column->about) };
	if (!own.name ||
	    bob_array_reserve(&t->columns, t->column_count, &t->column_cap, sizeof(own))) {
		t->failed = true;
		return;
	}
	t->columns[t->column_count++] = own;
}

void bob_table_of(struct bob_table *t, const char *name, const char *value)
{
	if (!t || t->of_count == BOB_TABLE_OF_MAX)
		return;
	t->of[t->of_count][0] = copied(t, name);
	t->of[t->of_count][1] = copied(t, value);
	if (!t->failed)
		t->of_count++;
}

struct bob_table *bob_table_create(const char *name, const char *row,
				   const struct bob_column *columns, size_t count)
{
	struct bob_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->name = copied(t, name);
	t->row = copied(t, row);
	for (size_t i = 0; i < count; i++)
		bob_table_add_column(t, &columns[i]);
	if (!t->failed)
		return t;
	bob_table_destroy(t);
	return NULL;
}

void bob_table_destroy(struct bob_table *t)
{
	if (!t)
		return;
	bob_arena_free(&t->names);
	bob_arena_free(&t->texts);
	free(t->columns);
	free(t->cells);
	free(t);
}

/* --- filling --- */

static struct bob_cell *next_cell(struct bob_table *t)
{
	if (!t || !t->column_count)
		return NULL;
	if (bob_array_reserve(&t->cells, t->cell_count, &t->cell_cap, sizeof(*t->cells))) {
		t->failed = true;
		return NULL;
	}
	return memset(&t->cells[t->cell_count++], 0, sizeof(*t->cells));
}

void bob_table_bound(struct bob_table *t, enum bob_cell_kind kind, uint64_t value)
{
	struct bob_cell *c = next_cell(t);

	if (!c)
		return;
	c->count = value;
	c->kind = kind;
}

void bob_table_count(struct bob_table *t, uint64_t value)
{
	bob_table_bound(t, BOB_CELL_EXACT, value);
}

void bob_table_none(struct bob_table *t)
{
	bob_table_bound(t, BOB_CELL_NONE, 0);
}

void bob_table_unknown(struct bob_table *t)
{
	bob_table_bound(t, BOB_CELL_UNKNOWN, 0);
}

void bob_table_number(struct bob_table *t, int64_t value)
{
	struct bob_cell *c = next_cell(t);

	if (c)
		c->number = value;
}

void bob_table_real(struct bob_table *t, double value)
{
	struct bob_cell *c = next_cell(t);

	if (!c)
		return;
	c->real = value;
	c->kind = isfinite(value) ? BOB_CELL_EXACT : BOB_CELL_NONE;
}

void bob_table_share(struct bob_table *t, uint64_t part, uint64_t whole)
{
	bob_table_real(t, whole ? (double)part / (double)whole : NAN);
}

void bob_table_text(struct bob_table *t, const char *text)
{
	struct bob_cell *c = next_cell(t);

	if (!c)
		return;
	c->text = bob_arena_text(&t->texts, text, strlen(text));
	if (!c->text) {
		c->text = "";
		t->failed = true;
	}
}

void bob_table_textf(struct bob_table *t, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	bob_table_text(t, text ? text : "");
	if (t && !text)
		t->failed = true;
	free(text);
}

/* --- reading --- */

const char *bob_table_name(const struct bob_table *t)
{
	return t->name;
}

const char *bob_table_row_name(const struct bob_table *t)
{
	return t->row;
}

size_t bob_table_columns(const struct bob_table *t)
{
	return t->column_count;
}

const struct bob_column *bob_table_column(const struct bob_table *t, size_t column)
{
	return &t->columns[column];
}

size_t bob_table_of_count(const struct bob_table *t)
{
	return t->of_count;
}

void bob_table_of_at(const struct bob_table *t, size_t i, const char **name, const char **value)
{
	*name = t->of[i][0];
	*value = t->of[i][1];
}

size_t bob_table_rows(const struct bob_table *t)
{
	return t && t->column_count ? t->cell_count / t->column_count : 0;
}

const struct bob_cell *bob_table_at(const struct bob_table *t, size_t row)
{
	return &t->cells[row * t->column_count];
}

bool bob_table_is_incomplete(const struct bob_table *t)
{
	return !t || t->failed;
}

static bool is_called(const struct bob_column *c, const char *name, size_t len)
{
	return strlen(c->name) == len && !memcmp(c->name, name, len);
}

size_t bob_table_find(const struct bob_table *t, const char *name, size_t len)
{
	static const struct bob_column subject = { .name = "name" };

	for (size_t i = 0; i < t->column_count; i++)
		if (is_called(&t->columns[i], name, len))
			return i;
	for (size_t i = 0; is_called(&subject, name, len) && i < t->column_count; i++)
		if (t->columns[i].flags & BOB_COLUMN_SUBJECT)
			return i;
	return SIZE_MAX;
}

bool bob_table_was_flushed(const struct bob_table *t)
{
	return t->flushed;
}

void bob_table_forget_rows(struct bob_table *t)
{
	bob_arena_free(&t->texts);
	t->cell_count = 0;
	t->flushed = true;
}

/* --- sorting --- */

struct order {
	const struct bob_table *table;
	size_t column;
	bool reverse;
};

static int compare_decimals(long double x, long double y)
{
	return (x < y) - (x > y);
}

/* Negative if `x` precedes `y`: numbers in descending order, texts in ascending order. */
static int compare_values(enum bob_column_type type, const struct bob_cell *x,
			  const struct bob_cell *y)
{
	switch (type) {
	case BOB_COLUMN_TEXT:
	case BOB_COLUMN_FUNCTION:
		return strcmp(x->text, y->text);
	case BOB_COLUMN_NUMBER:
		return (x->number < y->number) - (x->number > y->number);
	case BOB_COLUMN_SHARE:
	case BOB_COLUMN_REAL:
	case BOB_COLUMN_RATIO:
		return (x->real < y->real) - (x->real > y->real);
	case BOB_COLUMN_DECIMAL:
		return compare_decimals(strtold(x->text, NULL), strtold(y->text, NULL));
	default:
		return (x->count < y->count) - (x->count > y->count);
	}
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct bob_cell *cx = &bob_table_at(o->table, x)[o->column];
	const struct bob_cell *cy = &bob_table_at(o->table, y)[o->column];
	const int x_has = cx->kind < BOB_CELL_UNKNOWN, y_has = cy->kind < BOB_CELL_UNKNOWN;
	int c = 0;

	if (x_has != y_has)
		return y_has - x_has;
	if (x_has)
		c = compare_values(o->table->columns[o->column].type, cx, cy);
	if (c)
		return o->reverse ? -c : c;
	return (x > y) - (x < y);
}

bob_status bob_table_sort(struct bob_table *t, size_t column, bool reverse)
{
	struct order o = { .table = t, .column = column, .reverse = reverse };
	const size_t rows = bob_table_rows(t), n = t ? t->column_count : 0;
	size_t *at = calloc(rows + 1, sizeof(*at));
	struct bob_cell *cells = calloc(rows * n + 1, sizeof(*cells));

	if (!at || !cells) {
		free(at);
		free(cells);
		return BOB_ERR_NOMEM;
	}
	for (size_t i = 0; i < rows; i++)
		at[i] = i;
	qsort_r(at, rows, sizeof(*at), compare_rows, &o);
	for (size_t i = 0; i < rows; i++)
		memcpy(&cells[i * n], bob_table_at(t, at[i]), n * sizeof(*cells));
	free(at);
	free(t->cells);
	t->cells = cells;
	t->cell_count = rows * n;
	t->cell_cap = rows * n + 1;
	return BOB_OK;
}
