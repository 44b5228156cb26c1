/* SPDX-License-Identifier: BSD-3-Clause */
/* Nests, expanded, against the cursor. For tests and fuzzers. */
#ifndef BOB_TESTS_FOLD_NESTS_H
#define BOB_TESTS_FOLD_NESTS_H

#include <string.h>

#include "fold/nests.h"

struct nests_check {
	struct bob_fold_cursor *cursor;
	uint64_t events, in_nests, max;
	const char *wrong;
};

static inline void nests_event(struct nests_check *k, const struct bob_fold_nest_item *item,
			       const uint64_t *idx)
{
	struct bob_fold_event e;

	if (k->wrong || k->events++ == k->max)
		return;
	if (bob_fold_cursor_next(k->cursor, &e) != BOB_OK) {
		k->wrong = "a nest has events that the cursor has not";
		return;
	}
	if (e.shape != item->shape || e.words != item->words) {
		k->wrong = "another shape";
		return;
	}
	for (uint32_t w = 0; w < e.words; w++) {
		uint64_t v = item->base[w];

		for (uint32_t d = 0; d < item->depth; d++)
			v += item->step[w * BOB_NEST_DEPTH + d] * idx[d];
		if (v != e.word[w])
			k->wrong = "another value";
	}
}

static inline void nests_expand(struct nests_check *k, const struct bob_fold_nest_item *item,
				uint32_t count, uint64_t *idx)
{
	for (uint32_t i = 0; i < count && !k->wrong && k->events < k->max; i++) {
		uint32_t d = item[i].depth;

		if (!item[i].items) {
			nests_event(k, &item[i], idx);
			continue;
		}
		for (idx[d] = 0; idx[d] < item[i].trips && !k->wrong && k->events < k->max;
		     idx[d]++)
			nests_expand(k, &item[i] + 1, item[i].items, idx);
		i += item[i].items;
	}
}

/* NULL: the same, to the end or for `max` events. *in_nests: how many of them came in nests. */
static inline const char *nests_compare(const struct bob_folded *f, uint32_t participant,
					uint64_t max, uint64_t *in_nests)
{
	struct nests_check k = { .max = max };
	const struct bob_fold_nest_item *items;
	struct bob_fold_nests *n = NULL;
	struct bob_fold_event e;
	uint64_t idx[BOB_NEST_DEPTH];
	bob_status st = bob_fold_nests_open(f, participant, &n), other;
	uint32_t count;

	*in_nests = 0;
	if (st != BOB_OK || bob_fold_cursor_open(f, participant, &k.cursor) != BOB_OK) {
		bob_fold_nests_close(n);
		return "cannot be opened";
	}
	while (!k.wrong && k.events < max &&
	       (st = bob_fold_nests_next(n, &items, &count)) == BOB_OK) {
		uint64_t before = k.events;

		nests_expand(&k, items, count, idx);
		if (count > 1)
			*in_nests += k.events - before;
	}
	if (!k.wrong && k.events < max) {
		other = bob_fold_cursor_next(k.cursor, &e);
		if (other != st)
			k.wrong = "another end";
	}
	bob_fold_cursor_close(k.cursor);
	bob_fold_nests_close(n);
	return k.wrong;
}

#endif
