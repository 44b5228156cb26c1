/* SPDX-License-Identifier: BSD-3-Clause */
/* Value stream: values that are not affine, from columns that were given up (random indices,
 * pointers). All values of a thread go into one stream, in execution order, whatever their column,
 * because programs repeat themselves across columns: a sweep over a matrix reads the same indices
 * every time.
 *
 * Each value is coded as the difference to the column's last value. The prediction is the
 * difference that followed the last occurrence of the two previous differences, at most 2^bits
 * values ago (a context model of order 2). Only the lengths of runs of correct predictions and the
 * mispredicted differences are written. The reader predicts likewise.
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
#define BOB_VALUES_TOKEN_MAX 20u	/* maximal bytes of tokens per value */
#define BOB_VALUES_ROW 64u		/* capacity of the pending buffer, which is coded at once */

/* The predictor, shared by reader and writer. */
struct bob_values_model {
	uint32_t *past;		/* ring buffer: 2^bits differences, zigzag; BOB_VALUES_LARGE if
				 * larger */
	/* hash table: position after the last occurrence of a context; 2^bits / 4 entries, because
	 * while predictions are correct only every fourth is entered */
	uint32_t *seen;
	uint64_t hash, factor;
	uint32_t bits;
	uint32_t pos;		/* values so far, modulo 2^32 */
	uint32_t match;		/* position of the prediction */
	uint32_t has_match;
};

size_t bob_values_size(unsigned bits);
/* Clears the part of a new model that is read before it is written, a fifth of `mem`. */
void bob_values_clear(void *mem, unsigned bits);
/* Sets the order of a new model: the context is the last 64 / `shift` (rounded up) differences.
 * Default: 22. */
void bob_values_order(struct bob_values_model *m, unsigned shift);

struct bob_values_enc {
	struct bob_values_model model;
	uint64_t hits;		/* predicted values without a token yet */
	uint64_t bytes;		/* given to the sink */
	uint32_t used;		/* of `buffer` */
	uint32_t waiting;	/* pending differences in `row`; they follow everything else */
	uint64_t row[BOB_VALUES_ROW];
	uint8_t buffer[256];
	/* `bytes` are borrowed */
	void (*sink)(void *ctx, const uint8_t *bytes, size_t len);
	void *ctx;
};

/* `mem`: bob_values_size(bits) bytes, zeroed (bob_values_clear is enough), aligned to 8. */
void bob_values_enc_init(struct bob_values_enc *e, void *mem, unsigned bits,
			 void (*sink)(void *ctx, const uint8_t *bytes, size_t len), void *ctx);
/* Restarts with another history. Keeps buffered bytes. There must be no pending predictions. */
void bob_values_enc_forget(struct bob_values_enc *e, void *mem, unsigned bits);
/* Codes the pending differences. */
void bob_values_settle(struct bob_values_enc *e);
/* `last` is the previous value of the same column (0 at first); it becomes `value`. Hot path: only
 * appends to the pending buffer. In total <= 3 ns for a predicted value. */
static inline void bob_values_put(struct bob_values_enc *e, uint64_t *last, uint64_t value)
{
	if (__builtin_expect(e->waiting == BOB_VALUES_ROW, 0))
		bob_values_settle(e);
	e->row[e->waiting++] = value - *last;
	*last = value;
}

/* Codes and outputs everything, so that all values can be decoded from the bytes given. */
void bob_values_flush(struct bob_values_enc *e);
/* Puts `n` consecutive values of one column. */
void bob_values_put_row(struct bob_values_enc *e, uint64_t *last, const uint64_t *value, size_t n);
/* Writes what completes the output so far, at most BOB_VALUES_REST_MAX bytes. Does not change the
 * state, so pending differences are written without prediction; flush first for shorter output. */
#define BOB_VALUES_REST_MAX (256u + 10u + 10u * BOB_VALUES_ROW)
/* Writes the token of a mispredicted difference; at most 10 bytes. */
size_t bob_values_token(uint8_t *bytes, uint64_t difference);
size_t bob_values_rest(const struct bob_values_enc *e, uint8_t *bytes);

struct bob_values_dec {
	struct bob_values_model model;
	uint64_t hits;
	const uint8_t *at, *end;
};

void bob_values_dec_init(struct bob_values_dec *d, void *mem, unsigned bits, const uint8_t *bytes,
			 size_t len);
/* Decodes the next value of the column whose previous value is *last. Returns BOB_END at the end.
 * Errors: BOB_ERR_CORRUPT. */
bob_status bob_values_get(struct bob_values_dec *d, uint64_t *last);

#endif
