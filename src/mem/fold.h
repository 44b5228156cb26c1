/* SPDX-License-Identifier: BSD-3-Clause */
/* Folds memory records (bobbin/fold.h), and expands them again. A record is a leaf: its key is the
 * descriptor's number, its path the calls that led to it, its words those of the record. A loop
 * with payload is one leaf for each iteration, with all its words, so it folds like the same code
 * recorded block by block.
 *
 *     key:  varint, the descriptor's number
 *     path: places are call sites, image << 48 | link address
 *
 * Stack pointers determine the path. A call has ended if a record ends with its return, directly
 * follows the call, or has a stack pointer at or above that of the call, however it ended. Records
 * without a stack pointer do not change the path. After a switch of the stack (coroutines, signal
 * stacks) paths are wrong until a record is on the first stack again; accesses are never affected.
 * Records that a selection derived (BOB_MEM_PART) change the path only if they have no accesses;
 * then they are not leaves.
 *
 * Freestanding. Threads: one. */
#ifndef BOB_MEM_FOLD_H
#define BOB_MEM_FOLD_H

#include "bobbin/fold.h"
#include "mem/record.h"

/* descriptors with greater numbers are looked up more slowly */
#define BOB_MEM_FOLD_DESCS (1u << 20)
#define BOB_MEM_RECORD_MAX (1u << 20) /* words of a record */
#define BOB_MEM_FOLD_DEPTH 16384u     /* nested calls; deeper ones have the path of these */
#define BOB_MEM_INSN_MAX 15u	      /* bytes of an instruction */

/* State needed to continue after the records that have been put: the open calls. */
#define BOB_MEM_STATE_DEPTH 64u
#define BOB_MEM_STATE_WORDS (1 + 2 * BOB_MEM_STATE_DEPTH)

/* Returns the descriptor with this number, or NULL. Folding needs its steps only for loops with
 * payload, and never its accesses. */
typedef const struct bob_mem_desc *(*bob_mem_desc_fn)(void *ctx, uint32_t number);

struct bob_mem_fold;

size_t bob_mem_fold_size(void);
/* `mem` is bob_mem_fold_size() zeroed bytes, aligned to 64. It and the folder belong to the
 * caller. */
struct bob_mem_fold *bob_mem_fold_begin(void *mem, struct bob_folder *folder, bob_mem_desc_fn desc,
					void *ctx);
/* Save the state to `to`, which has BOB_MEM_STATE_WORDS. Returns the number of words; 0: the calls
 * are nested too deeply to be saved. */
size_t bob_mem_fold_state(const struct bob_mem_fold *m, uint64_t *to);
/* Restore a saved state before the first record. Errors: BOB_ERR_CORRUPT (invalid state),
 * BOB_ERR_FULL (the folder has no space). */
bob_status bob_mem_fold_resume(struct bob_mem_fold *m, const uint64_t *state, size_t count);
/* Begin a new part, which is folded independently of the previous ones (bob_folder_again); the open
 * calls are kept. */
bob_status bob_mem_fold_again(struct bob_mem_fold *m);
/* Lossy folding, off by default; to be set before the first record. docs/fold.md says what is lost.
 * Words that are only used as addresses may deviate by `within`. */
void bob_mem_fold_tolerate(struct bob_mem_fold *m, uint64_t within);
/* Allow independent records to be reordered. `w` is the caller's, with limit and bias set; it must
 * be flushed at the end. */
struct bob_mem_window;
void bob_mem_fold_unorder(struct bob_mem_fold *m, struct bob_mem_window *w);
/* Fold all complete records of `count` 64-bit values; *used is the number of values consumed.
 * `open`: the buffer is still being written (bob_mem_record_count). BOB_ERR_CORRUPT: the record at
 * *used is invalid. Budget: see bob_folder_put; looking up the shape is a load and two
 * comparisons. */
bob_status bob_mem_fold_put(struct bob_mem_fold *m, const uint64_t *record, size_t count, int open,
			    size_t *used);

/* --- expanding --- */

/* Decode the key of a leaf. Errors: BOB_ERR_CORRUPT. */
bob_status bob_mem_leaf_key(const uint8_t *key, size_t len, uint32_t *number);
/* The number of words of a leaf. */
uint32_t bob_mem_leaf_words(const struct bob_mem_desc *d);

struct bob_mem_unfold;

struct bob_mem_unfolded {
	const struct bob_mem_desc *desc;
	uint32_t number;	/* of the descriptor */
	uint32_t path;		/* of the folded trace */
	const uint64_t *word;	/* the words after the header; valid until the next call */
	size_t count;
};

/* On BOB_OK *out belongs to the caller. */
bob_status bob_mem_unfold_open(const struct bob_folded *folded, uint32_t participant,
			       bob_mem_desc_fn desc, void *ctx, const struct bob_alloc *alloc,
			       struct bob_mem_unfold **out);
void bob_mem_unfold_close(struct bob_mem_unfold *u); /* NULL is allowed */
/* The next record. Errors: BOB_END, BOB_ERR_NOMEM, BOB_ERR_CORRUPT (also if a leaf does not match
 * its descriptor; final). */
bob_status bob_mem_unfold_next(struct bob_mem_unfold *u, struct bob_mem_unfolded *record);

#endif
