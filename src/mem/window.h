/* SPDX-License-Identifier: BSD-3-Clause */
/* Giving up the order of records that have nothing to do with each other (docs/fold.md, Loss): the
 * leaves of a window are put in the order of their descriptors, but none before one that touches a
 * byte with it which one of them stores.
 *
 * Only straight code without atomic accesses waits in a window. Whatever else comes ends it, and so
 * does a shape that is in it already -- an iteration is over -- and that it is full.
 *
 * Owner: the caller, 100 kB zeroed; no allocation. One thread. Freestanding. */
#ifndef BOB_MEM_WINDOW_H
#define BOB_MEM_WINDOW_H

#include "mem/record.h"

#define BOB_MEM_WINDOW_MAX 64u	/* leaves */
#define BOB_MEM_WINDOW_RANGES 16u /* accesses of one that waits */

struct bob_folder;

struct bob_mem_range {
	uint64_t from;
	uint32_t size;
	uint32_t stores;
};

struct bob_mem_waiting {
	uint32_t shape;
	uint32_t order;		/* descriptor */
	uint32_t words;
	uint32_t ranges;
	uint64_t after;	/* bits: which of those before it have to stay before it */
	uint64_t word[BOB_MEM_WORDS_MAX];
	struct bob_mem_range range[BOB_MEM_WINDOW_RANGES];
};

struct bob_mem_window {
	uint32_t limit;		/* 1 to BOB_MEM_WINDOW_MAX, by the caller */
	uint32_t count;
	/* so many accesses are repeated: their records stay where they are */
	uint64_t again;
	uint64_t (*bias)(
		void *ctx,
		const struct bob_mem_desc *d); /* of the image, for addresses without a word */
	void *ctx;
	struct bob_mem_waiting leaf[BOB_MEM_WINDOW_MAX];
};

/* Does this record wait? If not, the window is empty now. `words` are those of the record. */
int bob_mem_window_takes(struct bob_mem_window *w, struct bob_folder *folder,
			 const struct bob_mem_desc *d, const uint64_t *word, size_t words);
/* The leaf of a record that waits. */
void bob_mem_window_put(struct bob_mem_window *w, struct bob_folder *folder, uint32_t shape,
			uint32_t number, const struct bob_mem_desc *d, const uint64_t *word);
/* All that wait go to the folder. */
void bob_mem_window_flush(struct bob_mem_window *w, struct bob_folder *folder);

#endif
