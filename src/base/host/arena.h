/* SPDX-License-Identifier: BSD-3-Clause */
/* Region allocator for host-side parts: allocations live until the whole arena is freed, for
 * example as long as an open trace or a source file. Not freestanding, unlike src/base itself. A
 * zeroed struct is an empty arena. Threads: one. */
#ifndef BOB_BASE_HOST_ARENA_H
#define BOB_BASE_HOST_ARENA_H

#include <stddef.h>

#include "base/host/vec.h"

struct bob_arena_block;

struct bob_arena {
	struct bob_arena_block *blocks;
	size_t used;	/* in the newest block */
};

/* Returns zeroed memory, 16-byte aligned, or NULL if there is no memory. Only bob_arena_free frees
 * it. */
void *bob_arena_alloc(struct bob_arena *a, size_t size);
/* Copy `len` bytes and append a zero byte. */
char *bob_arena_text(struct bob_arena *a, const void *bytes, size_t len);
/* Copy a name from untrusted input for display: up to the first zero byte, with control characters
 * replaced by '?' (plain.h). */
char *bob_arena_name(struct bob_arena *a, const void *bytes, size_t len);
void bob_arena_free(struct bob_arena *a);

/* Reserve memory for one more element of `elem` bytes, for arrays that are not a BOB_VEC yet.
 * Returns 0, or -1 if there is no memory. */
static inline int bob_array_reserve(void *array_ptr, size_t count, size_t *cap, size_t elem)
{
	return bob_vec_reserve(array_ptr, count, cap, elem, 1) == BOB_OK ? 0 : -1;
}

#endif
