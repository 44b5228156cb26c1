/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaves back into records. They come from a file: a descriptor that is not there, or another number of words
 * than it says, is corrupt. */
#include <string.h>

#include "base/varint.h"
#include "mem/fold.h"

struct leaf {
	const struct bob_mem_desc *desc;
	const uint64_t *word;
	uint32_t number, words, path;
	int is_payload;
};

struct bob_mem_unfold {
	struct bob_alloc alloc;
	const struct bob_folded *folded;
	struct bob_fold_cursor *cursor;
	bob_mem_desc_fn desc;
	void *ctx;
	struct leaf next;	/* read already, if has_next */
	int has_next;
	bob_status end;		/* after that one */
	uint64_t *word;		/* of the record */
	size_t room;
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
	if (u->word)
		a.resize(a.ctx, u->word, u->room * sizeof(*u->word), 0);
	a.resize(a.ctx, u, sizeof(*u), 0);
}

/* --- leaves --- */

bob_status bob_mem_leaf_key(const uint8_t *key, size_t len, uint32_t *number, int *is_payload)
{
	const uint8_t *at = key, *end = key + len;
	uint64_t v;

	if (bob_varint_get(&at, end, &v) || at != end || v >> 1 > BOB_MEM_NUMBER)
		return BOB_ERR_CORRUPT;
	*number = (uint32_t)(v >> 1);
	*is_payload = (int)(v & 1);
	return BOB_OK;
}

uint32_t bob_mem_leaf_words(const struct bob_mem_desc *d, int is_payload)
{
	if (is_payload)
		return d->kind == BOB_MEM_LOOP ? d->payload : 0;
	return d->words + (d->kind == BOB_MEM_LOOP && !d->payload ? 1u : 0u);
}

static bob_status read_leaf(struct bob_mem_unfold *u, struct leaf *leaf)
{
	struct bob_fold_event event;
	struct bob_fold_shape shape;
	bob_status st = bob_fold_cursor_next(u->cursor, &event);

	if (st != BOB_OK)
		return st;
	bob_folded_shape(u->folded, event.shape, &shape);
	st = bob_mem_leaf_key(shape.key, shape.key_len, &leaf->number, &leaf->is_payload);
	if (st != BOB_OK)
		return st;
	leaf->path = shape.path;
	leaf->words = event.words;
	leaf->word = event.word;
	leaf->desc = u->desc(u->ctx, leaf->number);
	if (!leaf->desc || leaf->words != bob_mem_leaf_words(leaf->desc, leaf->is_payload) ||
	    (leaf->is_payload && !leaf->words))
		return BOB_ERR_CORRUPT;
	return BOB_OK;
}

/* --- records --- */

static bob_status append(struct bob_mem_unfold *u, size_t *count, const struct leaf *leaf)
{
	size_t want = *count + leaf->words;

	if (want > BOB_MEM_RECORD_MAX)
		return BOB_ERR_CORRUPT;
	if (want > u->room) {
		size_t room = want * 2;
		void *p = u->alloc.resize(u->alloc.ctx, u->word, u->room * sizeof(*u->word),
					  room * sizeof(*u->word));

		if (!p)
			return BOB_ERR_NOMEM;
		u->word = p;
		u->room = room;
	}
	if (leaf->words)
		memcpy(u->word + *count, leaf->word, leaf->words * sizeof(*u->word));
	*count = want;
	return BOB_OK;
}

bob_status bob_mem_unfold_next(struct bob_mem_unfold *u, struct bob_mem_unfolded *record)
{
	size_t count = 0;
	bob_status st = u->end;

	if (st == BOB_OK && !u->has_next)
		st = read_leaf(u, &u->next);
	if (st != BOB_OK)
		return st;
	u->has_next = 0;
	if (u->next.is_payload)
		return u->end = BOB_ERR_CORRUPT; /* of no loop */
	*record = (struct bob_mem_unfolded){ .desc = u->next.desc,
					     .number = u->next.number,
					     .path = u->next.path };
	st = append(u, &count, &u->next);
	while (st == BOB_OK && record->desc->kind == BOB_MEM_LOOP && record->desc->payload) {
		u->end = read_leaf(u, &u->next);
		if (u->end != BOB_OK)
			break;
		if (!u->next.is_payload || u->next.number != record->number) {
			u->has_next = 1;
			break;
		}
		st = append(u, &count, &u->next);
	}
	record->word = u->word;
	record->count = count;
	if (st != BOB_OK)
		u->end = st;
	return st;
}
