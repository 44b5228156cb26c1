/* SPDX-License-Identifier: BSD-3-Clause */
/* A column: a sequence of 64-bit values, folded into pieces (piece.h) while it comes in. One word
 * of one shape in execution order, or the trip counts of one loop.
 *
 * The newest piece is *open*: it predicts the next value, and a value that is as predicted costs a
 * comparison and a count. A value that is not closes it. Closed pieces wait on a small stack, where
 * three neighbours that progress affinely become one piece with a loop more, which is open again.
 * What does not fit into the stack is final and goes to `sink`, oldest first: the values of all
 * pieces given to the sink, in order, are the values that were put in.
 *
 * Owner: the caller; 1.4 KB, no allocation. Threads: one. Freestanding. Budget: <= 3 ns for a
 * predicted value, <= 45 ns for a random one (bench/fold/bench_column.c). */
#ifndef BOB_FOLD_COLUMN_H
#define BOB_FOLD_COLUMN_H

#include "fold/piece.h"

#define BOB_COLUMN_WORDS 120u	/* three pieces of five dimensions, and the tips of triangles */
#define BOB_COLUMN_STACK 40u

/* `p` is borrowed. */
typedef void (*bob_piece_sink_fn)(void *ctx, const struct bob_piece *p);

struct bob_column {
	/* how far `open` has come; at the predicted value, if `predicts` */
	struct bob_piece_walk walk;
	int predicts;
	int is_open;			/* `open` is not on the stack yet */
	struct bob_piece open;		/* its outermost count is in the walk */
	uint64_t values;		/* put in so far */
	uint64_t pieces;		/* given to the sink so far */
	uint32_t height;		/* pieces on the stack */
	uint32_t used;			/* words of it */
	uint8_t dims[BOB_COLUMN_STACK];
	uint64_t word[BOB_COLUMN_WORDS]; /* oldest first: base, (count, step) each, grow */
	bob_piece_sink_fn sink;
	void *ctx;
};

void bob_column_init(struct bob_column *c, bob_piece_sink_fn sink, void *ctx);
/* All that is left goes to the sink; the column is then as after init. */
void bob_column_finish(struct bob_column *c);

/* The cold half of bob_column_put. */
void bob_column_surprise(struct bob_column *c, uint64_t v);
/* The predicted value has come and its innermost loop with it. */
void bob_column_carry(struct bob_column *c);

/* The predicted value has come. */
static inline void bob_column_accept(struct bob_column *c)
{
	if (__builtin_expect(c->walk.left > 1, 1)) {
		c->walk.left--;
		c->walk.value += c->open.step[0];
		return;
	}
	bob_column_carry(c);
}

static inline void bob_column_put(struct bob_column *c, uint64_t v)
{
	c->values++;
	if (__builtin_expect(c->predicts && v == c->walk.value, 1))
		bob_column_accept(c);
	else
		bob_column_surprise(c, v);
}

#endif
