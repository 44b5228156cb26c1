/* SPDX-License-Identifier: BSD-3-Clause */
/* Homes while they are searched: of homes.c, homes_order.c and homes_spine.c only. */
#ifndef BOB_ANALYSIS_HOMES_PRIVATE_H
#define BOB_ANALYSIS_HOMES_PRIVATE_H

#include "analysis/homes.h"

/* An item while homes are searched. */
struct place {
	struct bob_home pub;
	uint64_t weight;	/* how often its home executes it */
	uint64_t position;	/* in the home */
	uint64_t at_spine;	/* how often it is an item of the spine */
	uint64_t spine_first, spine_last; /* the first and the last position where it is so */
	uint32_t item;
	uint32_t united;	/* of a loop: the loop that has its items; itself if none */
	uint32_t in_body;	/* how often it is in the body that is being read */
	int is_code;		/* a shape that is, or a loop of such */
};

struct bob_homes {
	const struct bob_folded *folded;
	uint32_t shapes, loops, items, first;
	uint32_t found;		/* loops found in the spine: numbers from `loops` on */
	struct place *at;	/* by item; the loops found in the spine follow */
	uint64_t *shape, *loop;	/* bob_folded_counts */
	uint64_t spine;		/* items of the spine so far */
};

static inline struct place *loop_at(struct bob_homes *h, uint32_t loop)
{
	return &h->at[2 * loop + 1];
}

static inline const uint32_t *body_of(const struct bob_homes *h, uint32_t loop, uint32_t *len)
{
	return bob_folded_body(h->folded, loop, len);
}

/* The loop that has the items of a united loop: itself if it is not united. */
static inline uint32_t united(struct bob_homes *h, uint32_t loop)
{
	while (loop != BOB_HOME_SPINE && loop_at(h, loop)->united != loop)
		loop = loop_at(h, loop)->united;
	return loop;
}

/* Orders the items of each home, when loops are united. Reads the spine once more. */
bob_status bob_homes_set_order(struct bob_homes *h, uint32_t participant, uint32_t part);
/* Finds the loops of the program whose items are all in the spine. */
bob_status bob_homes_find_loops(struct bob_homes *h);

#endif
