/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulates the caches of one process of a trace: the accesses of its threads in the order of
 * analysis/interleave. If only one thread has accesses and they are folded, they are passed as
 * nests (folded.h). A site is an instruction; several sites may be the same one. The caller sums by
 * function.
 *
 * Owner: the caller; bob_cache_replay_destroy also frees the simulation. Threads: one object, one
 * thread. */
#ifndef BOB_ANALYSIS_CACHE_REPLAY_H
#define BOB_ANALYSIS_CACHE_REPLAY_H

#include "analysis/analysis.h"
#include "analysis/cache/cache.h"
#include "analysis/memory/variables.h"

/* The place of a site. */
struct bob_cache_place {
	uint64_t pc;		/* link address in the image, or an address */
	uint32_t image;		/* index in the process, ~0: none */
	uint32_t id;		/* function id in the process, ~0: unknown */
	uint32_t number;	/* number of that function in bob_functions */
	uint32_t variable;	/* index in `variables`, ~0 unless requested */
};

struct bob_cache_replay {
	struct bob_cache *cache;
	const struct bob_cache_place *places; /* by site */
	uint32_t sites;
	uint64_t lost;		/* marks of missing accesses in the trace */
	uint64_t quantum;
	uint32_t threads;	/* with accesses */
	/* how often a thread continued although it should have waited */
	uint64_t forced;
	const struct bob_variable *variables;
};

struct bob_cache_replay_options {
	uint64_t quantum;	/* 0: BOB_INTERLEAVE_QUANTUM */
	/* simulate every access of a folded trace */
	int one_by_one;
	int variables;		/* sites are instructions and variables */
};

/* `threads` are `count` threads of the trace, ascending, all of `process`; thread i of the
 * simulation is threads[i]. Threads without memory records only end. Other threads of the process
 * take part in synchronisation. On BOB_ERR_CORRUPT *out is set, with the readable accesses. Errors:
 * those of bob_access_cursor_open and _read, and of bob_cache_access. */
bob_status bob_cache_replay_create(const struct bob_functions *f, const struct bob_trace *t,
				   uint32_t process, const uint32_t *threads, uint32_t count,
				   const struct bob_cache_config *config,
				   const struct bob_cache_replay_options *options,
				   struct bob_cache_replay **out, struct bob_error *err);
void bob_cache_replay_destroy(struct bob_cache_replay *r); /* NULL is allowed */

#endif
