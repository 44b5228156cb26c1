/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary search in arrays of structs that are sorted by a uint64_t member. Freestanding. */
#ifndef BOB_BASE_SEARCH_H
#define BOB_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Lower bound: the number of elements whose key is less than `key`. */
static inline size_t bob_count_below(const void *array, size_t count, size_t size, size_t key_at,
				     uint64_t key)
{
	size_t lo = 0, hi = count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		uint64_t k;

		memcpy(&k, (const char *)array + mid * size + key_at, sizeof(k));
		if (k < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

#define BOB_COUNT_BELOW(array, count, type, key, value)                                            \
	bob_count_below(array, count, sizeof(type), offsetof(type, key), value)
/* Upper bound: the number of elements whose key is `value` or less. The element before it is the
 * last one that begins at or before `value`. */
#define BOB_COUNT_UP_TO(array, count, type, key, value)                                            \
	((value) == UINT64_MAX ? (count) : BOB_COUNT_BELOW(array, count, type, key, (value) + 1))

#endif
