/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread's events with values in order, like a bob_value_cursor, but loops whose values are all
 * affine are returned as nests (fold/nests.h), in which an event and the elements of its vectors
 * are one item. For callers that process a nest faster than its events: the work depends on the
 * number of nests, not of events.
 *
 * Threads: one thread per visit. Owner: a visitor borrows its arguments until it returns. */
#ifndef BOB_ARCHIVE_EVENT_NESTS_H
#define BOB_ARCHIVE_EVENT_NESTS_H

#include "bobbin/trace.h"

#define BOB_EVENT_NEST_DEPTH 6u

/* An item in preorder: a loop precedes its body. Loops are numbered by depth; the outermost is
 * 0. */
struct bob_event_nest_item {
	uint32_t items;		/* loop: number of following items that are its body; event: 0 */
	uint32_t depth;		/* number of enclosing loops */
	uint64_t trips;		/* of a loop, never 0 */
	uint64_t times;		/* total number of occurrences of an event: product of the trip
				 * counts of its loops */
	/* members of an event: */
	const uint8_t *key;
	size_t key_len;
	uint32_t words, vectors;
	int open;		/* the events never completed */
};

struct bob_event_nest;

/* A single event is a nest of one item. */
const struct bob_event_nest_item *bob_event_nest_items(const struct bob_event_nest *n,
						       uint32_t *count);
/* Computes event `item` at the iterations `at` (from 0, outermost loop first). Valid until the next
 * call. Errors: BOB_ERR_NOMEM. */
bob_status bob_event_nest_get(struct bob_event_nest *n, uint32_t item, const uint64_t *at,
			      struct bob_value_event *e);
/* Change of a word per iteration of the loop of that depth. */
uint64_t bob_event_nest_step(const struct bob_event_nest *n, uint32_t item, uint32_t word,
			     uint32_t depth);
/* The same for word `word` of the elements of a vector; returns 0 if it differs between elements.
 * Lengths of vectors are constant. */
int bob_event_nest_element_step(const struct bob_event_nest *n, uint32_t item, uint32_t vector,
				uint32_t word, uint32_t depth, uint64_t *step);
/* Calls `each` for all events of the nest, in order, until it returns anything except BOB_OK. */
typedef bob_status (*bob_event_nest_fn)(void *ctx, uint32_t item, const struct bob_value_event *e);
bob_status bob_event_nest_each(struct bob_event_nest *n, bob_event_nest_fn each, void *ctx);

/* Calls `visit` for each nest until it returns anything except BOB_OK, and returns that. Otherwise
 * BOB_OK; BOB_NONE: the thread has no events of that kind; BOB_ERR_CORRUPT: some data is damaged,
 * the rest was visited; BOB_ERR_NOMEM; BOB_ERR_INVAL: no such thread. */
typedef bob_status (*bob_event_nest_visit_fn)(void *ctx, struct bob_event_nest *n);
bob_status bob_event_nests_visit(const struct bob_trace *t, uint32_t thread,
				 enum bob_value_kind kind, bob_event_nest_visit_fn visit, void *ctx,
				 struct bob_error *err);

#endif
