/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulates the accesses of one participant of a folded memory trace (mem/fold.h): nests are passed
 * as nests, other records one by one. The counts equal those of single accesses. */
#ifndef BOB_ANALYSIS_CACHE_FOLDED_H
#define BOB_ANALYSIS_CACHE_FOLDED_H

#include "analysis/cache/cache.h"
#include "mem/fold.h"

struct bob_cache_records {
	/* Looks up a descriptor by number (NULL: unknown), and the load bias of its image. */
	const struct bob_mem_desc *(*desc)(void *ctx, uint32_t number);
	uint64_t (*bias)(void *ctx, const struct bob_mem_desc *desc);
	/* The site of the descriptor's first access; its other accesses have the following
	 * numbers. */
	bob_status (*sites)(void *ctx, uint32_t number, const struct bob_mem_desc *desc,
			    uint32_t *first);
	/* The site of an access to the bytes [lo, hi); `site` is that of its instruction. BOB_NONE:
	 * it differs within the range. NULL: always `site`. */
	bob_status (*vary)(void *ctx, uint8_t type, uint64_t lo, uint64_t hi, uint32_t *site);
	void *ctx;
};

/* BOB_NONE: impossible, and nothing was simulated, because signal handlers may have run within
 * records. *lost: number of marks of missing accesses. Errors: BOB_ERR_CORRUPT, BOB_ERR_NOMEM, and
 * those of bob_cache_access. */
bob_status bob_cache_folded(struct bob_cache *c, uint32_t thread, const struct bob_folded *f,
			    uint32_t participant, const struct bob_cache_records *from,
			    uint64_t *lost);

#endif
