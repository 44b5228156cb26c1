/* SPDX-License-Identifier: BSD-3-Clause */
/* Folds events of a folded trace again: a subset of them, or events with other words. Numbers of
 * shapes and paths are those of the source trace.
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
	uint32_t *shape, *path;	/* by old number: new number + 1; 0: not yet mapped */
	uint32_t shape_capacity, path_capacity, paths;
	struct bob_buffer out;
};

/* Initialises *r. On failure there is nothing to free. */
bob_status bob_refold_begin(struct bob_refold *r, const struct bob_folded *from,
			    const struct bob_alloc *alloc);
bob_status bob_refold_put(struct bob_refold *r, uint32_t shape, const uint64_t *word);
/* Makes a trace of one participant from the events since the previous end. */
bob_status bob_refold_end(struct bob_refold *r, uint64_t id, struct bob_folded **out);
void bob_refold_free(struct bob_refold *r);

/* Merges `count` traces, which may be NULL, and closes them. *out is NULL if all are. */
bob_status bob_refold_unite(struct bob_folded **part, uint32_t count, const struct bob_alloc *alloc,
			    struct bob_folded **out);

#endif
