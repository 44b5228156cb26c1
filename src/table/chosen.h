/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal interface of the renderer: the columns and rows selected by a view, and one printer per
 * output format. */
#ifndef BOB_TABLE_CHOSEN_H
#define BOB_TABLE_CHOSEN_H

#include "table/print.h"

struct bob_chosen {
	const struct bob_table *table;
	size_t *column;		/* column indices, in output order */
	size_t columns;
	size_t rows;		/* rows to print, from the first */
};

/* Aligned text. If the limit cuts rows, a last line summarises the omitted ones. */
bob_status bob_chosen_text(const struct bob_chosen *c, const struct bob_table_view *view,
			   FILE *out);
void bob_chosen_csv_header(const struct bob_chosen *c, FILE *out);
void bob_chosen_csv(const struct bob_chosen *c, FILE *out);
void bob_chosen_json(const struct bob_chosen *c, FILE *out);

#endif
