/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the renderer: the columns and rows that a view chooses of a table, and the formats. */
#ifndef BOB_TABLE_CHOSEN_H
#define BOB_TABLE_CHOSEN_H

#include "table/print.h"

struct bob_chosen {
	const struct bob_table *table;
	size_t *column;		/* numbers of columns, in the order to print */
	size_t columns;
	size_t rows;		/* the first so many */
};

/* Rows as text with aligned columns, and a line that says what the limit left out. */
bob_status bob_chosen_text(const struct bob_chosen *c, const struct bob_table_view *view,
			   FILE *out);
void bob_chosen_csv_header(const struct bob_chosen *c, FILE *out);
void bob_chosen_csv(const struct bob_chosen *c, FILE *out);
void bob_chosen_json(const struct bob_chosen *c, FILE *out);

#endif
