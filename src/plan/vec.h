/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing arrays for the planner: BOB_PLAN_VEC(name, type) makes `struct name { at, count, room }`;
 * BOB_PLAN_PUSH(vec) appends a zeroed element and gives its address, or NULL without memory.
 * Free `at` with free(). */
#ifndef BOB_PLAN_VEC_H
#define BOB_PLAN_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BOB_PLAN_VEC(name, type)                                                                   \
	struct name {                                                                              \
		type *at;                                                                          \
		size_t count;                                                                      \
		size_t room;                                                                       \
	}

#define BOB_PLAN_PUSH(v)                                                                           \
	((__typeof__((v)->at))bob_plan_push((void **)&(v)->at, &(v)->count, &(v)->room,            \
					    sizeof(*(v)->at)))

/* Make room for `more` further elements. Returns 0, or -1 without memory. */
#define BOB_PLAN_RESERVE(v, more)                                                                  \
	bob_plan_reserve((void **)&(v)->at, (v)->count, &(v)->room, more, sizeof(*(v)->at))

static inline int bob_plan_reserve(void **at, size_t count, size_t *room, size_t more, size_t size)
{
	size_t want = *room ? *room : 64;
	void *p;

	if (more <= *room - count)
		return 0;
	if (more > SIZE_MAX / 4 / size - count)
		return -1;
	while (want < count + more)
		want *= 2;
	p = realloc(*at, want * size);
	if (!p)
		return -1;
	*at = p;
	*room = want;
	return 0;
}

static inline void *bob_plan_push(void **at, size_t *count, size_t *room, size_t size)
{
	void *p;

	if (*count == *room && bob_plan_reserve(at, *count, room, 1, size) != 0)
		return NULL;
	p = (char *)*at + *count * size;
	memset(p, 0, size);
	++*count;
	return p;
}

#endif
