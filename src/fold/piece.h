/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on pieces (struct bob_piece, bobbin/fold.h). Constant, strided, blocked and triangular
 * sequences are one piece each, of any length. Arithmetic is modulo 2^64; counts are compared as
 * signed. Nested affine pieces: the EPRSD of ScalaMemTrace (2010), with trip counts that may depend
 * on the enclosing loops.
 *
 * Owner: the caller, by value. Freestanding, no allocation, any thread. */
#ifndef BOB_FOLD_PIECE_H
#define BOB_FOLD_PIECE_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/fold.h"

/* Maximal number of consecutive empty inner loops. It bounds the work of one step, also for
 * malicious input. A walk ends there, so callers must not make pieces with more. */
#define BOB_PIECE_EMPTY_MAX 64u

/* An iterator over the values of a piece. */
struct bob_piece_walk {
	uint64_t value;			/* value at the position */
	uint64_t left;			/* remaining iterations of the innermost loop, including
					 * this one */
	uint64_t idx[BOB_PIECE_DIMS];	/* idx[0] follows from `left` */
	uint64_t limit[BOB_PIECE_DIMS];	/* counts for the current outer indices */
	uint64_t at[BOB_PIECE_DIMS];	/* value if all indices below this dimension are 0 */
	uint64_t empty;			/* number of empty inner loops skipped */
};

/* Moves to the first value at or after outermost index `from`. `open`: the outermost loop is
 * unbounded. BOB_END: no value, or none within BOB_PIECE_EMPTY_MAX empty loops. */
bob_status bob_piece_begin(const struct bob_piece *p, uint64_t from, int open,
			   struct bob_piece_walk *w);
/* Slow path of bob_piece_next: the innermost loop has ended. */
bob_status bob_piece_carry(const struct bob_piece *p, int open, struct bob_piece_walk *w);

/* Moves to the next value. BOB_END after the last; the walk is then invalid. */
static inline bob_status bob_piece_next(const struct bob_piece *p, int open,
					struct bob_piece_walk *w)
{
	if (__builtin_expect(w->left > 1, 1)) {
		w->left--;
		w->value += p->step[0];
		return BOB_OK;
	}
	return bob_piece_carry(p, open, w);
}

/* Index of the innermost loop at the position. */
static inline uint64_t bob_piece_inner(const struct bob_piece *p, const struct bob_piece_walk *w)
{
	return p->dims ? w->limit[0] - w->left : 0;
}

/* One iteration of the outermost loop of `p`, as a piece. p->dims > 0. */
void bob_piece_iteration(const struct bob_piece *p, uint64_t idx, struct bob_piece *out);
/* Removes loops that always have one iteration. */
void bob_piece_squeeze(struct bob_piece *p);
/* Do both have the same loops, steps and base? */
int bob_piece_equal(const struct bob_piece *a, const struct bob_piece *b);
/* Joins three consecutive pieces to one with one more loop. 0: they do not progress affinely. */
int bob_piece_join(const struct bob_piece *a, const struct bob_piece *b, const struct bob_piece *c,
		   struct bob_piece *out);
/* The complete iterations of loop `d` (not the outermost) before the walk's position, in its
 * current execution. 0: none. These of all loops, from the outermost, are the values of the current
 * outermost iteration before the position. */
int bob_piece_part(const struct bob_piece *p, const struct bob_piece_walk *w, unsigned d,
		   struct bob_piece *out);

/* Encodes a piece. `before` is the base of the previous piece (0 for the first). Writes at most
 * BOB_PIECE_BYTES_MAX bytes. */
#define BOB_PIECE_BYTES_MAX (1 + 10 + BOB_PIECE_DIMS * 20 + 2 + BOB_PIECE_PAIRS * 10)
size_t bob_piece_put(const struct bob_piece *p, uint64_t before, uint8_t *bytes);
/* Decodes a piece at *at, before `end`. *at advances only on BOB_OK. Errors: BOB_ERR_CORRUPT. */
bob_status bob_piece_get(const uint8_t **at, const uint8_t *end, uint64_t before,
			 struct bob_piece *p);

#endif
