/* SPDX-License-Identifier: BSD-3-Clause */
/* Interning of shapes by key and path, in a hash table. The caller's `match` may identify two
 * shapes.
 *
 * Owner: the caller, also of the memory. Threads: one. Freestanding. */
#ifndef BOB_FOLD_SHAPES_H
#define BOB_FOLD_SHAPES_H

#include "bobbin/fold.h"
#include "fold/control.h"

#define BOB_SHAPE_SLOTS (2 * BOB_SHAPES_MAX)
#define BOB_SHAPE_KEY_BYTES (1u << 19)

struct bob_shape {
	uint32_t column;	/* first column; of an alias: number of the shape that it
				 * represents */
	uint32_t words;
	uint32_t path;
	uint32_t key;		/* offset */
	uint32_t key_len;
	uint32_t hash;
	uint64_t mark;		/* offset */
};

struct bob_shapes {
	/* BOB_SHAPES_MAX elements: shapes at the front, `aliases` aliases at the end */
	struct bob_shape *shape;
	/* BOB_SHAPE_SLOTS, zeroed at first: number + 1, linear probing */
	uint32_t *slot;
	uint8_t *key;		/* BOB_SHAPE_KEY_BYTES */
	uint32_t count, aliases, key_used;
	bob_fold_match_fn match; /* NULL: none */
	void *match_ctx;
};

/* Finds the shape with the key, path and words of `like`. BOB_NONE: unknown, and can be added.
 * BOB_ERR_FULL: unknown, and the table is full. BOB_ERR_INVAL: its words differ. */
bob_status bob_shapes_find(struct bob_shapes *s, const struct bob_fold_shape *like,
			   uint32_t *number);
/* Adds a shape for which bob_shapes_find has just returned BOB_NONE. Returns its number. */
uint32_t bob_shapes_add(struct bob_shapes *s, const struct bob_fold_shape *like, uint32_t column);

#endif
