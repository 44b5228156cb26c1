/* SPDX-License-Identifier: BSD-3-Clause */
/* The open frames of a thread, each with a payload of the analysis: a mirror of the cursor's
 * stacks. A thread may have many stacks (coroutines, signal stacks); one is current. A payload
 * begins with the frame's depth, as in events. Depths increase towards the top, but need not begin
 * at 0, because a forked child inherits frames that are not recorded. Threads: one. Memory is
 * proportional to the deepest stack. */
#ifndef BOB_ANALYSIS_STACKS_H
#define BOB_ANALYSIS_STACKS_H

#include <stdint.h>

#include "base/host/vec.h"

struct bob_stack {
	char *frames;
	size_t depth, cap;
};

struct bob_stacks {
	BOB_VEC(struct bob_stack);
	size_t frame_bytes;
};

static inline void bob_stacks_fini(struct bob_stacks *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->at[i].frames);
	BOB_VEC_FREE(s);
}

/* Stack `number`, created if new. NULL: no memory. Borrowed until the next call. */
static inline struct bob_stack *bob_stacks_get(struct bob_stacks *s, uint32_t number)
{
	return BOB_VEC_REACH(s, (size_t)number + 1) ? NULL : &s->at[number];
}

static inline void *bob_stack_frame(const struct bob_stacks *s, const struct bob_stack *k, size_t i)
{
	return k->frames + i * s->frame_bytes;
}

/* The top frame, or NULL. */
static inline void *bob_stack_top(const struct bob_stacks *s, const struct bob_stack *k)
{
	return k->depth ? bob_stack_frame(s, k, k->depth - 1) : NULL;
}

/* Is the top frame at `depth` or deeper, so that an event at that depth ends it? */
static inline int bob_stack_ends(const struct bob_stacks *s, const struct bob_stack *k,
				 uint32_t depth)
{
	return k->depth && *(const uint32_t *)bob_stack_top(s, k) >= depth;
}

/* Pushes a frame, which is not cleared: the caller sets every member. NULL: no memory. */
static inline void *bob_stack_push(const struct bob_stacks *s, struct bob_stack *k)
{
	if (__builtin_expect(k->depth == k->cap, 0) &&
	    bob_vec_grow(&k->frames, k->depth, &k->cap, s->frame_bytes, 1) != BOB_OK)
		return NULL;
	return bob_stack_frame(s, k, k->depth++);
}

#endif
