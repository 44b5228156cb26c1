/* SPDX-License-Identifier: BSD-3-Clause */
/* One participant's events, in order, like a cursor's (bobbin/fold.h) -- but where a loop and all
 * values in it are affine, the whole nest at once. It is for callers that process a nest in less
 * time than its events.
 *
 * Threads: one. Owner: the caller; bob_fold_nests_close. */
#ifndef BOB_FOLD_NESTS_H
#define BOB_FOLD_NESTS_H

#include "bobbin/fold.h"

#define BOB_NEST_DEPTH 6u
#define BOB_NEST_ITEMS 256u	/* of a body */
#define BOB_NEST_WORDS 512u

/* A row of items in which a loop precedes its body; loops are numbered by depth, the outermost is
 * 0. */
struct bob_fold_nest_item {
	uint32_t items;		/* of a loop: how many of the following are its body; 0: an event */
	uint32_t depth;		/* loops around it */
	uint64_t trips;		/* of a loop, never 0 */
	uint32_t shape, words;	/* of an event */
	/* word w is base[w] + sum over d < depth of step[w * BOB_NEST_DEPTH + d] * index d */
	const uint64_t *base, *step;
};

struct bob_fold_nests;

bob_status bob_fold_nests_open(const struct bob_folded *f, uint32_t participant,
			       struct bob_fold_nests **out);
void bob_fold_nests_close(struct bob_fold_nests *n); /* NULL is allowed */
/* The next nest, or an event alone: then *count is 1. `items` are valid until the next call.
 * BOB_END, BOB_ERR_NOMEM, BOB_ERR_CORRUPT, as bob_fold_cursor_next. */
bob_status bob_fold_nests_next(struct bob_fold_nests *n, const struct bob_fold_nest_item **items,
			       uint32_t *count);

#endif
