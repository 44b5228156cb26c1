/* SPDX-License-Identifier: BSD-3-Clause */
/* A series without a rule: blocks of 64 numbers, of each block the least one, and by how much the
 * others are larger, in as many bits as the largest of these needs. For counts and partners that
 * each participant has its own of: a piece takes three bytes and more for each.
 *
 *     narrow:   varint 2 * numbers + order; order 1: what is packed are differences to the number before (0 before the first)
 *     block:    of 64 numbers, the last one of those left: zigzag least, less that of the block before; u8 bits of a number, at most 64; numbers less the least, bit by bit from the
 *               lowest on, to a whole byte
 *
 * Written and read one number after the other, by who owns the bytes. Freestanding; any thread. */
#ifndef BOB_FOLD_NARROW_H
#define BOB_FOLD_NARROW_H

#include "fold/buffer.h"

struct bob_narrow_reader {
	const uint8_t *at, *end;	/* the next block */
	const uint8_t *bits;		/* of the present one */
	uint64_t left;			/* numbers, this block's among them */
	uint64_t least, before;
	uint32_t order, in_block, index, width;
};

/* What the reader reads stays the caller's. BOB_ERR_CORRUPT. */
bob_status bob_narrow_open(const struct bob_fold_bytes *bytes, struct bob_narrow_reader *r);
/* BOB_END, BOB_ERR_CORRUPT. */
bob_status bob_narrow_next(struct bob_narrow_reader *r, uint64_t *value);

/* The numbers of `pieces`, of which there are `count`, are appended to `b`. BOB_NONE: that takes
 * `most` bytes or more. */
bob_status bob_narrow_put(const struct bob_buffer *pieces, uint64_t count, size_t most,
			  struct bob_buffer *b);

#endif
