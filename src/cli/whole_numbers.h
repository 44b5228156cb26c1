/* SPDX-License-Identifier: BSD-3-Clause */
/* Integers of 64 bits, gathered exactly: sum, extremes, and which they were as long as few are
 * different. Beside what value_numbers.h gathers of them as doubles, which are not exact beyond
 * 2^53.
 *
 * A zeroed struct has none. Threads: one. */
#ifndef BOB_CLI_WHOLE_NUMBERS_H
#define BOB_CLI_WHOLE_NUMBERS_H

#include <stdint.h>

struct cli_table;

#define CLI_WHOLE_VALUES 48u

struct cli_whole_numbers {
	__extension__ __int128 sum;
	int64_t min, max;
	uint64_t count;
	uint32_t values;	/* ... that are different, ascending */
	int is_more;		/* than there is room for */
	struct cli_whole_value {
		uint64_t key;	/* the value, less INT64_MIN */
		uint64_t count;
	} value[CLI_WHOLE_VALUES];
};

void cli_whole_add(struct cli_whole_numbers *w, int64_t v);
/* Cells: sum, min, mean, max. */
void cli_whole_cells(struct cli_table *t, const struct cli_whole_numbers *w);
/* A cell: 3, 5 (2 times), ... 12 in all. Not with is_more. */
void cli_whole_values_cell(struct cli_table *t, const struct cli_whole_numbers *w);

#endif
