/* SPDX-License-Identifier: BSD-3-Clause */
/* State of a simulation; internal to this folder.
 *
 * A cache is an array of sets. A set is an array of *words* in LRU order, most recent first, empty
 * ones last; a word is line number << 3 | flags. So a hit on the most recent line moves nothing,
 * the victim is the last word, and equal states are equal bytes.
 *
 * The *directory* has each line that was ever accessed: one bit with one core, struct line_info
 * with several. Its `holders` may include cores that evicted the line silently; this is checked
 * when it matters. */
#ifndef BOB_ANALYSIS_CACHE_MODEL_H
#define BOB_ANALYSIS_CACHE_MODEL_H

#include "analysis/cache/cache.h"
#include "base/assert.h"
#include "base/host/map.h"

#define FLAG_DIRTY 1ull		/* must be written back */
/* no other core has it: E or M of MESI; always set in shared levels */
#define FLAG_OWN 2ull
#define FLAG_SHARED 4ull	/* L1: accessed by several cores, use of bytes is recorded */
#define FLAGS 7ull
#define EMPTY (~0ull)		/* no line: line numbers are below 2^60 */

struct cache_level {
	uint64_t *word;
	uint32_t *site;		/* site that brought in the line */
	uint64_t *read,
		*written; /* L1, several cores: granules accessed since the last report to the
			   * directory */
	uint64_t set_mask;
	uint32_t ways;
	uint32_t number;	/* 0 is L1 */
	int inclusive;
	/* number of lookups and write-backs; if unchanged, the state is unchanged */
	uint64_t used;
};

struct cache_core {
	struct cache_level level[BOB_CACHE_PRIVATE];
	uint32_t number;
};

struct line_info {
	uint64_t seen;		/* bit set: cores that ever accessed it */
	uint64_t holders;	/* superset of the cores that have it */
	uint64_t taken[BOB_CACHE_PRIVATE]; /* cores whose copy in this level a store invalidated */
	uint32_t users;		/* first of a list of struct line_user; 0: a single core */
	uint32_t unused;
};

/* Use by one core of a line that several cores accessed. */
struct line_user {
	uint64_t read, written;
	uint64_t foreign;	/* granules written by others since it lost its copy */
	uint32_t lost_thread, lost_site; /* store that invalidated its copy */
	uint32_t core;
	uint32_t next;		/* 0: none */
};

#define BLOCK_LINES 16u		/* of line_info per block */

struct directory {
	uint64_t *key;		/* page + 1; open addressing */
	uint64_t *value;	/* one core: bit set of lines; several: index of a block */
	uint64_t pages, capacity;
	uint64_t last_key;	/* most recent page + 1, or 0 */
	uint64_t last_slot;
	struct line_info **block; /* index 0 is unused */
	uint64_t blocks, block_capacity;
	struct line_user *user;	/* index 0 is unused */
	uint32_t users, user_capacity;
	uint64_t bytes, bytes_max;
};

struct sharing_table {
	BOB_MAP(struct bob_cache_sharing);
	uint64_t lost;
	int sorted;		/* `index` is then invalid */
};

/* Buffers for nests (nest.h), reused for all nests, most of which are small. */
struct nest_buffers {
	struct loop_info *info;
	uint32_t *site;
	struct bob_cache_site *before;
	uint32_t items, sites;	/* capacities */
};

struct bob_cache {
	struct bob_cache_config config;
	uint32_t threads, sites;
	uint32_t cores;		/* in use: at most the number of threads */
	uint32_t private_levels;
	uint32_t line_shift, granule_shift;
	int multi;		/* several cores are in use */
	bob_status status;	/* of the first failure */
	struct cache_core *core;
	uint8_t *core_of;	/* by thread */
	struct cache_level shared[BOB_CACHE_LEVELS];
	struct bob_cache_site *site; /* accesses to L1 are only those in addition to `accesses` */
	struct directory dir;
	struct sharing_table sharing;
	struct nest_buffers nest;
	uint64_t skipped;
	uint64_t slow;		/* accesses except plain L1 hits */
	uint64_t events;	/* changes of the directory */
};

/* Initiator of an access: core, thread, site. */
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

/* directory.c. NULL or 0: no memory, and c->status is set. */
struct line_info *bob_cache_line(struct bob_cache *c, uint64_t line);
struct line_info *bob_cache_line_known(const struct bob_cache *c,
				       uint64_t line); /* NULL: never accessed */
/* One core: marks the line as accessed. Returns whether it was before. */
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

/* hierarchy.c: access to one line. `mask`: its granules. */
void bob_cache_touch_slow(struct bob_cache *c, const struct cache_by *by, uint64_t line,
			  uint64_t mask, uint8_t type);

/* access.c: access to several lines. */
void bob_cache_straddle(struct bob_cache *c, const struct cache_by *by,
			const struct bob_cache_access *a);

/* Granules of `len` > 0 bytes at `offset` in a line. */
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

/* Access to one line, with an inline fast path for a plain hit. */
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

/* Arguments must be valid. 7 ns for a plain hit (bench/cache/bench_cache.c). */
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
