/* SPDX-License-Identifier: BSD-3-Clause */
/* A series that is affine in each bit of the index: number i is the first number plus one step per
 * bit that is set in i. Examples: partners in a butterfly (rank ^ 2^k) and in a transposition (the
 * halves of the bits swapped). As pieces, such a row needs one piece per two ranks; as steps per
 * bit, a million ranks need twenty steps.
 *
 *     bits:     varint numbers, at most 2^32; zigzag first; for each bit of numbers - 1, from the
 *               lowest: zigzag step, minus twice the step of the next lower bit (lowest: unchanged)
 *
 * Written and read sequentially. The reader decodes two steps per number on average. The caller
 * owns the bytes. Freestanding; any thread. */
#ifndef BOB_FOLD_BITS_H
#define BOB_FOLD_BITS_H

#include "fold/buffer.h"

struct bob_bits_reader {
	const uint8_t *steps, *end;
	uint64_t index, count;	/* index of the next number; total */
	uint64_t before;	/* previous number, or the first one */
};

/* Borrows `bytes`. Errors: BOB_ERR_CORRUPT. */
bob_status bob_bits_open(const struct bob_fold_bytes *bytes, struct bob_bits_reader *r);
/* Returns BOB_END or BOB_ERR_CORRUPT at the end. */
bob_status bob_bits_next(struct bob_bits_reader *r, uint64_t *value);

/* Appends the `count` numbers of `pieces` to `b`. BOB_NONE: the numbers are not such a series, or
 * it takes `most` bytes or more. Work: up to the first number that differs. */
bob_status bob_bits_put(const struct bob_buffer *pieces, uint64_t count, size_t most,
			struct bob_buffer *b);

#endif
