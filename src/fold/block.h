/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that lives as long as one object: blocks from the user's allocator, freed all at once. A
 * struct with `alloc` set and the rest zero is empty. One thread. */
#ifndef BOB_FOLD_BLOCK_H
#define BOB_FOLD_BLOCK_H

#include "bobbin/fold.h"

struct bob_block;

struct bob_blocks {
	struct bob_alloc alloc;
	struct bob_block *newest;
	size_t used;		/* of the newest */
};

/* Not zeroed, aligned to 16; NULL if there is no memory. */
void *bob_blocks_get(struct bob_blocks *b, size_t size);
void bob_blocks_free(struct bob_blocks *b);

/* A growing array: capacity for `count + more` elements of `size` bytes. The old contents stay;
 * what is added is not zeroed. 0 if there is no memory (the array is then as before). Freed by
 * bob_array_free. */
int bob_array_grow(const struct bob_alloc *alloc, void *array_ptr, uint32_t *capacity, size_t count,
		   size_t more, size_t size);
void bob_array_free(const struct bob_alloc *alloc, void *array, uint32_t capacity, size_t size);

#endif
