/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of shapes by keys and paths, found by a hash. The caller's `match` may declare two shapes
 * the same.
 *
 * Owner: the caller, also of the memory. Threads: one. Freestanding. */
#ifndef BOB_FOLD_SHAPES_H
#define BOB_FOLD_SHAPES_H

#include "bobbin/fold.h"
#include "fold/control.h"

#define BOB_SHAPE_SLOTS (2 * BOB_SHAPES_MAX)
#define BOB_SHAPE_KEY_BYTES (1u << 19)

struct bob_shape {
	uint32_t column;	/* of an alias: number of the shape that it is */
	uint32_t words;
	uint32_t path;
	uint32_t key;		/* offset */
	uint32_t key_len;
	uint32_t hash;
	uint64_t mark;		/* bob_folder_mark; 0: none */
};

struct bob_shapes {
	/* BOB_SHAPES_MAX; shapes, and aliases at the end, from BOB_SHAPES_MAX - aliases on */
	struct bob_shape *shape;
	/* BOB_SHAPE_SLOTS, zeroed at first: number + 1 by hash, linear probing */
	uint32_t *slot;
	uint8_t *key;		/* BOB_SHAPE_KEY_BYTES */
	uint32_t count, aliases, key_used;
	bob_fold_match_fn match; /* NULL: none */
	void *match_ctx;
};

/* The number of the shape with the key, path and words of `like`. BOB_NONE: it does not exist, and
 * there is space for it. BOB_ERR_FULL: it does not exist, and no space is left. BOB_ERR_INVAL: its
 * words differ. */
bob_status bob_shapes_find(struct bob_shapes *s, const struct bob_fold_shape *like,
			   uint32_t *number);
/* One that bob_shapes_find has just not found. Returns its number. */
uint32_t bob_shapes_add(struct bob_shapes *s, const struct bob_fold_shape *like, uint32_t column);

#endif
