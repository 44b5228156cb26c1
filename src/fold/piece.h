/* SPDX-License-Identifier: BSD-3-Clause */
/* Working with pieces (struct bob_piece, bobbin/fold.h): constant, strided, blocked and triangular
 * sequences are one piece each, whatever their length. All arithmetic is modulo 2^64; counts are
 * compared as signed. Nested affine pieces: the EPRSD of ScalaMemTrace (2010), with trip counts
 * that may depend on the loops around them.
 *
 * Owner: the caller, by value. Freestanding, no allocation, any thread. */
#ifndef BOB_FOLD_PIECE_H
#define BOB_FOLD_PIECE_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/fold.h"

/* Inner loops without an iteration that may follow each other: bounds the work of one step, also on
 * hostile input. A walk ends there, so who makes pieces must make none with more. */
#define BOB_PIECE_EMPTY_MAX 64u

/* A position in the values of a piece. */
struct bob_piece_walk {
	uint64_t value;			/* the one at the position */
	uint64_t left;			/* how many more of the innermost loop, this one included */
	uint64_t idx[BOB_PIECE_DIMS];	/* idx[0] is known from `left` */
	uint64_t limit[BOB_PIECE_DIMS];	/* counts at the present outer indices */
	uint64_t at[BOB_PIECE_DIMS];	/* value with the indices below this dimension 0 */
	uint64_t empty;			/* inner loops without an iteration that were passed */
};

/* To the first value at or after outermost index `from`. `open`: the outermost loop has no end.
 * BOB_END: there is none, or none within BOB_PIECE_EMPTY_MAX empty loops. */
bob_status bob_piece_begin(const struct bob_piece *p, uint64_t from, int open,
			   struct bob_piece_walk *w);
/* The carry of a step: the innermost loop has ended. */
bob_status bob_piece_carry(const struct bob_piece *p, int open, struct bob_piece_walk *w);

/* To the next value; BOB_END after the last (the walk is then not to be used). */
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

/* The values of one iteration of the outermost loop of `p`, which has dimensions, as a piece. */
void bob_piece_iteration(const struct bob_piece *p, uint64_t idx, struct bob_piece *out);
/* Without loops that always have one iteration. */
void bob_piece_squeeze(struct bob_piece *p);
/* The same loop nest at the same place? */
int bob_piece_equal(const struct bob_piece *a, const struct bob_piece *b);
/* Three neighbours as one piece with a loop more; 0 if they do not progress affinely. */
int bob_piece_join(const struct bob_piece *a, const struct bob_piece *b, const struct bob_piece *c,
		   struct bob_piece *out);
/* What loop `d`, not the outermost, has done before the walk's position since it began last: 0 if
 * that is no value, else a piece. These of all loops, the outermost first, are the values before
 * the position in the outermost iteration that it is in. */
int bob_piece_part(const struct bob_piece *p, const struct bob_piece_walk *w, unsigned d,
		   struct bob_piece *out);

/* Bytes. `before` is the base of the previous piece (0 for the first); at most
 * BOB_PIECE_BYTES_MAX. */
#define BOB_PIECE_BYTES_MAX (1 + 10 + BOB_PIECE_DIMS * 20 + 2 + BOB_PIECE_PAIRS * 10)
size_t bob_piece_put(const struct bob_piece *p, uint64_t before, uint8_t *bytes);
/* Reads at *at, never beyond `end`; *at moves only on BOB_OK. Else BOB_ERR_CORRUPT. */
bob_status bob_piece_get(const uint8_t **at, const uint8_t *end, uint64_t before,
			 struct bob_piece *p);

#endif
