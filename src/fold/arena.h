/* SPDX-License-Identifier: BSD-3-Clause */
/* Region allocator: blocks from the caller's allocator, freed all at once. A struct with `alloc`
 * set and the rest zero is empty. One thread. */
#ifndef BOB_FOLD_ARENA_H
#define BOB_FOLD_ARENA_H

#include "bobbin/fold.h"

struct bob_block;

struct bob_blocks {
	struct bob_alloc alloc;
	struct bob_block *newest;
	size_t used;		/* bytes used of the newest block */
};

/* Not zeroed, aligned to 16. NULL: no memory. */
void *bob_blocks_get(struct bob_blocks *b, size_t size);
void bob_blocks_free(struct bob_blocks *b);

/* Grows an array to a capacity of `count + more` elements of `size` bytes. Keeps the contents; new
 * elements are not zeroed. Returns 0 and leaves the array unchanged if memory is exhausted. Freed
 * by bob_array_free. */
int bob_array_grow(const struct bob_alloc *alloc, void *array_ptr, uint32_t *capacity, size_t count,
		   size_t more, size_t size);
void bob_array_free(const struct bob_alloc *alloc, void *array, uint32_t capacity, size_t size);

#endif
