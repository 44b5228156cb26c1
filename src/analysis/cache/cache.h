/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulates what caches do with a sequence of accesses: a hierarchy of set-associative caches with
 * coherence between cores. The rules, and what no such model can answer, are in docs/cache.md; in
 * short:
 *
 *   LRU, write-allocate, write-back; indices are address bits. A miss fills all levels on its way.
 *   Thread t runs on core t mod cores. Private levels are kept coherent by MESI; no prefetching.
 *   An access that straddles lines is one of each line.
 *
 * Whatever happens is counted for the *site* of the access, a number of the caller's (an
 * instruction, a function, a line of source, a variable).
 *
 * Owner: the caller; bob_cache_destroy frees. Threads: one object, one thread. The same accesses in
 * the same order give the same counts, whichever functions below they are passed to. Memory: 12
 * bytes a line of the caches; for each line that the program accesses one bit (one core) or 40
 * bytes (several). */
#ifndef BOB_ANALYSIS_CACHE_H
#define BOB_ANALYSIS_CACHE_H

#include "analysis/cache/config.h"

enum bob_cache_type {		/* as enum bob_mem_type */
		      BOB_CACHE_LOAD = 0,
		      BOB_CACHE_STORE = 1,
		      BOB_CACHE_ATOMIC = 2 /* reads and writes: a store that is counted apart */
};

struct bob_cache;

#define BOB_CACHE_THREADS_MAX 65536u
#define BOB_CACHE_SITES_MAX (1u << 22)

struct bob_cache_options {
	size_t size;		/* of this struct */
	uint32_t threads;	/* their numbers are below; 0: 1 */
	uint32_t sites;		/* likewise; 0: 1. Each costs 400 bytes */
	/* most that is used for what is known of the program's lines; 0: 4 GiB */
	uint64_t memory_bytes;
};

/* Errors: INVAL (bob_cache_config_check says why), NOMEM. */
bob_status bob_cache_create(const struct bob_cache_config *config,
			    const struct bob_cache_options *options, struct bob_cache **out);
void bob_cache_destroy(struct bob_cache *c); /* NULL is allowed */
/* From now on sites are below `sites`, where that is more than before. Errors: INVAL (too many),
 * NOMEM. */
bob_status bob_cache_more_sites(struct bob_cache *c, uint32_t sites);

/* --- accesses --- all three: BOB_ERR_INVAL (a number is out of range; nothing happened),
 * BOB_ERR_NOMEM, BOB_ERR_FULL (memory_bytes); after the latter two all further calls fail
 * likewise. */

struct bob_cache_access {
	uint64_t address;
	uint32_t thread;
	uint32_t site;
	uint16_t size;		/* bytes, not 0 */
	uint8_t type;		/* enum bob_cache_type */
};

bob_status bob_cache_access(struct bob_cache *c, const struct bob_cache_access *a);

/* The same as `count` accesses whose addresses progress by `stride`, but what stays within a line
 * is counted, not simulated. */
bob_status bob_cache_run(struct bob_cache *c, const struct bob_cache_access *first, int64_t stride,
			 uint64_t count);

/* A loop nest, as a row of items in which a loop precedes its body. Loops are numbered by depth:
 * index 0 is that of the outermost loop around an item. */
#define BOB_CACHE_DEPTH 8u
#define BOB_CACHE_ITEMS_MAX 65536u

struct bob_cache_item {
	/* of a loop: how many of the following are its body; 0: an access */
	uint32_t items;
	uint32_t site;		/* of the access */
	uint16_t size;
	uint8_t type;
	/* address of the access, or trip count of the loop (below 0: none), at index 0 of all
	 * loops; and how much it grows with each index, outermost first */
	uint64_t base;
	int64_t step[BOB_CACHE_DEPTH];
};

/* The same as all accesses of the nest one by one, in order. What need not be simulated is not:
 * iterations that touch the same lines as the one before and change nothing any more. */
bob_status bob_cache_nest(struct bob_cache *c, uint32_t thread, const struct bob_cache_item *items,
			  uint32_t count);

/* --- results --- */

enum bob_cache_cause {
	BOB_CACHE_COLD,		/* the line was never in this cache */
	/* it was, and was evicted: too little capacity, or too few ways */
	BOB_CACHE_REPLACED,
	BOB_CACHE_COHERENCE,	/* it was, until another core wrote to it */
	BOB_CACHE_CAUSES
};

/* Of one level. [0]: loads, [1]: stores and atomics. */
struct bob_cache_counts {
	uint64_t accesses[2];	/* lines looked up, not lines written back into the level */
	uint64_t misses[2][BOB_CACHE_CAUSES];
	uint64_t evictions;	/* lines evicted for what this site accessed */
	uint64_t victims;	/* evicted lines that this site had brought in */
	/* changed lines that it made leave, to the next level or to memory */
	uint64_t write_backs;
	uint64_t dropped;	/* copies above this inclusive level that left with its evictions */
};

struct bob_cache_site {
	uint64_t accesses[3];	/* by type */
	uint64_t straddles;	/* of these, accesses of more than one line */
	uint64_t upgrades;	/* stores to lines that other cores may have had, too */
	uint64_t invalidations;	/* copies of other cores that stores ended */
	uint64_t transfers;	/* misses for which another core had the line */
	/* misses after another core's store: it wrote bytes that are wanted, */
	uint64_t true_sharing;
	uint64_t false_sharing;	/* or others of the line */
	struct bob_cache_counts level[BOB_CACHE_LEVELS];
};

static inline uint64_t bob_cache_accesses(const struct bob_cache_site *s)
{
	return s->accesses[0] + s->accesses[1] + s->accesses[2];
}

/* BOB_ERR_INVAL: no such site. */
bob_status bob_cache_site(const struct bob_cache *c, uint32_t site, struct bob_cache_site *out);
/* The sum over all sites. */
void bob_cache_total(const struct bob_cache *c, struct bob_cache_site *out);
/* Adds the counts of `more` to those of `sum`. */
void bob_cache_add(struct bob_cache_site *sum, const struct bob_cache_site *more);
/* Accesses that were counted without being simulated. */
uint64_t bob_cache_skipped(const struct bob_cache *c);

/* Coherence misses: which thread and site missed a line because another one had written to it. One
 * row for each combination. */
struct bob_cache_sharing {
	uint64_t line;		/* address of its first byte */
	uint32_t thread, site;	/* of the miss */
	uint32_t by_thread, by_site; /* of the store that ended the copy */
	uint64_t true_misses, false_misses;
};

#define BOB_CACHE_SHARING_MAX (1u << 20)

/* Sorted by misses, most first, then by the other members. Borrowed until the next access. At most
 * BOB_CACHE_SHARING_MAX are distinguished; *lost are the misses of the others. */
void bob_cache_sharing(struct bob_cache *c, const struct bob_cache_sharing **rows, size_t *count,
		       uint64_t *lost);

/* Which bytes of a line a core read and wrote since a second core first wanted the line. Bit i is
 * `granule` bytes from offset i * granule; a granule is a byte for lines up to 64 bytes. */
struct bob_cache_use {
	uint32_t core;
	uint64_t read, written;
};

/* Cores by number, as many as fit; returns how many there are. 0: the line is of one core. */
uint32_t bob_cache_line_use(const struct bob_cache *c, uint64_t line, struct bob_cache_use *out,
			    uint32_t capacity, uint32_t *granule);

#endif
