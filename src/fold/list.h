/* SPDX-License-Identifier: BSD-3-Clause */
/* A compact list of numbers in memory: *runs*, each an arithmetic progression. If most runs would
 * have one or two numbers, the list stores the numbers themselves, in as many bytes as the largest
 * needs. Lists hold what exists per participant, for up to a million: ids, counts of events,
 * members of sets.
 *
 * Equal sequences of numbers have equal representations. Immutable once built; owner: the blocks in
 * which it was built. */
#ifndef BOB_FOLD_LIST_H
#define BOB_FOLD_LIST_H

#include <string.h>

#include "fold/arena.h"

struct bob_run {
	uint64_t value, step;
	uint64_t first;		/* index of `value` */
};

struct bob_list {
	const struct bob_run *run; /* NULL: all numbers are in `plain` */
	const uint8_t *plain;
	uint32_t run_count, count;
	uint32_t width;		/* bytes per number in `plain`: 1, 2, 4, 8 */
};

/* --- building --- */

/* Empty if all is zero except `alloc`. */
struct bob_lister {
	struct bob_alloc alloc;
	struct bob_run *run;
	uint8_t *plain;
	uint32_t run_count, run_capacity, count, plain_capacity; /* plain_capacity: in numbers */
	uint32_t width;		/* of numbers in `plain`; 0: not used */
	int failed;
};

void bob_lister_put(struct bob_lister *l, uint64_t v);
/* Ends the list of the numbers since the beginning or the previous end; it lives in `blocks`.
 * Errors: BOB_ERR_NOMEM. */
bob_status bob_lister_end(struct bob_lister *l, struct bob_blocks *blocks, struct bob_list *out);
void bob_lister_free(struct bob_lister *l);

/* --- queries --- */

static inline uint64_t bob_list_plain(const uint8_t *plain, uint32_t width, uint32_t i)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	plain += (size_t)i * width;
	switch (width) {
	case 1:
		return *plain;
	case 2:
		memcpy(&two, plain, sizeof(two));
		return two;
	case 4:
		memcpy(&four, plain, sizeof(four));
		return four;
	default:
		memcpy(&eight, plain, sizeof(eight));
		return eight;
	}
}

/* Number `i` < count. Binary search over the runs. */
uint64_t bob_list_at(const struct bob_list *l, uint32_t i);
/* In a list of ascending numbers: how many are less than `v`. For other lists the result is
 * meaningless, but at most the count. */
uint32_t bob_list_below(const struct bob_list *l, uint64_t v);
int bob_list_same(const struct bob_list *a, const struct bob_list *b);
uint64_t bob_list_hash(const struct bob_list *l);

/* Sequential iteration: bob_list_begin, then bob_list_next at most once for each number from
 * there. */
struct bob_list_walk {
	const struct bob_list *list;
	const struct bob_run *run;	/* the next run */
	uint64_t value, step;		/* the next number */
	uint32_t at, left;		/* index of the next number; numbers left in this run */
};

void bob_list_begin(struct bob_list_walk *w, const struct bob_list *l, uint32_t from);
void bob_list_turn(struct bob_list_walk *w);

static inline uint64_t bob_list_next(struct bob_list_walk *w)
{
	uint64_t v;

	if (!w->list->run)
		return bob_list_plain(w->list->plain, w->list->width, w->at++);
	if (!w->left)
		bob_list_turn(w);
	v = w->value;
	w->value += w->step;
	w->left--;
	w->at++;
	return v;
}

#endif
