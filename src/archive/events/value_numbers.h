/* SPDX-License-Identifier: BSD-3-Clause */
/* Distribution of the numbers that hooks supply at events (bobbin/hooks.h): count, extremes, sums
 * and a histogram. Few different numbers are counted exactly. If there are more, bins are formed by
 * the upper bits of the numbers and widened only as much as necessary. So the result does not
 * depend on the order in which values are added or sets are united (sums: up to rounding).
 *
 * The key of a number is the bits of the double, all inverted if it is negative, otherwise with the
 * sign bit set, so that keys are ordered like numbers. A bin is key >> shift; shift is 0 (exact) or
 * 50 (four bins per power of two), 51, ...
 *
 *     bytes: LEB128: count, shift, bins; for each the difference to the previous bin and its count;
 *            u64 bits of min, max, sum, sum of squares
 *
 * Pure functions. Owner: the caller. Threads: any. */
#ifndef BOB_ARCHIVE_VALUE_NUMBERS_H
#define BOB_ARCHIVE_VALUE_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#define BOB_VALUE_BINS 48u
#define BOB_VALUE_FIRST_SHIFT 50u

struct bob_value_bin {
	uint64_t bin, count;
};

struct bob_value_numbers {
	uint64_t count;
	double min, max, sum, square;
	uint32_t shift;
	uint32_t bins;
	struct bob_value_bin bin[BOB_VALUE_BINS]; /* ascending */
};

/* All NaNs are one value, greater than all others. */
void bob_value_add(struct bob_value_numbers *n, double value);
void bob_value_unite(struct bob_value_numbers *n, const struct bob_value_numbers *with);
/* The smallest number of a bin; the largest is just below that of the next one. */
double bob_value_of_bin(uint64_t bin, uint32_t shift);
/* Could the functions above have produced it? */
int bob_value_is_valid(const struct bob_value_numbers *n);

/* Writes at most `capacity` bytes. Returns the size needed, at most BOB_VALUE_BYTES_MAX. */
#define BOB_VALUE_BYTES_MAX 1024u
size_t bob_value_pack(const struct bob_value_numbers *n, void *to, size_t capacity);
/* Errors: BOB_ERR_CORRUPT. */
bob_status bob_value_unpack(const void *bytes, size_t len, struct bob_value_numbers *n);

#endif
