/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal interface of event_nests.c and event_nest.c: converts a nest of leaves to a nest of
 * events. */
#ifndef BOB_ARCHIVE_EVENT_NEST_H
#define BOB_ARCHIVE_EVENT_NEST_H

#include "archive/events/event_nests.h"
#include "archive/events/event_values.h"
#include "fold/nests.h"

#define BOB_EVENT_NEST_ITEMS (BOB_NEST_DEPTH + BOB_NEST_ITEMS + 1)

/* An item that is an event. The elements of its vectors are the following items of the fold's nest,
 * possibly in loops. */
struct bob_event_nest_part {
	struct bob_event_def def;	/* without a path */
	uint32_t leaf;			/* its item in the fold's nest */
	uint32_t path;
	uint32_t first, end;		/* range of its elements in `place` */
};

struct bob_event_nest {
	const struct bob_folded *folded;
	const struct bob_fold_nest_item *fold;
	const struct bob_value_event *alone; /* a single event; then the other members are unused */
	/* number of outer loops of the fold's nest that are fixed at the iterations `at` */
	uint32_t still;
	uint64_t at[BOB_NEST_DEPTH];
	uint32_t count, places;
	struct bob_event_nest_item item[BOB_EVENT_NEST_ITEMS];
	struct bob_event_nest_part part[BOB_EVENT_NEST_ITEMS];
	uint32_t place[BOB_EVENT_NEST_ITEMS]; /* items of the fold's nest that are elements */
	/* the event whose elements are expected next */
	uint32_t gathers;		/* its item + 1; 0: none */
	uint32_t vector;
	uint64_t left;
	struct bob_event_values words, path; /* buffers of bob_event_nest_get */
};

/* Converts the loop `item` of the fold's nest, with the `still` enclosing loops fixed. Returns 0
 * unless each iteration consists of whole events. */
int bob_event_nest_make(struct bob_event_nest *n, uint32_t item);
/* Makes a nest of one event. */
void bob_event_nest_set(struct bob_event_nest *n, const struct bob_value_event *e);
void bob_event_nest_free(struct bob_event_nest *n);
/* Computes the values of a leaf of the fold's nest at the iterations `at`. Returns 0 if memory is
 * exhausted. */
int bob_event_nest_leaf(const struct bob_fold_nest_item *leaf, const uint64_t *at,
			struct bob_event_values *to);

#endif
