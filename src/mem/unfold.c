/* SPDX-License-Identifier: BSD-3-Clause */
/* Expands leaves to records. The leaves come from a file: a leaf without a descriptor, or with
 * another number of words than its descriptor has, is corrupt. */
#include <string.h>

#include "base/varint.h"
#include "mem/fold.h"

struct bob_mem_unfold {
	struct bob_alloc alloc;
	const struct bob_folded *folded;
	struct bob_fold_cursor *cursor;
	bob_mem_desc_fn desc;
	void *ctx;
	bob_status end;		/* status to return after the current record */
};

bob_status bob_mem_unfold_open(const struct bob_folded *folded, uint32_t participant,
			       bob_mem_desc_fn desc, void *ctx, const struct bob_alloc *alloc,
			       struct bob_mem_unfold **out)
{
	struct bob_mem_unfold *u = alloc->resize(alloc->ctx, NULL, 0, sizeof(*u));
	bob_status st;

	if (!u)
		return BOB_ERR_NOMEM;
	memset(u, 0, sizeof(*u));
	u->alloc = *alloc;
	u->folded = folded;
	u->desc = desc;
	u->ctx = ctx;
	st = bob_fold_cursor_open(folded, participant, &u->cursor);
	if (st != BOB_OK) {
		bob_mem_unfold_close(u);
		return st;
	}
	*out = u;
	return BOB_OK;
}

void bob_mem_unfold_close(struct bob_mem_unfold *u)
{
	struct bob_alloc a;

	if (!u)
		return;
	a = u->alloc;
	bob_fold_cursor_close(u->cursor);
	a.resize(a.ctx, u, sizeof(*u), 0);
}

/* --- leaves --- */

bob_status bob_mem_leaf_key(const uint8_t *key, size_t len, uint32_t *number)
{
	const uint8_t *at = key, *end = key + len;
	uint64_t v;

	if (bob_varint_get(&at, end, &v) || at != end || v > BOB_MEM_NUMBER)
		return BOB_ERR_CORRUPT;
	*number = (uint32_t)v;
	return BOB_OK;
}

uint32_t bob_mem_leaf_words(const struct bob_mem_desc *d)
{
	if (d->kind == BOB_MEM_LOOP)
		return d->words + (d->payload ? d->payload : 1u);
	return d->words;
}

static bob_status read_leaf(struct bob_mem_unfold *u, struct bob_mem_unfolded *record)
{
	struct bob_fold_event event;
	struct bob_fold_shape shape;
	bob_status st = bob_fold_cursor_next(u->cursor, &event);

	if (st != BOB_OK)
		return st;
	bob_folded_shape(u->folded, event.shape, &shape);
	st = bob_mem_leaf_key(shape.key, shape.key_len, &record->number);
	if (st != BOB_OK)
		return st;
	record->path = shape.path;
	record->count = event.words;
	record->word = event.word;
	record->desc = u->desc(u->ctx, record->number);
	if (!record->desc || record->count != bob_mem_leaf_words(record->desc))
		return BOB_ERR_CORRUPT;
	return BOB_OK;
}

bob_status bob_mem_unfold_next(struct bob_mem_unfold *u, struct bob_mem_unfolded *record)
{
	if (u->end == BOB_OK)
		u->end = read_leaf(u, record);
	return u->end;
}
