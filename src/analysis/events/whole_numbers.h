/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact collection of 64-bit integers: sum, extremes, and the distinct values while there are few.
 * Complements value_numbers.h, which collects doubles, inexact beyond 2^53.
 *
 * A zeroed struct is empty. Threads: one. */
#ifndef BOB_ANALYSIS_EVENTS_WHOLE_NUMBERS_H
#define BOB_ANALYSIS_EVENTS_WHOLE_NUMBERS_H

#include "archive/events/value_numbers.h"
#include "table/table.h"

#define BOB_WHOLE_VALUES 48u

struct bob_whole_numbers {
	__extension__ __int128 sum;
	int64_t min, max;
	uint64_t count;
	uint32_t values;	/* number of distinct ones, ascending */
	int is_more;		/* more distinct values than `value` can hold */
	struct bob_whole_value {
		uint64_t key;	/* the value minus INT64_MIN, modulo 2^64 */
		uint64_t count;
	} value[BOB_WHOLE_VALUES];
};

void bob_whole_add(struct bob_whole_numbers *w, int64_t v);

/* --- cells of tables --- */

#define BOB_NUMBERS_COLUMNS                                                                        \
	{ "count", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_BLANK, "how many values" },                  \
		{ "sum", NULL, BOB_COLUMN_DECIMAL, BOB_COLUMN_BLANK, "of all numbers" },           \
		{ "min", NULL, BOB_COLUMN_DECIMAL, BOB_COLUMN_BLANK, "the smallest" },             \
		{ "mean", NULL, BOB_COLUMN_DECIMAL, BOB_COLUMN_BLANK, "sum over count" },          \
		{ "max", NULL, BOB_COLUMN_DECIMAL, BOB_COLUMN_BLANK, "the largest" },              \
	{                                                                                          \
		"values", NULL, BOB_COLUMN_TEXT, 0, "which there were: the first ones, or texts"   \
	}

/* The cells of BOB_NUMBERS_COLUMNS; values as "0 (3 times), 1" or "from 4 on (12 times), ...". `w`
 * has the same numbers exactly; NULL: they are not integers. */
void bob_numbers_cells(struct bob_table *t, const struct bob_value_numbers *n,
		       const struct bob_whole_numbers *w);
/* The same cells for texts, which have no sums and extremes. `count` 0: unknown. */
void bob_texts_cells(struct bob_table *t, uint64_t count, const char *values);
#define BOB_VALUES_SHOWN 6u

#endif
