/* SPDX-License-Identifier: BSD-3-Clause */
/* Interning of shapes: a hash table with open addressing in the caller's memory. */
#include "fold/shapes.h"

#include <string.h>

#include "base/hash.h"

static struct bob_shape shape_of(const struct bob_fold_shape *like)
{
	return (struct bob_shape){ .words = like->words, .path = like->path,
				   .key_len = (uint32_t)like->key_len,
				   .hash = (uint32_t)bob_hash64(like->path, like->key,
								like->key_len) };
}

/* The slot of this key: the shape's, or a free one. */
static uint32_t *slot_of(const struct bob_shapes *s, const struct bob_shape *like, const void *key)
{
	uint32_t at = like->hash % BOB_SHAPE_SLOTS;

	for (; s->slot[at]; at = (at + 1) % BOB_SHAPE_SLOTS) {
		const struct bob_shape *k = &s->shape[s->slot[at] - 1];

		if (k->hash == like->hash && k->path == like->path && k->key_len == like->key_len &&
		    !memcmp(s->key + k->key, key, k->key_len))
			break;
	}
	return &s->slot[at];
}

static int has_space(const struct bob_shapes *s, const struct bob_shape *shape)
{
	return s->count + s->aliases < BOB_SHAPES_MAX &&
	       shape->key_len <= BOB_SHAPE_KEY_BYTES - s->key_used;
}

/* Stores the shape as number `number`. */
static void keep(struct bob_shapes *s, struct bob_shape *shape, const void *key, uint32_t number)
{
	*slot_of(s, shape, key) = number + 1;
	shape->key = s->key_used;
	memcpy(s->key + shape->key, key, shape->key_len);
	s->key_used += shape->key_len;
	s->shape[number] = *shape;
}

/* If the caller's `match` identifies the shape with an existing one, adds an alias for that.
 * BOB_NONE: it does not. */
static bob_status add_alias(struct bob_shapes *s, struct bob_shape *shape,
			    const struct bob_fold_shape *fresh)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const struct bob_shape *k = &s->shape[i];
		const struct bob_fold_shape known = { s->key + k->key, k->key_len, k->path,
						      k->words };

		if (k->words != shape->words || !s->match(s->match_ctx, &known, fresh))
			continue;
		if (!has_space(s, shape))
			return BOB_ERR_FULL;
		shape->column = i;
		keep(s, shape, fresh->key, BOB_SHAPES_MAX - ++s->aliases);
		return BOB_OK;
	}
	return BOB_NONE;
}

bob_status bob_shapes_find(struct bob_shapes *s, const struct bob_fold_shape *like,
			   uint32_t *number)
{
	struct bob_shape shape = shape_of(like);
	uint32_t slot = *slot_of(s, &shape, like->key);
	bob_status st;

	if (slot) {
		const struct bob_shape *k = &s->shape[slot - 1];

		*number = slot - 1 >= BOB_SHAPES_MAX - s->aliases ? k->column : slot - 1;
		return k->words == like->words ? BOB_OK : BOB_ERR_INVAL;
	}
	st = s->match ? add_alias(s, &shape, like) : BOB_NONE;
	if (st == BOB_OK)
		*number = shape.column;
	return st == BOB_NONE && !has_space(s, &shape) ? BOB_ERR_FULL : st;
}

uint32_t bob_shapes_add(struct bob_shapes *s, const struct bob_fold_shape *like, uint32_t column)
{
	struct bob_shape shape = shape_of(like);

	shape.column = column;
	keep(s, &shape, like->key, s->count);
	return s->count++;
}
