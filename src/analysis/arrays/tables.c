/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of statements and elements of instrumented variables. */
#include "analysis/arrays/tables.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis/place_cells.h"
#include "table/numbers.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MOVES_SHOWN 3u
#define TEXT_MAX 1024u

/* Formats moves: "[0][+1] 98%, [+1][-49] 2%". */
static void moves_text(const struct bob_array *a, const struct bob_array_site *site,
		       char text[TEXT_MAX])
{
	const struct bob_shape *s = &a->shape;
	char share[BOB_NUMBER_MAX];
	size_t len = 0;
	uint64_t rest = site->moves;

	*text = 0;
	for (uint32_t m = 0; m < MOVES_SHOWN && site->move[m].count && s->rank; m++) {
		len += (size_t)snprintf(text + len, TEXT_MAX - len, "%s", m ? ", " : "");
		for (uint32_t i = 0; i < s->rank; i++) {
			const uint32_t d = s->rows_first ? s->rank - 1 - i : i;
			const int64_t by = site->move[m].by[d];

			len += (size_t)snprintf(text + len, TEXT_MAX - len,
						by ? "%s%+" PRId64 "%s" : "%s%" PRId64 "%s",
						s->rows_first ? "[" :
						i	      ? "," :
								"(",
						by,
						s->rows_first	 ? "]" :
						i + 1 == s->rank ? ")" :
								   "");
		}
		len += (size_t)snprintf(text + len, TEXT_MAX - len, " %s",
					bob_format_share(share, site->move[m].count, site->moves));
		rest -= site->move[m].count;
	}
	if (rest && s->rank)
		snprintf(text + len, TEXT_MAX - len, "%s...", len ? ", " : "");
}

struct bob_table *bob_array_statements_table(const struct bob_array *a,
					     const struct bob_naming *names)
{
	static const struct bob_column columns[] = {
		{ "accesses", "  accesses", BOB_COLUMN_COUNT, BOB_COLUMN_ADDS, "of the variable" },
		{ "share", NULL, BOB_COLUMN_SHARE, 0, "of all accesses of the variable" },
		{ "access", "", BOB_COLUMN_TEXT, 0, "read or write" },
		{ "statement", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT, "line and function" },
		{ "moves", NULL, BOB_COLUMN_TEXT, 0,
		  "change of the subscripts from one access to the next, the most frequent ones" },
		BOB_PLACE_COLUMNS,
	};
	struct bob_table *t = bob_table_create("statements", "statement", columns, COUNT(columns));
	char text[TEXT_MAX];

	bob_table_of(t, "variable", a->shape.name);
	for (size_t i = 0; i < a->sites; i++) {
		const struct bob_array_site *s = &a->site[i];
		const char *function = names->symbol(names->ctx, s->function);

		bob_table_count(t, s->accesses);
		bob_table_share(t, s->accesses, a->loads + a->stores);
		bob_table_text(t, s->store ? "write" : "read");
		bob_table_textf(t, "%s:%" PRIu32 "  %s", bob_base_name(s->file), s->line, function);
		moves_text(a, s, text);
		bob_table_text(t, text);
		bob_place_cells(t, function, s->file, s->line, 0);
	}
	return t;
}

struct bob_table *bob_array_elements_table(uint32_t rank)
{
	static const struct bob_column columns[] = {
		{ "variable", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT, NULL },
		{ "source", NULL, BOB_COLUMN_TEXT, 0, "file of the variable" },
		{ "window", NULL, BOB_COLUMN_COUNT, 0, "share of each thread's accesses, from 1" },
	};
	struct bob_table *t = bob_table_create("elements", "element", columns, COUNT(columns));
	char name[32];

	for (uint32_t k = 0; k < rank; k++) {
		snprintf(name, sizeof(name), "subscript%" PRIu32, k + 1);
		bob_table_add_column(t, &(struct bob_column){ name, NULL, BOB_COLUMN_NUMBER, 0,
							      "as in the source" });
	}
	bob_table_add_column(t, &(struct bob_column){ "reads", NULL, BOB_COLUMN_COUNT, 0, NULL });
	bob_table_add_column(t, &(struct bob_column){ "writes", NULL, BOB_COLUMN_COUNT, 0, NULL });
	return t;
}

static void put_subscripts(struct bob_table *t, uint32_t rank, const struct bob_array *a,
			   uint64_t cell)
{
	const struct bob_shape *s = &a->shape;
	int64_t at[BOB_SHAPE_DIMENSIONS_MAX];

	bob_array_cell(a, cell, at);
	for (uint32_t k = 0; k < rank; k++)
		if (k < s->rank)
			bob_table_number(t, at[s->rows_first ? s->rank - 1 - k : k]);
		else
			bob_table_none(t);
}

void bob_array_elements_rows(struct bob_table *t, uint32_t rank, const struct bob_array *a,
			     uint32_t window, uint32_t shown, uint64_t first, uint64_t end)
{
	for (uint64_t cell = first; cell < end; cell++) {
		const uint64_t i = window * a->cells + cell;

		if (!a->read[i] && !a->written[i])
			continue;
		bob_table_text(t, a->shape.name);
		bob_table_text(t, a->source);
		bob_table_count(t, shown);
		put_subscripts(t, rank, a, cell);
		bob_table_count(t, a->read[i]);
		bob_table_count(t, a->written[i]);
	}
}
