/* SPDX-License-Identifier: BSD-3-Clause */
/* A column: a sequence of 64-bit values, folded online into pieces (piece.h). It has one word of
 * one shape in execution order, or the trip counts of one loop.
 *
 * The newest piece is *open*: it predicts the next value. A correct prediction costs a comparison
 * and a count; a misprediction closes the piece. Closed pieces are on a small stack, where three
 * neighbours that progress affinely become one piece with one more loop, which is open again. If
 * the stack is full, its oldest pieces are final and go to `sink`. The values of all pieces that
 * the sink got, in order, are the values that were put in.
 *
 * Owner: the caller; 1.4 KB, no allocation. Threads: one. Freestanding. Budget: <= 3 ns for a
 * predicted value, <= 45 ns for a random one (bench/fold/bench_column.c). */
#ifndef BOB_FOLD_COLUMN_H
#define BOB_FOLD_COLUMN_H

#include "fold/piece.h"

#define BOB_COLUMN_WORDS 120u	/* three pieces of five dimensions, and tips of triangles */
#define BOB_COLUMN_STACK 40u

/* `p` is borrowed. */
typedef void (*bob_piece_sink_fn)(void *ctx, const struct bob_piece *p);

struct bob_column {
	/* position in `open`; of the predicted value, if `predicts` */
	struct bob_piece_walk walk;
	int predicts;
	int is_open;			/* `open` is not on the stack */
	struct bob_piece open;		/* its outermost count is in the walk */
	uint64_t values;		/* total number put in */
	uint64_t pieces;		/* total number given to the sink */
	uint32_t height;		/* pieces on the stack */
	uint32_t used;			/* of `word` */
	uint8_t dims[BOB_COLUMN_STACK];
	uint64_t word[BOB_COLUMN_WORDS]; /* pieces, oldest first: base, (count, step) per loop,
					  * grow */
	bob_piece_sink_fn sink;
	void *ctx;
};

void bob_column_init(struct bob_column *c, bob_piece_sink_fn sink, void *ctx);
/* Sends all pieces to the sink and reinitialises the column. */
void bob_column_finish(struct bob_column *c);

/* Slow path of bob_column_put: a misprediction. */
void bob_column_surprise(struct bob_column *c, uint64_t v);
/* Advances the prediction at the end of the innermost loop. */
void bob_column_carry(struct bob_column *c);

/* Advances the prediction after a correct one. */
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
