/* SPDX-License-Identifier: BSD-3-Clause */
/* Reordering of independent records within a window (lossy). A leaf has a bit mask of the earlier
 * leaves that it depends on; flushing puts the leaf with the smallest descriptor number among those
 * without pending dependences (a topological sort). */
#include "mem/waiting.h"

#include <string.h>

#include "bobbin/fold.h"

/* --- selecting records --- */

static int is_loose(const struct bob_mem_desc *d)
{
	if (d->kind != BOB_MEM_BLOCK || d->access_count > BOB_MEM_WINDOW_RANGES)
		return 0;
	for (uint32_t i = 0; i < d->access_count; i++)
		if (d->access[i].type == BOB_MEM_ATOMIC)
			return 0;
	return 1;
}

/* Whether this record is repeated (BOB_MEM_AGAIN) and so keeps its place; counts its accesses as
 * repeated. */
static int is_again(struct bob_mem_window *w, const struct bob_mem_desc *d, const uint64_t *word,
		    size_t words)
{
	struct bob_mem_walk walk;
	uint64_t n = 0;

	if (!w->again)
		return 0;
	if (bob_mem_walk_begin(&walk, d, word, words, 0) == BOB_OK)
		n = bob_mem_walk_count(&walk);
	w->again -= n < w->again ? n : w->again;
	return 1;
}

int bob_mem_window_takes(struct bob_mem_window *w, struct bob_folder *folder,
			 const struct bob_mem_desc *d, const uint64_t *word, size_t words)
{
	if (!is_again(w, d, word, words) && is_loose(d))
		return 1;
	bob_mem_window_flush(w, folder);
	if (d->kind == BOB_MEM_MARK && d->mark == BOB_MEM_AGAIN)
		w->again += word[0];
	return 0;
}

/* --- order --- */

static int meet(const struct bob_mem_range *a, const struct bob_mem_range *b)
{
	if (!a->stores && !b->stores)
		return 0;
	return a->from - b->from < b->size || b->from - a->from < a->size;
}

static int is_tied(const struct bob_mem_waiting *a, const struct bob_mem_waiting *b)
{
	for (uint32_t i = 0; i < a->ranges; i++)
		for (uint32_t k = 0; k < b->ranges; k++)
			if (meet(&a->range[i], &b->range[k]))
				return 1;
	return 0;
}

void bob_mem_window_flush(struct bob_mem_window *w, struct bob_folder *folder)
{
	uint64_t left = w->count == 64 ? UINT64_MAX : (1ull << w->count) - 1;

	while (left) {
		uint32_t best = BOB_MEM_WINDOW_MAX;

		for (uint32_t i = 0; i < w->count; i++)
			if (left >> i & 1 && !(w->leaf[i].after & left) &&
			    (best == BOB_MEM_WINDOW_MAX || w->leaf[i].order < w->leaf[best].order))
				best = i;
		left &= ~(1ull << best);
		bob_folder_put(folder, w->leaf[best].shape, w->leaf[best].word);
	}
	w->count = 0;
}

/* --- leaves --- */

static void find_ranges(const struct bob_mem_window *w, const struct bob_mem_desc *d,
			struct bob_mem_waiting *l)
{
	struct bob_mem_walk walk;
	struct bob_mem_event e;

	if (bob_mem_walk_begin(&walk, d, l->word, d->words, w->bias(w->ctx, d)) != BOB_OK)
		return;
	while (bob_mem_walk_next(&walk, &e) == BOB_OK)
		l->range[l->ranges++] = (struct bob_mem_range){ e.address, e.size,
								e.type != BOB_MEM_LOAD };
}

static int is_there(const struct bob_mem_window *w, uint32_t shape)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (w->leaf[i].shape == shape)
			return 1;
	return 0;
}

void bob_mem_window_put(struct bob_mem_window *w, struct bob_folder *folder, uint32_t shape,
			uint32_t number, const struct bob_mem_desc *d, const uint64_t *word)
{
	struct bob_mem_waiting *l;

	if (w->count == w->limit || is_there(w, shape))
		bob_mem_window_flush(w, folder);
	l = &w->leaf[w->count];
	l->shape = shape;
	l->order = number;
	l->words = d->words;
	l->ranges = 0;
	l->after = 0;
	if (d->words)
		memcpy(l->word, word, d->words * sizeof(*word));
	find_ranges(w, d, l);
	for (uint32_t i = 0; i < w->count; i++)
		if (is_tied(&w->leaf[i], l))
			l->after |= 1ull << i;
	w->count++;
}
