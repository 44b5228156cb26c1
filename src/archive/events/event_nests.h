/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread's events with values, in order, like those of a bob_value_cursor -- but loops of them
 * whose values are all affine come at once, as nests (fold/nests.h) in which an event and the
 * elements of its vectors are one item. It is for callers that process a nest in less time than its
 * events: the work depends on the number of nests, not of events.
 *
 * Threads: one visit, one thread. Owner: what a visitor gets is borrowed until it returns. */
#ifndef BOB_ARCHIVE_EVENT_NESTS_H
#define BOB_ARCHIVE_EVENT_NESTS_H

#include "bobbin/trace.h"

#define BOB_EVENT_NEST_DEPTH 6u

/* Items in the order of the program, a loop before its body; loops around an item are numbered by
 * depth, the outermost is 0. */
struct bob_event_nest_item {
	uint32_t items;		/* of a loop: how many of the following are its body; 0: an event */
	uint32_t depth;		/* loops around it */
	uint64_t trips;		/* of a loop, never 0 */
	uint64_t times;		/* how often an event comes, all loops around it together */
	/* of an event */
	const uint8_t *key;
	size_t key_len;
	uint32_t words, vectors;
	int open;		/* it never completed */
};

struct bob_event_nest;

/* A single event is a nest of one item. */
const struct bob_event_nest_item *bob_event_nest_items(const struct bob_event_nest *n,
						       uint32_t *count);
/* Event `item` where the loops around it are in the iterations `at` (from 0, the outermost loop's
 * first). Valid until the next call. BOB_ERR_NOMEM. */
bob_status bob_event_nest_get(struct bob_event_nest *n, uint32_t item, const uint64_t *at,
			      struct bob_value_event *e);
/* How a word changes from one iteration of the loop of that depth to the next, whatever the others
 * do. */
uint64_t bob_event_nest_step(const struct bob_event_nest *n, uint32_t item, uint32_t word,
			     uint32_t depth);
/* The same of word `word` of each element of a vector; 0: not all of them change by the same. The
 * length of a vector never changes. */
int bob_event_nest_element_step(const struct bob_event_nest *n, uint32_t item, uint32_t vector,
				uint32_t word, uint32_t depth, uint64_t *step);
/* All events of the nest one by one, in order, until `each` returns what is not BOB_OK. */
typedef bob_status (*bob_event_nest_fn)(void *ctx, uint32_t item, const struct bob_value_event *e);
bob_status bob_event_nest_each(struct bob_event_nest *n, bob_event_nest_fn each, void *ctx);

/* `visit` gets nests until it returns what is not BOB_OK; that is returned then. Else BOB_OK;
 * BOB_NONE: the thread has no events of that kind; BOB_ERR_CORRUPT: something is damaged, the rest
 * was visited. BOB_ERR_NOMEM, BOB_ERR_INVAL (no such thread). */
typedef bob_status (*bob_event_nest_visit_fn)(void *ctx, struct bob_event_nest *n);
bob_status bob_event_nests_visit(const struct bob_trace *t, uint32_t thread,
				 enum bob_value_kind kind, bob_event_nest_visit_fn visit, void *ctx,
				 struct bob_error *err);

#endif
