/* SPDX-License-Identifier: BSD-3-Clause */
/* A bump allocator over malloc'ed blocks. */
#include "base/host/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

#define ARENA_BLOCK_BYTES ((size_t)64 << 10)
#define ARENA_ALIGN ((size_t)16)

struct bob_arena_block {
	struct bob_arena_block *next;
	size_t size;
	_Alignas(16) unsigned char bytes[];
};

void *bob_arena_alloc(struct bob_arena *a, size_t size)
{
	struct bob_arena_block *b = a->blocks;
	size_t want;
	void *p;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	if (!b || b->size - a->used < size) {
		want = size > ARENA_BLOCK_BYTES / 4 ? size : ARENA_BLOCK_BYTES;
		b = calloc(1, sizeof(*b) + want);
		if (!b)
			return NULL;
		b->size = want;
		b->next = a->blocks;
		a->blocks = b;
		a->used = 0;
	}
	p = b->bytes + a->used;
	a->used += size;
	return p;
}

char *bob_arena_text(struct bob_arena *a, const void *bytes, size_t len)
{
	char *p = bob_arena_alloc(a, len + 1);

	if (p && len)
		memcpy(p, bytes, len);
	return p;
}

char *bob_arena_name(struct bob_arena *a, const void *bytes, size_t len)
{
	char *p = bob_arena_text(a, bytes, len);

	if (p)
		bob_text_make_plain(p, strlen(p));
	return p;
}

void bob_arena_free(struct bob_arena *a)
{
	while (a->blocks) {
		struct bob_arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
	a->used = 0;
}
