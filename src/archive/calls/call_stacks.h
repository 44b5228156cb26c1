/* SPDX-License-Identifier: BSD-3-Clause */
/* The call stacks of a thread, an array indexed by stack number (BOB_SYM_STACK). Owner: the caller;
 * bob_stacks_free frees the array and its stacks. One thread. */
#ifndef BOB_ARCHIVE_CALL_STACKS_H
#define BOB_ARCHIVE_CALL_STACKS_H

#include "archive/reader.h"

struct bob_call_stack {
	struct bob_frame *frames;
	uint64_t *index;	/* by frame: index of its entry among the thread's entries */
	size_t depth, cap;
	uint64_t inherited;	/* frames inherited from the parent over fork, below these */
};

void bob_stacks_free(struct bob_call_stack *stacks, size_t count);
/* Extends the array to contain `number`; new stacks are empty. BOB_ERR_NOMEM: it is unchanged. */
bob_status bob_stacks_want(struct bob_call_stack **stacks, size_t *count, uint32_t number);
/* Doubles the capacity in frames. */
bob_status bob_stack_grow(struct bob_call_stack *s);
/* Deep copy. Returns 0, or -1 if memory is exhausted. */
int bob_stacks_copy(const struct bob_call_stack *from, size_t count, struct bob_call_stack **to);

#endif
