/* SPDX-License-Identifier: BSD-3-Clause */
/* Region allocator for host-side parts: memory that lives as long as an open trace or a source
 * file. src/base is freestanding, this folder is not. A zeroed struct is an empty arena. One
 * thread. */
#ifndef BOB_BASE_HOST_ARENA_H
#define BOB_BASE_HOST_ARENA_H

#include <stddef.h>

#include "base/host/vec.h"

struct bob_arena_block;

struct bob_arena {
	struct bob_arena_block *blocks;
	size_t used;	/* in the newest block */
};

/* Zeroed, 16-byte aligned; NULL if there is no memory. Freed by bob_arena_free only. */
void *bob_arena_alloc(struct bob_arena *a, size_t size);
/* `len` bytes and a terminating zero. */
char *bob_arena_text(struct bob_arena *a, const void *bytes, size_t len);
/* What an input calls something, for people to read: as bob_arena_text, but control characters are
 * '?' (plain.h), up to the first zero. */
char *bob_arena_name(struct bob_arena *a, const void *bytes, size_t len);
void bob_arena_free(struct bob_arena *a);

/* For arrays that are not a BOB_VEC yet: memory for one more element of `elem` bytes. 0, or -1 if
 * there is no memory. */
static inline int bob_array_reserve(void *array_ptr, size_t count, size_t *cap, size_t elem)
{
	return bob_vec_reserve(array_ptr, count, cap, elem, 1) == BOB_OK ? 0 : -1;
}

#endif
