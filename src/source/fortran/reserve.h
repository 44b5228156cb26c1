/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow within an arena. Outgrown memory is freed with the arena. */
#ifndef BOB_SOURCE_FORTRAN_RESERVE_H
#define BOB_SOURCE_FORTRAN_RESERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/host/arena.h"

/* Ensures capacity for one more element of `elem` bytes; false: no memory, the array is
 * unchanged. */
static inline bool bob_fortran_reserve(struct bob_arena *arena, void *array_ptr, uint32_t count,
				       uint32_t *capacity, size_t elem)
{
	uint32_t want = *capacity ? *capacity * 2 : 16;
	void *old, *p;

	if (count < *capacity)
		return true;
	if (want > UINT32_MAX / 4)
		return false;
	memcpy(&old, array_ptr, sizeof(old));
	p = bob_arena_alloc(arena, want * elem);
	if (!p)
		return false;
	if (count)
		memcpy(p, old, count * elem);
	memcpy(array_ptr, &p, sizeof(p));
	*capacity = want;
	return true;
}

#endif
