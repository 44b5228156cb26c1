/* SPDX-License-Identifier: BSD-3-Clause */
/* A series that is affine in each bit of the index: number i is the first one, and a step for each
 * bit that is 1 in i. A rank's partner in a butterfly is rank ^ 2^k, in a transposition its number
 * with two halves of its bits swapped: such rows are half as many pieces as there are ranks, but
 * twenty steps for a million of them.
 *
 *     bits:     varint numbers, at most 2^32; zigzag first; for each bit of numbers - 1, from the lowest on: zigzag step, less
 *               twice the step of the bit before (lowest: less 0)
 *
 * Written and read one number after the other, by who owns the bytes: two steps are read for a
 * number, on average. Freestanding; any thread. */
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
