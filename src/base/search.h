/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary search in arrays of structs that are sorted by a uint64_t member. Freestanding. */
#ifndef BOB_BASE_SEARCH_H
#define BOB_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Binary search for the partition point: `first`, a size_t of the caller's, becomes the number of
 * the first of `count` elements for which `is_before` is false, or `count`. `is_before` is an
 * expression of the element's number `i`; it is true for all elements before that one and false
 * for all after it. */
#define BOB_PARTITION_POINT(first, count, i, is_before)                                            \
	do {                                                                                       \
		size_t bob_end = (count);                                                          \
                                                                                                   \
		(first) = 0;                                                                       \
		while ((first) < bob_end) {                                                        \
			const size_t i = (first) + (bob_end - (first)) / 2;                        \
                                                                                                   \
			if (is_before)                                                             \
				(first) = i + 1;                                                   \
			else                                                                       \
				bob_end = i;                                                       \
		}                                                                                  \
	} while (0)

static inline uint64_t bob_key_at(const char *at)
{
	uint64_t key;

	memcpy(&key, at, sizeof(key));
	return key;
}

/* Lower bound of a uint64_t key in each element: the number of elements whose key is less than
 * `key`. */
static inline size_t bob_count_below(const void *array, size_t count, size_t size, size_t key_at,
				     uint64_t key)
{
	const char *at = array; /* may be NULL if there are no elements */
	size_t first;

	BOB_PARTITION_POINT(first, count, i, bob_key_at(at + i * size + key_at) < key);
	return first;
}

#define BOB_COUNT_BELOW(array, count, type, key, value)                                            \
	bob_count_below(array, count, sizeof(type), offsetof(type, key), value)
/* Upper bound: the number of elements whose key is `value` or less. The element before it is the
 * last one that begins at or before `value`. */
#define BOB_COUNT_UP_TO(array, count, type, key, value)                                            \
	((value) == UINT64_MAX ? (count) : BOB_COUNT_BELOW(array, count, type, key, (value) + 1))

#endif
