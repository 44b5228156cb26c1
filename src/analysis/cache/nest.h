/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulates a nest of loops: preparation (nest_look.c), then the run (nest.c). The model owns the
 * buffers and keeps them from one nest to the next. Threads: one. */
#ifndef BOB_ANALYSIS_CACHE_NEST_H
#define BOB_ANALYSIS_CACHE_NEST_H

#include "analysis/cache/model.h"

#define LEAF_MAX 64u		/* accesses of a loop that are kept by address */

struct loop_info {
	uint32_t depth;
	uint32_t first_site, sites; /* those of the body, once each */
	uint8_t leaf;		/* the body has accesses only, not too many */
	uint8_t fixed;		/* no trip count inside depends on its index */
};

/* The state of the caches one core can reach, and what was done until then. */
struct snapshot {
	void *bytes;
	size_t capacity;
	uint64_t used[BOB_CACHE_LEVELS];
	uint32_t levels;	/* bits: which are in `bytes` */
};

struct nest {
	struct bob_cache *c;
	struct cache_core *core;
	uint32_t thread;
	const struct bob_cache_item *item;
	struct loop_info *info;	/* by item; not set for accesses */
	uint32_t *site;
	struct bob_cache_site *before; /* by depth: counts of the body's sites */
	uint32_t site_capacity;
	struct snapshot snapshot[BOB_CACHE_DEPTH];
	uint64_t idx[BOB_CACHE_DEPTH];
};

/* Checks the `count` items at n->item, and fills n->info with the properties of each loop and
 * n->site with the sites of its body. BOB_ERR_INVAL: they are no nest; BOB_ERR_NOMEM. */
bob_status bob_cache_nest_look(struct nest *n, uint32_t count);

#endif
