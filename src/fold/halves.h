/* SPDX-License-Identifier: BSD-3-Clause */
/* A series by halves: every second number is one series, and the rest is split in the same way.
 * Example: in a binomial tree, the number of children of a rank is the number of low zero bits of
 * the rank, and its parent is the rank without its lowest one bit. Such numbers are affine for all
 * ranks with the same lowest bit, so a million ranks take twenty pieces.
 *
 *     halves:   varint levels; varint: bit k is 1 if level k has the odd ones, 0: the even ones; then for each level, and for what
 *               is left at last: varint bytes, series (itself not by halves) */
#ifndef BOB_FOLD_HALVES_H
#define BOB_FOLD_HALVES_H

#include "fold/series.h"

#define BOB_HALVES_MAX 32u	/* levels */

struct bob_halves {
	struct bob_alloc alloc;
	uint64_t index, odd;
	uint32_t levels, opened;
	struct bob_series_reader part[];
};

/* On BOB_OK *out is the caller's (bob_halves_close). BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_halves_open(const struct bob_alloc *alloc, const struct bob_fold_bytes *bytes,
			   struct bob_halves **out);
/* As bob_series_next. */
bob_status bob_halves_next(struct bob_halves *h, uint64_t *value);
void bob_halves_close(struct bob_halves *h); /* NULL is allowed */

/* The numbers of `pieces`, of which there are `count`, by halves, are appended to `b`. BOB_NONE:
 * they are not such a series, or that takes `most` bytes or more. BOB_ERR_NOMEM. */
bob_status bob_halves_put(const struct bob_buffer *pieces, uint64_t count, size_t most,
			  struct bob_buffer *b);

#endif
