/* SPDX-License-Identifier: BSD-3-Clause */
/* Expansion of one participant's events in order, like a cursor (bobbin/fold.h), but whole nests at
 * once where a loop and all values in it are affine. For callers that process a nest faster than
 * its events.
 *
 * Threads: one. Owner: the caller; bob_fold_nests_close. */
#ifndef BOB_FOLD_NESTS_H
#define BOB_FOLD_NESTS_H

#include "bobbin/fold.h"

#define BOB_NEST_DEPTH 6u
#define BOB_NEST_ITEMS 256u	/* items of a body */
#define BOB_NEST_WORDS 512u

/* An item of a nest in preorder: a loop precedes its body. Loops are numbered by depth; the
 * outermost is 0. */
struct bob_fold_nest_item {
	uint32_t items;		/* loop: number of following items that are its body; event: 0 */
	uint32_t depth;		/* number of enclosing loops */
	uint64_t trips;		/* of a loop, never 0 */
	uint32_t shape, words;	/* of an event */
	/* word w = base[w] + sum over d < depth of step[w * BOB_NEST_DEPTH + d] * index of loop
	 * d */
	const uint64_t *base, *step;
};

struct bob_fold_nests;

bob_status bob_fold_nests_open(const struct bob_folded *f, uint32_t participant,
			       struct bob_fold_nests **out);
void bob_fold_nests_close(struct bob_fold_nests *n); /* NULL is allowed */
/* Returns the next nest, or a single event (*count is 1). `items` are valid until the next call.
 * Errors: BOB_END, BOB_ERR_NOMEM, BOB_ERR_CORRUPT, as in bob_fold_cursor_next. */
bob_status bob_fold_nests_next(struct bob_fold_nests *n, const struct bob_fold_nest_item **items,
			       uint32_t *count);

#endif
