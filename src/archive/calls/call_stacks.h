/* SPDX-License-Identifier: BSD-3-Clause */
/* The call stacks of a thread as a cursor keeps them, an array indexed by BOB_SYM_STACK number; and
 * copies of them. Owner: the caller; bob_stacks_free takes all of an array. One thread. */
#ifndef BOB_ARCHIVE_CALL_STACKS_H
#define BOB_ARCHIVE_CALL_STACKS_H

#include "archive/reader.h"

struct bob_call_stack {
	struct bob_frame *frames;
	uint64_t *index;	/* which entry of the thread each frame is */
	size_t depth, cap;
	uint64_t inherited;	/* frames below, of the parent before fork */
};

void bob_stacks_free(struct bob_call_stack *stacks, size_t count);
/* The array goes up to `number`, at least; new ones are empty. BOB_ERR_NOMEM: it is as it was. */
bob_status bob_stacks_want(struct bob_call_stack **stacks, size_t *count, uint32_t number);
/* Doubles the capacity for frames. */
bob_status bob_stack_grow(struct bob_call_stack *s);
/* 0, or -1: no memory. */
int bob_stacks_copy(const struct bob_call_stack *from, size_t count, struct bob_call_stack **to);

#endif
