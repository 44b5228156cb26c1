/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters memory records by address: records (record.h) go in; out come records of those accesses,
 * in the same order, that touch a *box*, a range of addresses. A record becomes:
 *
 *     nothing      if none of its accesses touches a box: the usual case, after a comparison or
 *                  two
 *                  for each word
 *     a part       the same descriptor with fewer accesses, and only the words that these need.
 *                  A
 *                  loop whose accesses enter or leave boxes becomes several loops in sequence;
 *                  an
 *                  iteration of a loop with payload becomes a block
 *     itself       if it is a mark. BOB_MEM_AGAIN is applied here instead: repeated accesses are
 *                  dropped
 *
 * Descriptors of parts (BOB_MEM_PART) are created on demand, one for each set of accesses that
 * occurs. Parts carry no information about calls. Instead, the selector follows the open calls as
 * folding does (fold.c), and emits them as records without accesses directly before a part that
 * needs them. So functions that touch no box cost nothing.
 *
 * Freestanding. Threads: a selector belongs to one thread, a selection is shared by the threads of
 * a process. Memory is never freed. */
#ifndef BOB_MEM_SELECT_H
#define BOB_MEM_SELECT_H

#include "mem/fold.h"
#include "mem/record.h"

/* Addresses lo <= a < hi. An access is selected if any of its bytes is in a box. */
struct bob_mem_box {
	uint64_t lo, hi;
};
struct bob_mem_boxes {
	uint32_t count;
	struct bob_mem_box box[]; /* ascending, disjoint and not adjacent */
};
/* Sort, merge and drop empty boxes. Returns how many are left. */
uint32_t bob_mem_boxes_sort(struct bob_mem_box *box, uint32_t count);

struct bob_mem_selection_io {
	void *ctx;
	/* Get the descriptor; its accesses and steps are valid until unlock. `bias` is that of its
	 * image. Called with the lock held. BOB_ERR_CORRUPT: no such descriptor. */
	bob_status (*desc)(void *ctx, uint32_t number, struct bob_mem_desc *d, uint64_t *bias);
	/* Add a descriptor to the trace. Returns its number; 0 on failure. Called with the lock
	 * held. */
	uint32_t (*make)(void *ctx, const struct bob_mem_desc *d);
	void *(*alloc)(void *ctx, size_t bytes); /* zeroed, aligned to 8; NULL: no memory. Called
						  * with the lock held */
	void (*lock)(void *ctx);
	void (*unlock)(void *ctx);
};

#define BOB_MEM_SELECT_BITS 12u	 /* low bits of a descriptor's number: index in a block of pieces */
/* number of blocks; greater descriptor numbers cannot be selected */
#define BOB_MEM_SELECT_BLOCKS 65536u

struct bob_mem_piece;

/* To initialise: zero it, then set `io` and `boxes`. */
struct bob_mem_selection {
	struct bob_mem_selection_io io;
	/* may be replaced at any time; the old ones must stay readable */
	const struct bob_mem_boxes *boxes;
	uint32_t back;		/* number of the descriptor that ends calls; 0: not created yet */
	/* scratch for the part that is being created, under the lock */
	struct bob_mem_access access[BOB_MEM_ACCESSES_MAX];
	struct bob_mem_step step[BOB_MEM_WORDS_MAX];
	struct bob_mem_piece **block[BOB_MEM_SELECT_BLOCKS];
};
/* Discard what was derived from these descriptors, because their image has another address. Called
 * with the lock held, while no thread selects their records. */
void bob_mem_selection_forget(struct bob_mem_selection *s, uint32_t first, uint32_t count);
/* Start with a new trace (child of fork), which has none of the created descriptors. One thread. */
void bob_mem_selection_anew(struct bob_mem_selection *s);

struct bob_mem_selector {
	struct bob_mem_selection *of;
	/* Reserve space for the next `words` words; they count as written at the next call. NULL:
	 * no space. */
	uint64_t *(*reserve)(void *ctx, uint32_t words);
	void *ctx;
	uint64_t inside, outside; /* accesses so far */
	uint64_t again;		/* number of accesses that are still to be dropped as repeated */
	uint32_t depth, recorded;	/* open calls; how many of them have been emitted */
	uint32_t returned;	/* as in fold.c */
	/* emitted calls that have ended: those with a stack pointer up to over_sp */
	uint32_t over;
	uint64_t over_sp;
	struct {
		uint64_t sp;
		struct bob_mem_piece *piece;
	} call[BOB_MEM_FOLD_DEPTH];
};
/* Filter all complete records of `count` 64-bit values; *used is the number of values consumed;
 * `open` as in bob_mem_fold_put. Errors: BOB_ERR_CORRUPT (the record at *used is invalid),
 * BOB_ERR_FULL (no space, or a descriptor could not be created), BOB_ERR_NOMEM. Budget: 12 ns for a
 * record without a selected access, also for a loop without payload; 0.3 ns for an access by
 * payload (docs/mem-only.md, measured on a loaded machine). */
bob_status bob_mem_select_put(struct bob_mem_selector *s, const uint64_t *record, size_t count,
			      int open, size_t *used);

#endif
