/* SPDX-License-Identifier: BSD-3-Clause */
/* Growth and copies of the call stacks of a thread. */
#include "archive/calls/call_stacks.h"

#include <stdlib.h>
#include <string.h>

void bob_stacks_free(struct bob_call_stack *stacks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(stacks[i].frames);
		free(stacks[i].index);
	}
	free(stacks);
}

bob_status bob_stacks_want(struct bob_call_stack **stacks, size_t *count, uint32_t number)
{
	size_t want = *count;
	struct bob_call_stack *p;

	if (number < want)
		return BOB_OK;
	while (want <= number)
		want = want ? want * 2 : 4;
	p = realloc(*stacks, want * sizeof(*p));
	if (!p)
		return BOB_ERR_NOMEM;
	memset(p + *count, 0, (want - *count) * sizeof(*p));
	*stacks = p;
	*count = want;
	return BOB_OK;
}

bob_status bob_stack_grow(struct bob_call_stack *s)
{
	size_t cap = s->cap ? s->cap * 2 : 64;
	struct bob_frame *frames = realloc(s->frames, cap * sizeof(*frames));
	uint64_t *index;

	if (!frames)
		return BOB_ERR_NOMEM;
	s->frames = frames;
	index = realloc(s->index, cap * sizeof(*index));
	if (!index)
		return BOB_ERR_NOMEM;
	s->index = index;
	s->cap = cap;
	return BOB_OK;
}

int bob_stacks_copy(const struct bob_call_stack *from, size_t count, struct bob_call_stack **to)
{
	struct bob_call_stack *v = calloc(count + 1, sizeof(*v));

	if (!v)
		return -1;
	for (size_t i = 0; i < count; i++) {
		size_t n = from[i].depth;

		v[i].inherited = from[i].inherited;
		if (!n)
			continue;
		v[i].frames = malloc(n * sizeof(*v[i].frames));
		v[i].index = malloc(n * sizeof(*v[i].index));
		if (!v[i].frames || !v[i].index) {
			bob_stacks_free(v, count);
			return -1;
		}
		memcpy(v[i].frames, from[i].frames, n * sizeof(*v[i].frames));
		memcpy(v[i].index, from[i].index, n * sizeof(*v[i].index));
		v[i].depth = v[i].cap = n;
	}
	*to = v;
	return 0;
}
