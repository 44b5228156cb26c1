/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations that fail: a test that includes this and then the sources it tests counts down
 * `no_memory_after` with each; the one at 0 fails, and all after it. Negative: none fails. */
#ifndef BOB_TESTS_NO_MEMORY_H
#define BOB_TESTS_NO_MEMORY_H

#include <stdlib.h>

static int no_memory_after = -1;

static inline int no_memory_now(void)
{
	if (no_memory_after > 0)
		no_memory_after--;
	return !no_memory_after;
}

static inline void *no_memory_realloc(void *old, size_t size)
{
	return no_memory_now() ? NULL : realloc(old, size);
}

static inline void *no_memory_calloc(size_t count, size_t size)
{
	return no_memory_now() ? NULL : calloc(count, size);
}

#define realloc no_memory_realloc
#define calloc no_memory_calloc

#endif
