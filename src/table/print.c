/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the columns and rows that a view requests. text.c and lines.c print them. */
#include "table/print.h"

#include <stdlib.h>
#include <string.h>

#include "base/host/nearest.h"
#include "table/chosen.h"
#include "table/flushed.h"

#define ALL_COLUMNS "all"

static bob_status complain(const struct bob_table *t, const char *option, const char *word,
			   size_t len, char why[BOB_TABLE_WHY_MAX])
{
	struct bob_nearest n = { .word = word, .len = len };
	char text[64];

	snprintf(text, sizeof(text), "%.*s", (int)len, word);
	n.word = text;
	for (size_t i = 0; i < bob_table_columns(t) && len; i++)
		bob_nearest_try(&n, bob_table_column(t, i)->name);
	if (n.name)
		snprintf(why, BOB_TABLE_WHY_MAX, "--%s: no column '%s'; did you mean '%s'?", option,
			 text, n.name);
	else
		snprintf(why, BOB_TABLE_WHY_MAX, "--%s: no column '%s'; --columns=help lists them",
			 option, text);
	return BOB_ERR_INVAL;
}

/* The next word of a comma-separated list: *len bytes at the result. *list advances past it. */
static const char *next_word(const char **list, size_t *len)
{
	const char *word = *list;

	*len = strcspn(word, ",");
	*list += *len + (word[*len] == ',');
	return word;
}

static bob_status check_words(const struct bob_table *t, const char *option, const char *list,
			      int is_sort, char why[BOB_TABLE_WHY_MAX])
{
	while (list && *list) {
		size_t len;
		const char *word = next_word(&list, &len);

		if (is_sort && *word == '-') {
			word++;
			len--;
		}
		if (bob_table_find(t, word, len) == SIZE_MAX)
			return complain(t, option, word, len, why);
	}
	return BOB_OK;
}

static int has_all_columns(const struct bob_table_view *view)
{
	return view->columns ? !strcmp(view->columns, ALL_COLUMNS) : view->format != BOB_TABLE_TEXT;
}

bob_status bob_table_check(const struct bob_table *t, const struct bob_table_view *view,
			   char why[BOB_TABLE_WHY_MAX])
{
	bob_status st;

	if (!t)
		return BOB_ERR_NOMEM;
	st = check_words(t, "sort", view->sort, 1, why);
	if (st == BOB_OK && !has_all_columns(view))
		st = check_words(t, "columns", view->columns, 0, why);
	return st;
}

/* Sorts by several keys: stable sorts from the last key to the first. */
static bob_status sort_all(struct bob_table *t, const char *keys)
{
	const char *rest = keys;
	size_t len;
	const char *key = next_word(&rest, &len);
	const int reverse = *key == '-';
	bob_status st = *rest ? sort_all(t, rest) : BOB_OK;

	return st == BOB_OK ?
		       bob_table_sort(t, bob_table_find(t, key + reverse, len - (size_t)reverse),
				      reverse) :
		       st;
}

static void choose_columns(struct bob_chosen *c, const struct bob_table_view *view)
{
	const char *list = view->columns;
	size_t len;

	if (list && !has_all_columns(view)) {
		while (*list) {
			const char *word = next_word(&list, &len);

			c->column[c->columns++] = bob_table_find(c->table, word, len);
		}
		return;
	}
	for (size_t i = 0; i < bob_table_columns(c->table); i++)
		if (has_all_columns(view) ||
		    !(bob_table_column(c->table, i)->flags & BOB_COLUMN_EXTRA))
			c->column[c->columns++] = i;
}

static size_t rows_printed(const struct bob_table *t, const struct bob_table_view *view)
{
	uint64_t limit = view->limit;

	if (limit == BOB_TABLE_LIMIT_DEFAULT)
		limit = view->format == BOB_TABLE_TEXT ? view->usual : 0;
	return limit && limit < bob_table_rows(t) ? (size_t)limit : bob_table_rows(t);
}

/* The caller frees c->column. */
static bob_status choose(const struct bob_table *t, const struct bob_table_view *view,
			 struct bob_chosen *c, char why[BOB_TABLE_WHY_MAX])
{
	bob_status st = bob_table_check(t, view, why);

	*c = (struct bob_chosen){ .table = t };
	if (st != BOB_OK)
		return st;
	if (bob_table_is_incomplete(t))
		return BOB_ERR_NOMEM;
	c->column = calloc(bob_table_columns(t) + (view->columns ? strlen(view->columns) : 0) + 1,
			   sizeof(*c->column));
	if (!c->column)
		return BOB_ERR_NOMEM;
	choose_columns(c, view);
	c->rows = rows_printed(t, view);
	return BOB_OK;
}

static void print_lines(const struct bob_chosen *c, enum bob_table_format format, bool header,
			FILE *out)
{
	if (format == BOB_TABLE_JSON) {
		bob_chosen_json(c, out);
		return;
	}
	if (header)
		bob_chosen_csv_header(c, out);
	bob_chosen_csv(c, out);
}

bob_status bob_table_print(struct bob_table *t, const struct bob_table_view *view, FILE *out,
			   char why[BOB_TABLE_WHY_MAX])
{
	struct bob_chosen c;
	bob_status st = choose(t, view, &c, why);

	if (st == BOB_OK && view->sort && *view->sort)
		st = sort_all(t, view->sort);
	if (st == BOB_OK && view->format == BOB_TABLE_TEXT)
		st = bob_chosen_text(&c, view, out);
	else if (st == BOB_OK)
		print_lines(&c, view->format, !view->no_header, out);
	free(c.column);
	if (st == BOB_ERR_NOMEM)
		snprintf(why, BOB_TABLE_WHY_MAX, "out of memory");
	return st;
}

bob_status bob_table_flush(struct bob_table *t, const struct bob_table_view *view, FILE *out,
			   char why[BOB_TABLE_WHY_MAX])
{
	struct bob_chosen c;
	bob_status st = choose(t, view, &c, why);

	if (st == BOB_OK) {
		c.rows = bob_table_rows(t);
		print_lines(&c, view->format, !bob_table_was_flushed(t), out);
		bob_table_forget_rows(t);
	}
	free(c.column);
	if (st == BOB_ERR_NOMEM)
		snprintf(why, BOB_TABLE_WHY_MAX, "out of memory");
	return st;
}

void bob_table_describe(const struct bob_table *t, FILE *out)
{
	static const char *const types[] = { "count", "number", "bytes",   "ns",   "share",
					     "real",  "ratio",   "decimal", "address", "text",
					     "text" };

	fprintf(out, "columns of the table %s:\n", bob_table_name(t));
	for (size_t i = 0; i < bob_table_columns(t); i++) {
		const struct bob_column *c = bob_table_column(t, i);

		fprintf(out, "  %-20s %-8s %s\n", c->name, types[c->type],
			c->about ? c->about : "");
	}
}
