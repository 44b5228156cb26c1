/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of a folded sequence: paths, shapes and loops, each stored once and numbered in order of
 * insertion, and the numbers of their columns. Entries refer only to earlier ones.
 *
 * Owner: the holder of the struct; bob_tables_free. Threads: one while it changes. */
#ifndef BOB_FOLD_TABLES_H
#define BOB_FOLD_TABLES_H

#include "fold/arena.h"

#define BOB_TABLES_NONE UINT32_MAX
#define BOB_TABLES_MAX (1u << 24) /* per kind; also columns */

struct bob_table_path {
	uint64_t place;
	uint32_t parent;
};

struct bob_table_shape {
	const uint8_t *key;
	uint32_t key_len;
	uint32_t path;
	uint32_t words;
	uint32_t column;	/* number of the first */
};

struct bob_table_loop {
	const uint32_t *item;	/* 2 * shape, or 2 * loop + 1 */
	uint32_t len;
	uint32_t column;	/* of trip counts */
	uint32_t depth;		/* nesting depth, including this loop */
};

struct bob_table_index {	/* hash table with open addressing */
	uint32_t *slot;		/* number + 1 */
	uint32_t capacity, used;
};

struct bob_tables {
	struct bob_blocks blocks;	/* keys and items; its allocator is used for everything */
	struct bob_table_path *path;	/* [0] is the empty path */
	struct bob_table_shape *shape;
	struct bob_table_loop *loop;
	uint32_t path_count, path_capacity, shape_count, shape_capacity, loop_count, loop_capacity;
	uint32_t column_count;
	struct bob_table_index paths, shapes, loops;
};

bob_status bob_tables_init(struct bob_tables *t, const struct bob_alloc *alloc);
void bob_tables_free(struct bob_tables *t);

/* Find or add an entry. Keys and items are copied. BOB_ERR_CORRUPT: it refers to an unknown entry,
 * a loop has no items, or the table is full. BOB_ERR_NOMEM. */
bob_status bob_tables_path(struct bob_tables *t, uint32_t parent, uint64_t place, uint32_t *number);
bob_status bob_tables_shape(struct bob_tables *t, uint32_t path, uint32_t words, const uint8_t *key,
			    uint32_t key_len, uint32_t *number);
bob_status bob_tables_loop(struct bob_tables *t, const uint32_t *item, uint32_t len,
			   uint32_t *number);
/* 0: no such path. */
uint32_t bob_tables_find_path(const struct bob_tables *t, uint32_t parent, uint64_t place);

static inline int bob_tables_has(const struct bob_tables *t, uint64_t item)
{
	return item >> 1 < (item & 1 ? t->loop_count : t->shape_count);
}

#endif
