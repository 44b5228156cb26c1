/* SPDX-License-Identifier: BSD-3-Clause */
/* Frame of reference with bit packing, for a series without a rule: of each block of 64 numbers the
 * least one, and the differences to it, in as many bits as the largest difference needs. It is
 * meant for counts and partners that differ from participant to participant, which take three or
 * more bytes each as pieces.
 *
 *     narrow:   varint 2 * numbers + order; order 1: what is packed are differences to the number before (0 before the first)
 *     block:    of 64 numbers, the last one of those left: zigzag least, less that of the block before; u8 bits of a number, at most 64; numbers less the least, bit by bit from the
 *               lowest on, to a whole byte
 *
 * Written and read one number after the other. The caller owns the bytes. Freestanding; any
 * thread. */
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
