/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of a folded trace, folded anew: some of them, or with other words. Numbers of shapes and
 * paths are those of the trace they come from.
 *
 * Owner: the caller; bob_refold_free. One thread. */
#ifndef BOB_FOLD_REFOLD_H
#define BOB_FOLD_REFOLD_H

#include "fold/buffer.h"

struct bob_refold {
	const struct bob_folded *from;
	struct bob_alloc alloc;
	struct bob_folder *folder;
	void *mem;		/* of the folder */
	size_t mem_size;
	uint32_t *shape, *path;	/* new number + 1 by old; 0: none yet */
	uint32_t shape_capacity, path_capacity, paths;
	struct bob_buffer out;
};

/* *r is the caller's, in any state before. On failure nothing is left to free. */
bob_status bob_refold_begin(struct bob_refold *r, const struct bob_folded *from,
			    const struct bob_alloc *alloc);
bob_status bob_refold_put(struct bob_refold *r, uint32_t shape, const uint64_t *word);
/* What was put since the beginning, or since the last one, as a participant. */
bob_status bob_refold_end(struct bob_refold *r, uint64_t id, struct bob_folded **out);
void bob_refold_free(struct bob_refold *r);

/* One trace of `count`, which are closed and may be NULL. *out is NULL if all are. */
bob_status bob_refold_unite(struct bob_folded **part, uint32_t count, const struct bob_alloc *alloc,
			    struct bob_folded **out);

#endif
