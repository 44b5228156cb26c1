/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaves out accesses by their addresses: records (record.h) go in, and records of the same
 * accesses in the same order come out, but only of those that touch a *box*, a range of addresses.
 * What a record becomes:
 *
 *     nothing      none of its accesses is in a box: what most records become, after a comparison or two for each word
 *     a part       the same descriptor with fewer accesses, and only the words that these need. A loop whose accesses
 *                  enter or leave boxes becomes several loops in sequence; an iteration of a loop with payload, a block
 *     itself       a mark; but BOB_MEM_AGAIN is done here: what was recorded before is left out
 *
 * Descriptors of parts are made when they are first needed, one for each set of accesses that
 * occurs (BOB_MEM_PART). Parts say nothing of calls. The calls that are open are followed here, as
 * folding would (fold.c), and put as records without accesses directly before a part that needs
 * them: functions that touch no box cost nothing.
 *
 * Freestanding. Threads: a selector belongs to one thread, a selection to all of a process. Memory
 * is for ever. */
#ifndef BOB_MEM_SELECT_H
#define BOB_MEM_SELECT_H

#include "mem/fold.h"
#include "mem/record.h"

/* Addresses lo <= a < hi. An access is chosen if any of its bytes is in one. */
struct bob_mem_box {
	uint64_t lo, hi;
};
struct bob_mem_boxes {
	uint32_t count;
	struct bob_mem_box box[]; /* ascending, and no two touch each other */
};
/* `count` boxes in any order become such; how many are left. Empty ones go. */
uint32_t bob_mem_boxes_sort(struct bob_mem_box *box, uint32_t count);

struct bob_mem_selection_io {
	void *ctx;
	/* The descriptor, with its accesses and steps: arrays that hold until unlock. `bias`: of
	 * its image. Locked. BOB_ERR_CORRUPT: there is none. */
	bob_status (*desc)(void *ctx, uint32_t number, struct bob_mem_desc *d, uint64_t *bias);
	/* A new descriptor is in the trace; its number, 0: it cannot be. Locked. */
	uint32_t (*make)(void *ctx, const struct bob_mem_desc *d);
	void *(*alloc)(void *ctx, size_t bytes); /* zeroed, aligned to 8; NULL: no memory. Locked */
	void (*lock)(void *ctx);
	void (*unlock)(void *ctx);
};

#define BOB_MEM_SELECT_BITS 12u	 /* of a descriptor's number: its place in a block of ... */
#define BOB_MEM_SELECT_BLOCKS 65536u /* ... these; greater numbers there are not */

struct bob_mem_piece;

/* Zeroed, then `io` and `boxes` set, it is one. */
struct bob_mem_selection {
	struct bob_mem_selection_io io;
	const struct bob_mem_boxes
		*boxes; /* may be replaced at any time; the old ones stay readable */
	uint32_t back;		/* number of the descriptor that ends calls; 0: not made yet */
	/* of the part that is being made, locked */
	struct bob_mem_access access[BOB_MEM_ACCESSES_MAX];
	struct bob_mem_step step[BOB_MEM_WORDS_MAX];
	struct bob_mem_piece **block[BOB_MEM_SELECT_BLOCKS];
};
/* What is known of these descriptors is invalid: their image has another address. Locked, and no
 * thread selects their records. */
void bob_mem_selection_forget(struct bob_mem_selection *s, uint32_t first, uint32_t count);
/* The trace is another one (a fork's child): nothing that was made is in it. One thread. */
void bob_mem_selection_anew(struct bob_mem_selection *s);

struct bob_mem_selector {
	struct bob_mem_selection *of;
	/* Where the next `words` words go; they count as written at its next call. NULL: no
	 * space. */
	uint64_t *(*reserve)(void *ctx, uint32_t words);
	void *ctx;
	uint64_t inside, outside; /* accesses so far */
	uint64_t again;		/* so many are passed over */
	uint32_t depth, recorded;	/* calls that are open; how many of them are recorded */
	uint32_t returned;	/* as in fold.c */
	/* recorded calls that are over: those with a stack pointer up to */
	uint32_t over;
	uint64_t over_sp;
	struct {
		uint64_t sp;
		struct bob_mem_piece *piece;
	} call[BOB_MEM_FOLD_DEPTH];
};
/* All complete records of `count` 64-bit values; *used is how many these are; `open` as in
 * bob_mem_fold_put. BOB_ERR_CORRUPT: what is no record, at *used. BOB_ERR_FULL: no space, or no
 * descriptor could be made. BOB_ERR_NOMEM. Budget: 12 ns for a record of which nothing is chosen, a
 * loop without payload included; 0.3 ns for an access by payload (docs/mem-only.md, measured on a
 * loaded machine). */
bob_status bob_mem_select_put(struct bob_mem_selector *s, const uint64_t *record, size_t count,
			      int open, size_t *used);

#endif
