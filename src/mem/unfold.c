/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaves back into what was recorded. They come from a file: a descriptor that is not there, or another number
 * of words than it says, is corrupt. */
#include <string.h>

#include "base/varint.h"
#include "mem/fold.h"

bob_status bob_mem_unfold_open(struct bob_mem_unfold *u, const struct bob_folded *folded,
			       uint32_t participant, bob_mem_desc_fn desc, void *ctx)
{
	memset(u, 0, sizeof(*u));
	u->folded = folded;
	u->desc = desc;
	u->ctx = ctx;
	return bob_fold_cursor_open(folded, participant, &u->cursor);
}

void bob_mem_unfold_close(struct bob_mem_unfold *u)
{
	bob_fold_cursor_close(u->cursor);
	u->cursor = NULL;
}

static bob_status read_key(const struct bob_fold_shape *s, uint32_t *number, int *payload)
{
	const uint8_t *at = s->key, *end = at + s->key_len;
	uint64_t key;

	if (bob_varint_get(&at, end, &key) || at != end || key >> 1 > BOB_MEM_NUMBER)
		return BOB_ERR_CORRUPT;
	*number = (uint32_t)(key >> 1);
	*payload = (int)(key & 1);
	return BOB_OK;
}

static uint32_t words_of(const struct bob_mem_desc *d, int payload)
{
	if (payload)
		return d->payload;
	return d->words + (d->kind == BOB_MEM_LOOP && !d->payload ? 1u : 0u);
}

bob_status bob_mem_unfold_next(struct bob_mem_unfold *u, struct bob_mem_leaf *leaf)
{
	struct bob_fold_event event;
	struct bob_fold_shape shape;
	bob_status st = bob_fold_cursor_next(u->cursor, &event);

	if (st != BOB_OK)
		return st;
	bob_folded_shape(u->folded, event.shape, &shape);
	st = read_key(&shape, &leaf->number, &leaf->is_payload);
	if (st != BOB_OK)
		return st;
	leaf->path = shape.path;
	leaf->desc = u->desc(u->ctx, leaf->number);
	if (!leaf->desc || event.words != words_of(leaf->desc, leaf->is_payload))
		return BOB_ERR_CORRUPT;
	leaf->word = event.word;
	leaf->payload = event.word;
	if (leaf->is_payload) {
		if (!event.words || !u->has_loop || u->loop != leaf->number)
			return BOB_ERR_CORRUPT;
		leaf->word = u->word;
		leaf->iteration = u->iteration++;
		return BOB_OK;
	}
	u->has_loop = leaf->desc->kind == BOB_MEM_LOOP && leaf->desc->payload;
	if (u->has_loop) {
		u->loop = leaf->number;
		u->iteration = 0;
		memcpy(u->word, event.word, event.words * sizeof(*u->word));
	}
	return BOB_OK;
}

bob_status bob_mem_leaf_walk(const struct bob_mem_leaf *leaf, uint64_t bias, struct bob_mem_walk *w)
{
	const struct bob_mem_desc *d = leaf->desc;

	if (leaf->is_payload) {
		bob_mem_walk_iteration(w, d, leaf->word, leaf->payload, leaf->iteration, bias);
		return BOB_OK;
	}
	return bob_mem_walk_begin(w, d, leaf->word, words_of(d, 0), bias);
}
