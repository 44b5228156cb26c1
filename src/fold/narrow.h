/* SPDX-License-Identifier: BSD-3-Clause */
/* Frame of reference with bit packing, for a series without a rule. Each block of 64 numbers stores
 * their minimum, and the differences to it in as many bits as the largest one needs. Meant for
 * counts and partners that differ between participants; as pieces they take three or more bytes
 * each.
 *
 *     narrow:   varint 2 * numbers + order; order 1: differences to the previous number (0 for the
 *               first) are packed instead of the numbers
 *     block:    of 64 numbers, the last block of the rest: zigzag minimum, relative to that of the
 *               previous block; u8 bits per number, at most 64; the numbers minus the minimum, bit
 *               by bit from the lowest, padded to a whole byte
 *
 * Written and read sequentially. The caller owns the bytes. Freestanding; any thread. */
#ifndef BOB_FOLD_NARROW_H
#define BOB_FOLD_NARROW_H

#include "fold/buffer.h"

struct bob_narrow_reader {
	const uint8_t *at, *end;	/* the next block */
	const uint8_t *bits;		/* packed bits of the current block */
	uint64_t left;			/* remaining numbers, including those of this block */
	uint64_t least, before;
	uint32_t order, in_block, index, width;
};

/* Borrows `bytes`. Errors: BOB_ERR_CORRUPT. */
bob_status bob_narrow_open(const struct bob_fold_bytes *bytes, struct bob_narrow_reader *r);
/* Returns BOB_END or BOB_ERR_CORRUPT at the end. */
bob_status bob_narrow_next(struct bob_narrow_reader *r, uint64_t *value);

/* Appends the `count` numbers of `pieces` to `b`. BOB_NONE: that takes `most` bytes or more. */
bob_status bob_narrow_put(const struct bob_buffer *pieces, uint64_t count, size_t most,
			  struct bob_buffer *b);

#endif
