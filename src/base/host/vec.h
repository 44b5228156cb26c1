/* SPDX-License-Identifier: BSD-3-Clause */
/* A typed array that grows by doubling. It is a named member, or an unnamed one that adds its
 * fields to the struct around it:
 *
 * 	BOB_VEC(struct row) rows;		rows.at[i], rows.count, rows.cap
 * 	struct table { BOB_VEC(struct row); };	table.at[i], table.count, table.cap
 *
 * A zeroed vec is empty. Callers may lower `count`.
 *
 * Owner: the caller, who frees with BOB_VEC_FREE, or passes `at` on to be freed with free().
 * Pointers to elements are valid until the next push, add or reserve. Threads: one while it
 * changes. Units: elements. Errors: BOB_ERR_NOMEM, also if the size would overflow; the vec is then
 * unchanged. */
#ifndef BOB_BASE_VEC_H
#define BOB_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bobbin/status.h"

#define BOB_VEC(type)                                                                              \
	struct {                                                                                   \
		type *at;                                                                          \
		size_t count, cap;                                                                 \
	}

/* A named struct type for a vec. */
#define BOB_VEC_OF(name, type)                                                                     \
	struct name {                                                                              \
		BOB_VEC(type);                                                                     \
	}

/* Reserve memory for `more` further elements. Returns a bob_status. */
#define BOB_VEC_RESERVE(v, more)                                                                   \
	bob_vec_reserve(&(v)->at, (v)->count, &(v)->cap, sizeof(*(v)->at), more)
/* Append a zeroed element. Returns its address, or NULL. */
#define BOB_VEC_PUSH(v)                                                                            \
	((__typeof__((v)->at))bob_vec_push(&(v)->at, &(v)->count, &(v)->cap, sizeof(*(v)->at)))
/* Append a value, which is evaluated only if there is memory. Returns a bob_status. */
#define BOB_VEC_ADD(v, ...)                                                                        \
	(BOB_VEC_RESERVE(v, 1) ? BOB_ERR_NOMEM :                                                   \
				 ((v)->at[(v)->count] = __VA_ARGS__, (v)->count++, BOB_OK))
/* Grow to at least `n` elements; new ones are zeroed. Returns a bob_status. */
#define BOB_VEC_REACH(v, n) bob_vec_reach(&(v)->at, &(v)->count, &(v)->cap, sizeof(*(v)->at), n)
/* Free the memory. The vec is empty afterwards. */
#define BOB_VEC_FREE(v) bob_vec_free(&(v)->at, &(v)->count, &(v)->cap)

/* `array` is the address of a pointer to elements of `size` bytes. */
bob_status bob_vec_grow(void *array, size_t count, size_t *cap, size_t size, size_t more);

static inline bob_status bob_vec_reserve(void *array, size_t count, size_t *cap, size_t size,
					 size_t more)
{
	return more <= *cap - count ? BOB_OK : bob_vec_grow(array, count, cap, size, more);
}

bob_status bob_vec_reach(void *array, size_t *count, size_t *cap, size_t size, size_t n);

static inline void *bob_vec_push(void *array, size_t *count, size_t *cap, size_t size)
{
	char *at;

	if (bob_vec_reserve(array, *count, cap, size, 1) != BOB_OK)
		return NULL;
	memcpy(&at, array, sizeof(at));
	return memset(at + (*count)++ * size, 0, size);
}

static inline void bob_vec_free(void *array, size_t *count, size_t *cap)
{
	void *at;

	memcpy(&at, array, sizeof(at));
	free(at);
	memset(array, 0, sizeof(at));
	*count = *cap = 0;
}

#endif
