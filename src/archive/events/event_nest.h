/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to event_nests.c and event_nest.c: the conversion of a fold's nest to a nest of events. */
#ifndef BOB_ARCHIVE_EVENT_NEST_H
#define BOB_ARCHIVE_EVENT_NEST_H

#include "archive/events/event_nests.h"
#include "archive/events/event_values.h"
#include "fold/nests.h"

#define BOB_EVENT_NEST_ITEMS (BOB_NEST_DEPTH + BOB_NEST_ITEMS + 1)

/* Of an item that is an event. Elements of its vectors are the following items of the fold's nest,
 * in loops or not. */
struct bob_event_nest_part {
	struct bob_event_def def;	/* without a path */
	uint32_t leaf;			/* its item in the fold's nest */
	uint32_t path;
	uint32_t first, end;		/* its elements, of `place` */
};

struct bob_event_nest {
	const struct bob_folded *folded;
	const struct bob_fold_nest_item *fold;
	const struct bob_value_event
		*alone; /* the one event; then the rest of this struct does not count */
	/* loops of the fold's nest, the outer ones, that are in these iterations */
	uint32_t still;
	uint64_t at[BOB_NEST_DEPTH];
	uint32_t count, places;
	struct bob_event_nest_item item[BOB_EVENT_NEST_ITEMS];
	struct bob_event_nest_part part[BOB_EVENT_NEST_ITEMS];
	uint32_t place[BOB_EVENT_NEST_ITEMS]; /* items of the fold's nest that are elements */
	/* the event whose elements are expected */
	uint32_t gathers;		/* its item, + 1; 0: none */
	uint32_t vector;
	uint64_t left;
	struct bob_event_values words, path; /* of the event that was got last */
};

/* The loop `item` of the fold's nest, with the `still` loops around it held constant: its
 * iterations, all of them with whole events. 0: an iteration has a part of an event. */
int bob_event_nest_make(struct bob_event_nest *n, uint32_t item);
/* One event alone. */
void bob_event_nest_set(struct bob_event_nest *n, const struct bob_value_event *e);
void bob_event_nest_free(struct bob_event_nest *n);
/* The values of a leaf of the fold's nest where its loops are in the iterations `at`. */
int bob_event_nest_leaf(const struct bob_fold_nest_item *leaf, const uint64_t *at,
			struct bob_event_values *to);

#endif
