/* SPDX-License-Identifier: BSD-3-Clause */
/* Cache simulation: a hierarchy of set-associative caches with coherence between cores.
 * docs/cache.md has the rules and the limits of the model; in short:
 *
 *   LRU, write-allocate, write-back; indices are address bits. A miss fills all levels on its way.
 *   Thread t runs on core t mod cores. Private levels are kept coherent by MESI; no prefetching.
 *   An access that straddles lines counts as one access to each line.
 *
 * All events are counted for the *site* of the access, a number defined by the caller (an
 * instruction, a function, a source line, a variable).
 *
 * Owner: the caller; bob_cache_destroy frees. Threads: one object, one thread. The same accesses in
 * the same order give the same counts, independent of the functions that receive them. Memory: 12
 * bytes per line of the caches; for each line that the program accesses one bit (one core) or 40
 * bytes (several). */
#ifndef BOB_ANALYSIS_CACHE_H
#define BOB_ANALYSIS_CACHE_H

#include "analysis/cache/config.h"

enum bob_cache_type {		/* as enum bob_mem_type */
		      BOB_CACHE_LOAD = 0,
		      BOB_CACHE_STORE = 1,
		      BOB_CACHE_ATOMIC = 2 /* read-modify-write: a store that is counted
					    * separately */
};

struct bob_cache;

#define BOB_CACHE_THREADS_MAX 65536u
#define BOB_CACHE_SITES_MAX (1u << 22)

struct bob_cache_options {
	size_t size;		/* of this struct */
	uint32_t threads;	/* upper bound of thread numbers; 0: 1 */
	uint32_t sites;		/* upper bound of site numbers; 0: 1. Each costs 400 bytes */
	/* memory limit of the directory of the program's lines; 0: 4 GiB */
	uint64_t memory_bytes;
};

/* Errors: BOB_ERR_INVAL (bob_cache_config_check has the reason), BOB_ERR_NOMEM. */
bob_status bob_cache_create(const struct bob_cache_config *config,
			    const struct bob_cache_options *options, struct bob_cache **out);
void bob_cache_destroy(struct bob_cache *c); /* NULL is allowed */
/* Raises the upper bound of site numbers to `sites`. Errors: BOB_ERR_INVAL (too many),
 * BOB_ERR_NOMEM. */
bob_status bob_cache_more_sites(struct bob_cache *c, uint32_t sites);

/* --- accesses ---
 * All three functions: BOB_ERR_INVAL (a number is out of range; nothing was simulated),
 * BOB_ERR_NOMEM, BOB_ERR_FULL (memory_bytes). After the latter two, all further calls fail in the
 * same way. */

struct bob_cache_access {
	uint64_t address;
	uint32_t thread;
	uint32_t site;
	uint16_t size;		/* bytes, not 0 */
	uint8_t type;		/* enum bob_cache_type */
};

bob_status bob_cache_access(struct bob_cache *c, const struct bob_cache_access *a);

/* Equivalent to `count` accesses whose addresses progress by `stride`. Repeated accesses within a
 * line are counted without simulation. */
bob_status bob_cache_run(struct bob_cache *c, const struct bob_cache_access *first, int64_t stride,
			 uint64_t count);

/* A loop nest as a sequence of items in preorder: a loop precedes its body. Loops are numbered by
 * depth: index 0 is that of the outermost loop around an item. */
#define BOB_CACHE_DEPTH 8u
#define BOB_CACHE_ITEMS_MAX 65536u

struct bob_cache_item {
	/* loop: number of following items that are its body; access: 0 */
	uint32_t items;
	uint32_t site;		/* of the access */
	uint16_t size;
	uint8_t type;
	/* address of the access, or trip count of the loop (negative: none), if all indices are 0;
	 * and its increment per index, outermost first */
	uint64_t base;
	int64_t step[BOB_CACHE_DEPTH];
};

/* Equivalent to all accesses of the nest in order. Iterations that access the same lines as the
 * previous one and do not change the state are not simulated. */
bob_status bob_cache_nest(struct bob_cache *c, uint32_t thread, const struct bob_cache_item *items,
			  uint32_t count);

/* --- results --- */

enum bob_cache_cause {
	BOB_CACHE_COLD,		/* the line was never in this cache */
	/* evicted: insufficient capacity or associativity */
	BOB_CACHE_REPLACED,
	BOB_CACHE_COHERENCE,	/* invalidated by another core's store */
	BOB_CACHE_CAUSES
};

/* Counts of one level. [0]: loads, [1]: stores and atomics. */
struct bob_cache_counts {
	uint64_t accesses[2];	/* lines looked up, without write-backs into the level */
	uint64_t misses[2][BOB_CACHE_CAUSES];
	uint64_t evictions;	/* lines evicted by fills for this site */
	uint64_t victims;	/* evicted lines that this site had brought in */
	/* dirty lines that fills for this site wrote back to the next level or memory */
	uint64_t write_backs;
	uint64_t dropped;	/* copies above this inclusive level that were invalidated by its
				 * evictions */
};

struct bob_cache_site {
	uint64_t accesses[3];	/* by type */
	uint64_t straddles;	/* of these, accesses to more than one line */
	uint64_t upgrades;	/* stores to lines that other cores may have had */
	uint64_t invalidations;	/* copies in other cores that stores invalidated */
	uint64_t transfers;	/* misses for lines that another core had */
	/* coherence misses: the other core wrote bytes that are accessed here, */
	uint64_t true_sharing;
	uint64_t false_sharing;	/* or only other bytes of the line */
	struct bob_cache_counts level[BOB_CACHE_LEVELS];
};

static inline uint64_t bob_cache_accesses(const struct bob_cache_site *s)
{
	return s->accesses[0] + s->accesses[1] + s->accesses[2];
}

/* BOB_ERR_INVAL: no such site. */
bob_status bob_cache_site(const struct bob_cache *c, uint32_t site, struct bob_cache_site *out);
/* Sum over all sites. */
void bob_cache_total(const struct bob_cache *c, struct bob_cache_site *out);
/* Adds the counts of `more` to those of `sum`. */
void bob_cache_add(struct bob_cache_site *sum, const struct bob_cache_site *more);
/* Number of accesses counted without simulation. */
uint64_t bob_cache_skipped(const struct bob_cache *c);

/* Coherence misses by thread and site of the miss, and of the store that invalidated the line. One
 * row per combination. */
struct bob_cache_sharing {
	uint64_t line;		/* address of the line */
	uint32_t thread, site;	/* of the miss */
	uint32_t by_thread, by_site; /* of the store that invalidated the copy */
	uint64_t true_misses, false_misses;
};

#define BOB_CACHE_SHARING_MAX (1u << 20)

/* In descending order of misses, then by the other members. Borrowed until the next access. At most
 * BOB_CACHE_SHARING_MAX rows are distinguished; *lost: misses of further ones. */
void bob_cache_sharing(struct bob_cache *c, const struct bob_cache_sharing **rows, size_t *count,
		       uint64_t *lost);

/* Bytes of a line that a core read and wrote since a second core first accessed the line. Bit i
 * represents `granule` bytes at offset i * granule; a granule is one byte for lines up to 64
 * bytes. */
struct bob_cache_use {
	uint32_t core;
	uint64_t read, written;
};

/* Use of a line by each core, by number, at most `capacity`. Returns the number of cores; 0: only
 * one core accessed the line. */
uint32_t bob_cache_line_use(const struct bob_cache *c, uint64_t line, struct bob_cache_use *out,
			    uint32_t capacity, uint32_t *granule);

#endif
