/* SPDX-License-Identifier: BSD-3-Clause */
/* A series that is affine in each bit of the index: number i is the first one, and a step for each
 * bit that is 1 in i. Examples: partners in a butterfly (rank ^ 2^k) and in a transposition (the
 * halves of the bits swapped). As pieces, such rows take one for every two ranks; as steps of bits,
 * a million ranks take twenty.
 *
 *     bits:     varint numbers, at most 2^32; zigzag first; for each bit of numbers - 1, from the lowest on: zigzag step, less
 *               twice the step of the bit before (lowest: less 0)
 *
 * Written and read one number after the other. The reader decodes two steps per number on average.
 * The caller owns the bytes. Freestanding; any thread. */
#ifndef BOB_FOLD_BITS_H
#define BOB_FOLD_BITS_H

#include "fold/buffer.h"

struct bob_bits_reader {
	const uint8_t *steps, *end;
	uint64_t index, count;	/* the next number's; of all */
	uint64_t before;	/* the number before, or the first one */
};

/* What the reader reads stays the caller's. BOB_ERR_CORRUPT. */
bob_status bob_bits_open(const struct bob_fold_bytes *bytes, struct bob_bits_reader *r);
/* BOB_END, BOB_ERR_CORRUPT. */
bob_status bob_bits_next(struct bob_bits_reader *r, uint64_t *value);

/* The numbers of `pieces`, of which there are `count`, are appended to `b`. BOB_NONE: they are not
 * such a series, or that takes `most` bytes or more. Work: up to the first number that differs. */
bob_status bob_bits_put(const struct bob_buffer *pieces, uint64_t count, size_t most,
			struct bob_buffer *b);

#endif
