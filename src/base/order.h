/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison functions for qsort and bsearch as lists of keys:
 *
 *	BOB_COMPARE(by_calls, struct arc, BOB_DOWN(calls) BOB_UP(caller) BOB_TEXT(callee))
 *
 * defines `by_calls` for rows of struct arc: the most calls first, equal ones by caller, then by
 * the callee's name. A key is a member of the row; a later one counts where all before it are
 * equal. Freestanding but for strcmp and memcmp. */
#ifndef BOB_BASE_ORDER_H
#define BOB_BASE_ORDER_H

#include <stdint.h>
#include <string.h>

#define BOB_COMPARE(name, type, keys)                                                              \
	static int name(const void *bob_a, const void *bob_b)                                      \
	{                                                                                          \
		const type *x = bob_a, *y = bob_b;                                                 \
                                                                                                   \
		keys return 0;                                                                     \
	}

/* The rows are pointers to `type`. */
#define BOB_COMPARE_POINTERS(name, type, keys)                                                     \
	static int name(const void *bob_a, const void *bob_b)                                      \
	{                                                                                          \
		const type *x = *(const type *const *)bob_a, *y = *(const type *const *)bob_b;     \
                                                                                                   \
		keys return 0;                                                                     \
	}

/* Numbers, ascending and descending. */
#define BOB_UP(key)                                                                                \
	if (x->key != y->key)                                                                      \
		return x->key < y->key ? -1 : 1;
#define BOB_DOWN(key)                                                                              \
	if (x->key != y->key)                                                                      \
		return x->key > y->key ? -1 : 1;
/* A number that function `of` computes of a row, descending. */
#define BOB_DOWN_BY(of)                                                                            \
	if (of(x) != of(y))                                                                        \
		return of(x) > of(y) ? -1 : 1;
/* Strings that end with a zero, and arrays of bytes. */
#define BOB_TEXT(key)                                                                              \
	if (strcmp(x->key, y->key) != 0)                                                           \
		return strcmp(x->key, y->key);
#define BOB_BYTES(key)                                                                             \
	if (memcmp(x->key, y->key, sizeof(x->key)) != 0)                                           \
		return memcmp(x->key, y->key, sizeof(x->key));

/* Plain numbers. */
static inline int bob_compare_u32(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static inline int bob_compare_u64(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

#endif
