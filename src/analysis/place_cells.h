/* SPDX-License-Identifier: BSD-3-Clause */
/* A place in the program's code as cells of a table: one readable column in text, and its parts as
 * separate columns in CSV and JSON. Shared by all tables with places. */
#ifndef BOB_ANALYSIS_PLACE_CELLS_H
#define BOB_ANALYSIS_PLACE_CELLS_H

#include "analysis/naming.h"
#include "table/table.h"

#define BOB_PLACE_COLUMNS                                                                          \
	{ "function", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_EXTRA, "the function's name" },            \
		{ "file", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_EXTRA, "source file" },                \
		{ "line", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_EXTRA, "line in the source file" },   \
	{                                                                                          \
		"address", NULL, BOB_COLUMN_ADDRESS, BOB_COLUMN_EXTRA, "link address"              \
	}

/* The cells of BOB_PLACE_COLUMNS; "" and 0 if unknown. */
void bob_place_cells(struct bob_table *t, const char *function, const char *file, uint32_t line,
		     uint64_t address);
/* The readable text and the same cells for link address `pc` of an image of the process; image ~0:
 * unknown. */
void bob_place_cells_at(struct bob_table *t, const struct bob_naming *names,
			const struct bob_trace *trace, uint32_t process, uint32_t image,
			uint64_t pc);

/* Cells of a text and of a number, without a value if it is empty or 0. */
void bob_text_cell(struct bob_table *t, const char *text);
void bob_count_cell(struct bob_table *t, uint64_t value);
/* The part of a path after the last slash. */
const char *bob_base_name(const char *path);

#endif
