/* SPDX-License-Identifier: BSD-3-Clause */
/* A series by halves: every second number forms one series, and the rest is split in the same way.
 * Example: in a binomial tree, the number of children of a rank is the number of its low zero bits,
 * and its parent is the rank without its lowest one bit. Such numbers are affine over the ranks
 * with the same lowest bit, so a million ranks take twenty pieces.
 *
 *     halves:   varint levels; varint: bit k is 1 if level k has the odd numbers, 0: the even
 *               ones; then for each level, and for the remaining numbers: varint bytes, series
 *               (itself not by halves) */
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

/* On BOB_OK the caller owns *out (bob_halves_close). Errors: BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_halves_open(const struct bob_alloc *alloc, const struct bob_fold_bytes *bytes,
			   struct bob_halves **out);
/* See bob_series_next. */
bob_status bob_halves_next(struct bob_halves *h, uint64_t *value);
void bob_halves_close(struct bob_halves *h); /* NULL is allowed */

/* Appends the `count` numbers of `pieces` by halves to `b`. BOB_NONE: the numbers are not such a
 * series, or it takes `most` bytes or more. Errors: BOB_ERR_NOMEM. */
bob_status bob_halves_put(const struct bob_buffer *pieces, uint64_t count, size_t most,
			  struct bob_buffer *b);

#endif
