/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulation of a loop nest: preparation (nest_look.c), then the run (nest.c). The model owns the
 * buffers and reuses them. Threads: one. */
#ifndef BOB_ANALYSIS_CACHE_NEST_H
#define BOB_ANALYSIS_CACHE_NEST_H

#include "analysis/cache/model.h"

#define LEAF_MAX 64u		/* accesses of a leaf loop, whose addresses are kept */

struct loop_info {
	uint32_t depth;
	uint32_t first_site, sites; /* unique sites of the body */
	uint8_t leaf;		/* the body has only accesses, not too many */
	uint8_t fixed;		/* no inner trip count depends on its index */
};

/* Copy of the caches that one core can reach, and their use counts. */
struct snapshot {
	void *bytes;
	size_t capacity;
	uint64_t used[BOB_CACHE_LEVELS];
	uint32_t levels;	/* bit set: levels in `bytes` */
};

struct nest {
	struct bob_cache *c;
	struct cache_core *core;
	uint32_t thread;
	const struct bob_cache_item *item;
	struct loop_info *info;	/* by item; unused for accesses */
	uint32_t *site;
	struct bob_cache_site *before; /* by depth: counts of the body's sites */
	uint32_t site_capacity;
	struct snapshot snapshot[BOB_CACHE_DEPTH];
	uint64_t idx[BOB_CACHE_DEPTH];
};

/* Checks the `count` items at n->item, and sets n->info and n->site for each loop. BOB_ERR_INVAL:
 * they are no nest; BOB_ERR_NOMEM. */
bob_status bob_cache_nest_look(struct nest *n, uint32_t count);

#endif
