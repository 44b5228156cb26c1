/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulates the caches of one process of a trace: the accesses of its threads, in the order of
 * analysis/interleave. If only one thread has accesses, and they are folded, they are passed as
 * nests (folded.h). A site is an instruction; several sites may be the same one. Sums by function
 * are the caller's task.
 *
 * Owner: the caller; bob_cache_replay_destroy frees, with the simulation. Threads: one object, one
 * thread. */
#ifndef BOB_ANALYSIS_CACHE_REPLAY_H
#define BOB_ANALYSIS_CACHE_REPLAY_H

#include "analysis/analysis.h"
#include "analysis/cache/cache.h"
#include "analysis/memory/variables.h"

/* Where a site is. */
struct bob_cache_place {
	uint64_t pc;		/* link address in the image, or an address */
	uint32_t image;		/* index in the process, ~0: in none */
	uint32_t id;		/* function of the process, ~0: in none that is known */
	uint32_t number;	/* the same among bob_functions */
	uint32_t variable;	/* index in `variables`, ~0 unless they are asked for */
};

struct bob_cache_replay {
	struct bob_cache *cache;
	const struct bob_cache_place *places; /* by site */
	uint32_t sites;
	uint64_t lost;		/* places where accesses are missing in the trace */
	uint64_t quantum;
	uint32_t threads;	/* that have accesses */
	/* places where a thread went on that should have waited for another */
	uint64_t forced;
	const struct bob_variable *variables;
};

struct bob_cache_replay_options {
	uint64_t quantum;	/* 0: BOB_INTERLEAVE_QUANTUM */
	/* simulate every access, also where a folded trace makes that unnecessary */
	int one_by_one;
	int variables;		/* sites are instructions and variables */
};

/* `threads` are `count` threads of the trace, ascending, all of `process`; thread i of the
 * simulation is threads[i], and those without memory records just end. Where these wait for other
 * threads of the process, they do so here. On BOB_ERR_CORRUPT *out is there as well, with what
 * could be read. Errors: those of bob_access_cursor_open and _read, and of bob_cache_access. */
bob_status bob_cache_replay_create(const struct bob_functions *f, const struct bob_trace *t,
				   uint32_t process, const uint32_t *threads, uint32_t count,
				   const struct bob_cache_config *config,
				   const struct bob_cache_replay_options *options,
				   struct bob_cache_replay **out, struct bob_error *err);
void bob_cache_replay_destroy(struct bob_cache_replay *r); /* NULL is allowed */

#endif
