/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes the accesses of one participant of a folded memory trace (mem/fold.h) to a simulation:
 * nests as nests, everything else record by record. The counts equal those of all accesses one by
 * one. */
#ifndef BOB_ANALYSIS_CACHE_FOLDED_H
#define BOB_ANALYSIS_CACHE_FOLDED_H

#include "analysis/cache/cache.h"
#include "mem/fold.h"

struct bob_cache_records {
	/* The descriptor of this number, or NULL; what is added to link addresses of its image. */
	const struct bob_mem_desc *(*desc)(void *ctx, uint32_t number);
	uint64_t (*bias)(void *ctx, const struct bob_mem_desc *desc);
	/* The site of its first access; those of the others follow. */
	bob_status (*sites)(void *ctx, uint32_t number, const struct bob_mem_desc *desc,
			    uint32_t *first);
	/* The site of an access that is made at bytes from `lo` to before `hi`; `site` is that of
	 * its instruction. BOB_NONE: it is not one for all of them. NULL: it is `site`. */
	bob_status (*vary)(void *ctx, uint8_t type, uint64_t lo, uint64_t hi, uint32_t *site);
	void *ctx;
};

/* BOB_NONE: not possible in this way, and nothing happened: signal handlers may have run within
 * records. *lost: marks that say that accesses are missing. Errors: BOB_ERR_CORRUPT, BOB_ERR_NOMEM,
 * and those of bob_cache_access. */
bob_status bob_cache_folded(struct bob_cache *c, uint32_t thread, const struct bob_folded *f,
			    uint32_t participant, const struct bob_cache_records *from,
			    uint64_t *lost);

#endif
