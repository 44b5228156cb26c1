/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that are not affine: those of columns that were given up (random indices, pointers). All
 * of a thread go into one stream, in the order of execution, whatever column they are of: programs
 * repeat themselves across columns, a sweep over a matrix reads the same indices every time.
 *
 * What is coded is the difference to the column's last value. A difference is predicted by the one
 * that followed the last occurrence of the two before it, at most 2^bits values ago (a context
 * model of order 2). Only the counts of right predictions in a row and the differences that were
 * not predicted are written. The reader predicts likewise.
 *
 *     token: varint 2n, n > 0        n predicted values
 *            varint 2z + 1           a difference, zigzag z < 2^63
 *            varint 0, 8 bytes       any difference, little endian
 *
 * Tokens of predicted values are as long as possible. Owner: the caller, also of the memory.
 * Threads: one. Freestanding. Budget: <= 5 ns for a predicted value, <= 20 ns for another
 * (bench/fold/bench_values.c). */
#ifndef BOB_FOLD_VALUES_H
#define BOB_FOLD_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#define BOB_VALUES_BITS_MIN 8u
#define BOB_VALUES_LARGE UINT32_MAX
#define BOB_VALUES_TOKEN_MAX 20u	/* bytes of the tokens that one value can bring */
#define BOB_VALUES_ROW 64u		/* differences that wait until they are coded together */

/* What reader and writer share. */
struct bob_values_model {
	uint32_t *past;		/* 2^bits differences, zigzag; BOB_VALUES_LARGE */
	uint32_t *
		seen; /* position after the last place where three differences came, by hash; a quarter as
				 * many, since where predictions are right only every fourth is entered */
	uint64_t hash, factor;
	uint32_t bits;
	uint32_t pos;		/* values so far, modulo 2^32 */
	uint32_t match;		/* position of the prediction */
	uint32_t has_match;
};

size_t bob_values_size(unsigned bits);
/* Clears what a new model reads before it writes there, a fifth of `mem`. */
void bob_values_clear(void *mem, unsigned bits);
/* Of a model that has seen nothing yet: a difference is predicted by the 64 / `shift` (rounded up)
 * before it. 22 if not called. */
void bob_values_order(struct bob_values_model *m, unsigned shift);

struct bob_values_enc {
	struct bob_values_model model;
	uint64_t hits;		/* predicted ones that no token reports yet */
	uint64_t bytes;		/* given to the sink */
	uint32_t used;		/* of the buffer, not given yet */
	uint32_t waiting;	/* differences in `row`, which follow all else */
	uint64_t row[BOB_VALUES_ROW];
	uint8_t buffer[256];
	/* `bytes` are borrowed */
	void (*sink)(void *ctx, const uint8_t *bytes, size_t len);
	void *ctx;
};

/* `mem` is bob_values_size(bits) bytes, zeroed (bob_values_clear is enough), aligned to 8. */
void bob_values_enc_init(struct bob_values_enc *e, void *mem, unsigned bits,
			 void (*sink)(void *ctx, const uint8_t *bytes, size_t len), void *ctx);
/* It begins again with another history, and keeps what is not given away yet. No prediction is
 * pending. */
void bob_values_enc_forget(struct bob_values_enc *e, void *mem, unsigned bits);
/* What waits is coded. */
void bob_values_settle(struct bob_values_enc *e);
/* `last` is the last value of the same column (0 at first); it becomes `value`. Hot path: it waits;
 * <= 3 ns for a predicted one in the end. */
static inline void bob_values_put(struct bob_values_enc *e, uint64_t *last, uint64_t value)
{
	if (__builtin_expect(e->waiting == BOB_VALUES_ROW, 0))
		bob_values_settle(e);
	e->row[e->waiting++] = value - *last;
	*last = value;
}

/* What was put in so far can be read from the bytes given. */
void bob_values_flush(struct bob_values_enc *e);
/* `n` values of one column, one after the other. */
void bob_values_put_row(struct bob_values_enc *e, uint64_t *last, const uint64_t *value, size_t n);
/* What completes the bytes given, at most BOB_VALUES_REST_MAX; nothing changes, so what waits is
 * not predicted: what has to be short is flushed. */
#define BOB_VALUES_REST_MAX (256u + 10u + 10u * BOB_VALUES_ROW)
/* The token of a difference that was not predicted; at most 10 bytes. */
size_t bob_values_token(uint8_t *bytes, uint64_t difference);
size_t bob_values_rest(const struct bob_values_enc *e, uint8_t *bytes);

struct bob_values_dec {
	struct bob_values_model model;
	uint64_t hits;
	const uint8_t *at, *end;
};

void bob_values_dec_init(struct bob_values_dec *d, void *mem, unsigned bits, const uint8_t *bytes,
			 size_t len);
/* The next value of the column whose last one is `last`. BOB_END: there is none.
 * BOB_ERR_CORRUPT. */
bob_status bob_values_get(struct bob_values_dec *d, uint64_t *last);

#endif
