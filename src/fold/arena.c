/* SPDX-License-Identifier: BSD-3-Clause */
/* Region allocator with blocks that double in size, and arrays that grow by doubling. */
#include "fold/arena.h"

#include <string.h>

#define FIRST_BYTES 4096u
#define MOST_BYTES (1u << 20)

struct bob_block {
	struct bob_block *before;
	size_t size;		/* including this header */
};

#define HEAD ((sizeof(struct bob_block) + 15) & ~(size_t)15)

void *bob_blocks_get(struct bob_blocks *b, size_t size)
{
	struct bob_block *k = b->newest;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	if (!k || k->size - b->used < size) {
		size_t want = k ? k->size * 2 : FIRST_BYTES;

		if (want > MOST_BYTES)
			want = MOST_BYTES;
		if (want < HEAD + size)
			want = HEAD + size;
		k = b->alloc.resize(b->alloc.ctx, NULL, 0, want);
		if (!k)
			return NULL;
		k->before = b->newest;
		k->size = want;
		b->newest = k;
		b->used = HEAD;
	}
	void *p = (uint8_t *)k + b->used;
	b->used += size;
	return p;
}

void bob_blocks_free(struct bob_blocks *b)
{
	while (b->newest) {
		struct bob_block *k = b->newest;

		b->newest = k->before;
		b->alloc.resize(b->alloc.ctx, k, k->size, 0);
	}
	b->used = 0;
}

int bob_array_grow(const struct bob_alloc *alloc, void *array_ptr, uint32_t *capacity, size_t count,
		   size_t more, size_t size)
{
	size_t want = count + more, next = *capacity ? (size_t)*capacity * 2 : 16;
	void *old;

	if (want <= *capacity)
		return 1;
	if (next < want)
		next = want;
	if (want < count || next > UINT32_MAX || next > SIZE_MAX / 2 / size)
		return 0;
	memcpy(&old, array_ptr, sizeof(old));
	old = alloc->resize(alloc->ctx, old, *capacity * size, next * size);
	if (!old)
		return 0;
	memcpy(array_ptr, &old, sizeof(old));
	*capacity = (uint32_t)next;
	return 1;
}

void bob_array_free(const struct bob_alloc *alloc, void *array, uint32_t capacity, size_t size)
{
	if (array)
		alloc->resize(alloc->ctx, array, capacity * size, 0);
}
