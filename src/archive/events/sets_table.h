/* SPDX-License-Identifier: BSD-3-Clause */
/* Value sets as tables in a file (docs/format.md, "Sets"): `sets`, the calls of their paths in
 * `calls`, and `set_names` for a chunk that has a name. Ranks exchange sets in the form of
 * value_sets.h. Freestanding. */
#ifndef BOB_ARCHIVE_SETS_TABLE_H
#define BOB_ARCHIVE_SETS_TABLE_H

#include "archive/columns/columns.h"
#include "archive/events/value_sets.h"

struct bob_set_row {
	struct bob_cell_bytes hook, event, bytes, text;
	uint32_t phase, depth, kind, reserved;
};

/* The first row is the chunk's own name and how often a chunk of that name has been written. */
struct bob_set_name {
	uint64_t name, times;
};

/* Schemas of struct bob_set_row, struct bob_set_call, struct bob_set_name. */
extern const struct bob_schema bob_sets_table, bob_set_calls_table, bob_set_names_table;

struct bob_set_row bob_set_row_of(const struct bob_set *s);
/* Converts a row to a set; `call` points to the next `left` rows of `calls`. Returns 0 if
 * invalid. */
int bob_set_of_row(const struct bob_set_row *row, const struct bob_set_call *call, size_t left,
		   struct bob_set *s);

#endif
