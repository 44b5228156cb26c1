/* SPDX-License-Identifier: BSD-3-Clause */
/* Value sets in a file as tables (docs/format.md, "Sets"): `sets`, the calls of their paths in
 * `calls`, and, of a chunk that has a name, `set_names`. Ranks send each other the rows as
 * value_sets.h has them. Freestanding. */
#ifndef BOB_ARCHIVE_SETS_TABLE_H
#define BOB_ARCHIVE_SETS_TABLE_H

#include "archive/columns/columns.h"
#include "archive/events/value_sets.h"

struct bob_set_row {
	struct bob_cell_bytes hook, event, bytes, text;
	uint32_t phase, depth, kind, reserved;
};

/* The first one is the chunk's own, and has how often a chunk of that name was written by then. */
struct bob_set_name {
	uint64_t name, times;
};

/* Rows: struct bob_set_row, struct bob_set_call, struct bob_set_name. */
extern const struct bob_schema bob_sets_table, bob_set_calls_table, bob_set_names_table;

struct bob_set_row bob_set_row_of(const struct bob_set *s);
/* The set of a row; `call` has the next `left` rows of `calls`. 0: there is no such set. */
int bob_set_of_row(const struct bob_set_row *row, const struct bob_set_call *call, size_t left,
		   struct bob_set *s);

#endif
