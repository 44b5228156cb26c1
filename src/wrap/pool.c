/* SPDX-License-Identifier: BSD-3-Clause */
/* Arena of one spec: bump allocation in blocks of 64 KiB, freed at once. Owner: the spec. */
#include "wrap/pool.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536u
#define ALIGN 16u

struct block {
	struct block *next;
	size_t used, size;
	_Alignas(16) char bytes[];
};

struct bob_wrap_pool {
	struct block *first;
};

struct bob_wrap_pool *bob_wrap_pool_open(void)
{
	return calloc(1, sizeof(struct bob_wrap_pool));
}

void bob_wrap_pool_close(struct bob_wrap_pool *p)
{
	while (p && p->first) {
		struct block *b = p->first;

		p->first = b->next;
		free(b);
	}
	free(p);
}

void *bob_wrap_take(struct bob_wrap_pool *p, size_t bytes)
{
	struct block *b = p->first;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
	if (!b || b->size - b->used < bytes) {
		size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;

		b = calloc(1, sizeof(*b) + size);
		if (!b)
			return NULL;
		b->size = size;
		b->next = p->first;
		p->first = b;
	}
	b->used += bytes;
	return b->bytes + b->used - bytes;
}

char *bob_wrap_keep(struct bob_wrap_pool *p, const char *text, size_t len)
{
	char *to = bob_wrap_take(p, len + 1);

	if (to && len)
		memcpy(to, text, len);
	return to;
}

void bob_wrap_add(struct bob_wrap_string *s, const char *text, size_t len)
{
	if (s->capacity - s->len < len + 1) {
		size_t capacity = (s->len + len + 1) * 2;
		char *at = realloc(s->at, capacity);

		if (!at) {
			s->failed = 1;
			return;
		}
		s->at = at;
		s->capacity = capacity;
	}
	if (len)
		memcpy(s->at + s->len, text, len);
	s->len += len;
	s->at[s->len] = 0;
}

void bob_wrap_addf(struct bob_wrap_string *s, const char *format, ...)
{
	char text[1024];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(text))
		s->failed = 1;
	else
		bob_wrap_add(s, text, (size_t)n);
}

char *bob_wrap_string_end(struct bob_wrap_string *s, struct bob_wrap_pool *p)
{
	char *text = s->failed ? NULL : bob_wrap_keep(p, s->at ? s->at : "", s->len);

	free(s->at);
	*s = (struct bob_wrap_string){ .at = NULL };
	return text;
}
