/* SPDX-License-Identifier: BSD-3-Clause */
/* Copying structs of the library's interface that may grow at their end ("Sized" in bobbin.h): a
 * caller that was compiled with an older version has a shorter one. Freestanding. */
#ifndef BOB_BASE_SIZED_H
#define BOB_BASE_SIZED_H

#include <stddef.h>
#include <string.h>

/* Copy as much of `from` as the caller's struct can hold. Members that only the caller knows become
 * zero. */
static inline void bob_sized_copy(void *to, size_t to_size, const void *from, size_t from_size)
{
	const size_t common = to_size < from_size ? to_size : from_size;

	memcpy(to, from, common);
	memset((char *)to + common, 0, to_size - common);
}

#endif
