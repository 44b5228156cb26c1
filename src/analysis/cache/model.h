/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a simulation, for the files of this folder.
 *
 * A cache is an array of sets, a set an array of *words* in order of recency, the most recent
 * first, empty ones last: line number << 3 | flags. So a hit on the most recent line moves nothing,
 * the victim is the last word, and equal states are equal bytes.
 *
 * The *directory* has each line that was ever accessed: one bit with one core, struct line_info
 * with several. Its `holders` may include cores that evicted the line silently; they are checked
 * when it matters. */
#ifndef BOB_ANALYSIS_CACHE_MODEL_H
#define BOB_ANALYSIS_CACHE_MODEL_H

#include "analysis/cache/cache.h"
#include "base/assert.h"
#include "base/host/map.h"

#define FLAG_DIRTY 1ull		/* to be written back */
/* no other core has it: E or M of MESI; always set in shared levels */
#define FLAG_OWN 2ull
#define FLAG_SHARED 4ull	/* L1: a second core has accessed it, so users are known by byte */
#define FLAGS 7ull
#define EMPTY (~0ull)		/* no line: lines are numbers below 2^60, so it equals none */

struct cache_level {
	uint64_t *word;
	uint32_t *site;		/* that brought the line */
	uint64_t *read,
		*written; /* granules since the last report to the directory; L1, several cores */
	uint64_t set_mask;
	uint32_t ways;
	uint32_t number;	/* 0 is L1 */
	int inclusive;
	/* lookups and write-backs so far: unchanged, then so is the state */
	uint64_t used;
};

struct cache_core {
	struct cache_level level[BOB_CACHE_PRIVATE];
	uint32_t number;
};

struct line_info {
	uint64_t seen;		/* cores that ever wanted it */
	uint64_t holders;	/* cores that have it, and perhaps more */
	uint64_t taken[BOB_CACHE_PRIVATE]; /* cores whose copy in this level was ended by a store */
	uint32_t users;		/* first of a list of struct line_user; 0: one core only */
	uint32_t unused;
};

/* What a core did with a line that several have wanted. */
struct line_user {
	uint64_t read, written;
	uint64_t foreign;	/* written by others since it lost its copy */
	uint32_t lost_thread, lost_site; /* to whom it lost its copy */
	uint32_t core;
	uint32_t next;		/* 0: none */
};

#define BLOCK_LINES 16u		/* of line_info, allocated together */

struct directory {
	uint64_t *key;		/* page + 1; open addressing */
	uint64_t *value;	/* one core: a bit a line; several: index of a block */
	uint64_t pages, capacity;
	uint64_t last_key;	/* most recent page, or 0 */
	uint64_t last_slot;
	struct line_info **block; /* index 0 is not used */
	uint64_t blocks, block_capacity;
	struct line_user *user;	/* index 0 is not used */
	uint32_t users, user_capacity;
	uint64_t bytes, bytes_max;
};

struct sharing_table {
	BOB_MAP(struct bob_cache_sharing);
	uint64_t lost;
	int sorted;		/* `index` is not valid then */
};

/* Buffers for nests (nest.h), kept from one nest to the next: most are small. */
struct nest_buffers {
	struct loop_info *info;
	uint32_t *site;
	struct bob_cache_site *before;
	uint32_t items, sites;	/* how much there is */
};

struct bob_cache {
	struct bob_cache_config config;
	uint32_t threads, sites;
	uint32_t cores;		/* that are used: no more than threads */
	uint32_t private_levels;
	uint32_t line_shift, granule_shift;
	int multi;		/* more than one core is used */
	bob_status status;	/* of the first failure */
	struct cache_core *core;
	uint8_t *core_of;	/* by thread */
	struct cache_level shared[BOB_CACHE_LEVELS];
	struct bob_cache_site
		*site; /* accesses of L1 are only those that `accesses` does not imply */
	struct directory dir;
	struct sharing_table sharing;
	struct nest_buffers nest;
	uint64_t skipped;
	uint64_t slow;		/* touches that were no plain L1 hit */
	uint64_t events;	/* changes of the directory */
};

/* What is being done, passed along. */
struct cache_by {
	struct cache_core *core;
	uint32_t thread, site;
};

static inline struct cache_level *level_of(struct bob_cache *c, struct cache_core *core, uint32_t k)
{
	return k < c->private_levels ? &core->level[k] : &c->shared[k - c->private_levels];
}

static inline uint64_t set_index(const struct cache_level *l, uint64_t line)
{
	return (line & l->set_mask) * l->ways;
}

static inline uint64_t *set_of(const struct cache_level *l, uint64_t line)
{
	return l->word + set_index(l, line);
}

/* Index among all words of the level, or -1. */
static inline int64_t cache_find(const struct cache_level *l, uint64_t line)
{
	const uint64_t *set = set_of(l, line);

	for (uint32_t i = 0; i < l->ways; i++)
		if ((set[i] & ~FLAGS) == line << 3)
			return set - l->word + i;
	return -1;
}

/* directory.c. NULL or 0: no memory, c->status says so. */
struct line_info *bob_cache_line(struct bob_cache *c, uint64_t line);
struct line_info *bob_cache_line_known(const struct bob_cache *c,
				       uint64_t line); /* NULL: never touched */
/* One core: was the line touched before? It is now. */
int bob_cache_touch_first(struct bob_cache *c, uint64_t line);
struct line_user *bob_cache_user(const struct bob_cache *c, const struct line_info *e,
				 uint32_t core);
struct line_user *bob_cache_user_add(struct bob_cache *c, struct line_info *e, uint32_t core);
bob_status bob_cache_directory_init(struct bob_cache *c, uint64_t bytes_max);
void bob_cache_directory_fini(struct directory *d);

/* sharing.c */
void bob_cache_sharing_count(struct bob_cache *c, uint64_t line, const struct cache_by *by,
			     const struct line_user *user, int is_true);
void bob_cache_sharing_fini(struct sharing_table *t);

/* nest_look.c */
void bob_cache_nest_fini(struct nest_buffers *buffers);

/* hierarchy.c: one line. `mask` are the granules of it. */
void bob_cache_touch_slow(struct bob_cache *c, const struct cache_by *by, uint64_t line,
			  uint64_t mask, uint8_t type);

/* access.c: an access of more than one line. */
void bob_cache_straddle(struct bob_cache *c, const struct cache_by *by,
			const struct bob_cache_access *a);

/* The granules of `len` > 0 bytes at `offset` in a line. */
static inline uint64_t cache_mask(const struct bob_cache *c, uint64_t offset, uint64_t len)
{
	uint64_t first = offset >> c->granule_shift, last = (offset + len - 1) >> c->granule_shift;

	return ~0ull >> (63 - (last - first)) << first;
}

static inline void cache_mark(struct cache_level *l1, uint64_t at, uint64_t mask, uint8_t type)
{
	if (type != BOB_CACHE_STORE)
		l1->read[at] |= mask;
	if (type != BOB_CACHE_LOAD)
		l1->written[at] |= mask;
}

/* One line; the plain hit inline. */
static inline void cache_touch(struct bob_cache *c, const struct cache_by *by, uint64_t line,
			       uint64_t mask, uint8_t type)
{
	struct cache_level *l1 = &by->core->level[0];
	uint64_t *set = set_of(l1, line);
	uint64_t word = set[0];

	if ((word & ~FLAGS) != line << 3 || (type && !(word & FLAG_OWN))) {
		bob_cache_touch_slow(c, by, line, mask, type);
		return;
	}
	if (type)
		set[0] = word | FLAG_DIRTY;
	if (c->multi)
		cache_mark(l1, (uint64_t)(set - l1->word), mask, type);
}

static inline int cache_valid(const struct bob_cache *c, const struct bob_cache_access *a)
{
	return a->thread < c->threads && a->site < c->sites && a->size &&
	       a->type <= BOB_CACHE_ATOMIC;
}

/* Arguments are valid. 7 ns for a plain hit (bench/cache/bench_cache.c). */
static inline void cache_access(struct bob_cache *c, struct cache_core *core,
				const struct bob_cache_access *a)
{
	struct cache_by by = { core, a->thread, a->site };
	uint64_t offset = a->address & (c->config.line_bytes - 1);

	c->site[a->site].accesses[a->type]++;
	if (a->size > c->config.line_bytes - offset)
		bob_cache_straddle(c, &by, a);
	else
		cache_touch(c, &by, a->address >> c->line_shift,
			    c->multi ? cache_mask(c, offset, a->size) : 0, a->type);
}

#endif
