/* SPDX-License-Identifier: BSD-3-Clause */
/* Reorders independent records (docs/fold.md, Loss): the leaves of a window are put in the order of
 * their descriptors, but conflicting leaves keep their order. Two leaves conflict if they touch a
 * common byte and at least one of them stores it.
 *
 * A window contains only straight-line code without atomic accesses. Any other record flushes it,
 * as do a shape that it already contains (the next iteration has begun) and reaching its limit.
 *
 * Owner: the caller, 100 kB zeroed; does not allocate. Threads: one. Freestanding. */
#ifndef BOB_MEM_WAITING_H
#define BOB_MEM_WAITING_H

#include "mem/record.h"

#define BOB_MEM_WINDOW_MAX 64u	/* leaves */
#define BOB_MEM_WINDOW_RANGES 16u /* accesses of a leaf in the window */

struct bob_folder;

struct bob_mem_range {
	uint64_t from;
	uint32_t size;
	uint32_t stores;
};

struct bob_mem_waiting {
	uint32_t shape;
	uint32_t order;		/* descriptor number */
	uint32_t words;
	uint32_t ranges;
	uint64_t after;	/* bit mask of the earlier leaves that must stay before it */
	uint64_t word[BOB_MEM_WORDS_MAX];
	struct bob_mem_range range[BOB_MEM_WINDOW_RANGES];
};

struct bob_mem_window {
	uint32_t limit;		/* 1 to BOB_MEM_WINDOW_MAX, set by the caller */
	uint32_t count;
	/* number of accesses that are repeated: their records keep their place */
	uint64_t again;
	uint64_t (*bias)(
		void *ctx,
		const struct bob_mem_desc *d); /* of the image, for accesses without a word */
	void *ctx;
	struct bob_mem_waiting leaf[BOB_MEM_WINDOW_MAX];
};

/* Whether this record goes into the window. If not, the window has been flushed. `words` are those
 * of the record. */
int bob_mem_window_takes(struct bob_mem_window *w, struct bob_folder *folder,
			 const struct bob_mem_desc *d, const uint64_t *word, size_t words);
/* Add the leaf of such a record. */
void bob_mem_window_put(struct bob_mem_window *w, struct bob_folder *folder, uint32_t shape,
			uint32_t number, const struct bob_mem_desc *d, const uint64_t *word);
/* Put all leaves of the window into the folder. */
void bob_mem_window_flush(struct bob_mem_window *w, struct bob_folder *folder);

#endif
