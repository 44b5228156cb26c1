/* SPDX-License-Identifier: BSD-3-Clause */
/* Records into a folder (bobbin/fold.h), and back. A record is a leaf: its key is the descriptor's
 * number, its path the calls that led there, its words those of the record. Loops with payload are
 * a leaf for each iteration, with all its words, as if it were a record of its own: so they fold
 * like the same code recorded block by block.
 *
 *     key:  varint, the descriptor's number
 *     path: places are call sites, image << 48 | link address
 *
 * The path is kept by stack pointers: a call is over when a record ends with its return, directly
 * follows the call, or is at its stack pointer or above, however it ended. Records without a stack
 * pointer do not change the path. A stack that is switched (coroutines, signal stacks) gives paths
 * that are wrong until a record is back; accesses are never affected. What a selection made
 * (BOB_MEM_PART) changes the path only if it has no accesses, and is no leaf then.
 *
 * Freestanding. One thread. */
#ifndef BOB_MEM_FOLD_H
#define BOB_MEM_FOLD_H

#include "bobbin/fold.h"
#include "mem/record.h"

#define BOB_MEM_FOLD_DESCS (1u << 20) /* descriptors with greater numbers are found more slowly */
#define BOB_MEM_RECORD_MAX (1u << 20) /* words of a record */
#define BOB_MEM_FOLD_DEPTH 16384u     /* calls in each other; deeper ones have the path of these */
#define BOB_MEM_INSN_MAX 15u	      /* bytes of an instruction */

/* The state that is needed to continue with the records after those that have been put: the calls
 * that are open. */
#define BOB_MEM_STATE_DEPTH 64u
#define BOB_MEM_STATE_WORDS (1 + 2 * BOB_MEM_STATE_DEPTH)

/* The descriptor of this number, or NULL. Of folding only loops with payload need their steps,
 * nothing the accesses. */
typedef const struct bob_mem_desc *(*bob_mem_desc_fn)(void *ctx, uint32_t number);

struct bob_mem_fold;

size_t bob_mem_fold_size(void);
/* `mem` is bob_mem_fold_size() zeroed bytes, aligned to 64, and the caller's; so is the folder. */
struct bob_mem_fold *bob_mem_fold_begin(void *mem, struct bob_folder *folder, bob_mem_desc_fn desc,
					void *ctx);
/* Words written to `to`, which has BOB_MEM_STATE_WORDS; 0: calls are nested too deeply to be
 * kept. */
size_t bob_mem_fold_state(const struct bob_mem_fold *m, uint64_t *to);
/* Before the first record. BOB_ERR_CORRUPT: that is no state. BOB_ERR_FULL: the folder has no
 * space. */
bob_status bob_mem_fold_resume(struct bob_mem_fold *m, const uint64_t *state, size_t count);
/* What has been put is a part of its own from now on: bob_folder_again, and the calls that are open
 * are as before. */
bob_status bob_mem_fold_again(struct bob_mem_fold *m);
/* Loss, off unless asked for before the first record; docs/fold.md says what is given up. Words
 * that are nothing but addresses may be off by `within`. */
void bob_mem_fold_tolerate(struct bob_mem_fold *m, uint64_t within);
/* Records that have nothing to do with each other change places. `w` is the caller's, with limit
 * and bias set; at the end it has to be flushed. */
struct bob_mem_window;
void bob_mem_fold_unorder(struct bob_mem_fold *m, struct bob_mem_window *w);
/* All complete records of `count` 64-bit values; *used is how many values these are. With `open`
 * the buffer is still being written after them (bob_mem_record_count). BOB_ERR_CORRUPT: what is at
 * *used is no record.
 * Budget: see bob_folder_put; finding the shape is a load and two comparisons. */
bob_status bob_mem_fold_put(struct bob_mem_fold *m, const uint64_t *record, size_t count, int open,
			    size_t *used);

/* --- and back --- */

/* What the key of a leaf says. BOB_ERR_CORRUPT. */
bob_status bob_mem_leaf_key(const uint8_t *key, size_t len, uint32_t *number);
/* How many words the leaf has. */
uint32_t bob_mem_leaf_words(const struct bob_mem_desc *d);

struct bob_mem_unfold;

struct bob_mem_unfolded {
	const struct bob_mem_desc *desc;
	uint32_t number;	/* of the descriptor */
	uint32_t path;		/* of the folded trace */
	const uint64_t *word;	/* after the header; valid until the next call */
	size_t count;
};

/* On BOB_OK *out is the caller's. */
bob_status bob_mem_unfold_open(const struct bob_folded *folded, uint32_t participant,
			       bob_mem_desc_fn desc, void *ctx, const struct bob_alloc *alloc,
			       struct bob_mem_unfold **out);
void bob_mem_unfold_close(struct bob_mem_unfold *u); /* NULL is allowed */
/* The next record. BOB_END; BOB_ERR_CORRUPT also where a leaf is not what its descriptor says, and
 * for good; BOB_ERR_NOMEM. */
bob_status bob_mem_unfold_next(struct bob_mem_unfold *u, struct bob_mem_unfolded *record);

#endif
