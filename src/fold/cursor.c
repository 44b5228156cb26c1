/* SPDX-License-Identifier: BSD-3-Clause */
/* Expansion of a folded sequence, event by event. */
#include "fold/expand.h"

struct bob_fold_cursor {
	struct bob_expand x;
	uint64_t word[BOB_FOLD_WORDS_MAX];
};

static bob_status step(struct bob_fold_cursor *k, struct bob_fold_event *event)
{
	bob_status st = BOB_NONE;

	while (st == BOB_NONE)
		if (bob_expand_at_end(&k->x)) {
			if (bob_expand_end_of_body(&k->x) != BOB_OK)
				return BOB_ERR_CORRUPT;
		} else {
			st = bob_expand_item(&k->x, &event->shape);
		}
	if (st != BOB_OK)
		return st;
	event->words = k->x.folded->tables.shape[event->shape].words;
	event->word = k->word;
	return bob_expand_event(&k->x, event->shape, k->word);
}

bob_status bob_fold_cursor_next(struct bob_fold_cursor *c, struct bob_fold_event *event)
{
	if (c->x.failed == BOB_OK)
		c->x.failed = step(c, event);
	return c->x.failed;
}

uint32_t bob_fold_cursor_loops(const struct bob_fold_cursor *c, struct bob_fold_at *to,
			       uint32_t capacity)
{
	for (uint32_t i = 0; i < c->x.depth && i < capacity; i++) {
		const struct bob_expand_frame *f = &c->x.frame[i];

		to[i] = (struct bob_fold_at){ f->number, 0, f->trips - f->left, f->trips };
	}
	return c->x.depth;
}

bob_status bob_fold_cursor_open(const struct bob_folded *f, uint32_t participant,
				struct bob_fold_cursor **out)
{
	const struct bob_alloc *a = &f->tables.blocks.alloc;
	struct bob_fold_cursor *k = a->resize(a->ctx, NULL, 0, sizeof(*k));
	bob_status st = k ? bob_expand_open(&k->x, f, participant) : BOB_ERR_NOMEM;

	if (st == BOB_OK)
		*out = k;
	else if (k)
		a->resize(a->ctx, k, sizeof(*k), 0);
	return st;
}

void bob_fold_cursor_close(struct bob_fold_cursor *c)
{
	struct bob_alloc a;

	if (!c)
		return;
	a = c->x.blocks.alloc;
	bob_expand_close(&c->x);
	a.resize(a.ctx, c, sizeof(*c), 0);
}
