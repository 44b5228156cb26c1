/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream of given-up values with everything that went in beside it, for tests and fuzzers. */
#ifndef BOB_TESTS_FOLD_STREAM_H
#define BOB_TESTS_FOLD_STREAM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/values.h"

#define STREAM_COLUMNS 4u

struct stream {
	struct bob_values_enc enc;
	unsigned bits;
	void *mem;
	uint64_t last[STREAM_COLUMNS];
	struct {
		unsigned column;
		uint64_t value;
	} * in;
	size_t count, capacity, done;
	uint8_t *bytes;
	size_t len, bytes_capacity;
};

static inline void stream_take(void *ctx, const uint8_t *bytes, size_t len)
{
	struct stream *s = ctx;

	if (s->len + len > s->bytes_capacity) {
		s->bytes_capacity = s->bytes_capacity * 2 + len + 64;
		s->bytes = realloc(s->bytes, s->bytes_capacity);
		if (!s->bytes)
			abort();
	}
	memcpy(s->bytes + s->len, bytes, len);
	s->len += len;
}

static inline void stream_begin(struct stream *s, unsigned bits)
{
	memset(s, 0, sizeof(*s));
	s->bits = bits;
	s->mem = calloc(1, bob_values_size(bits));
	if (!s->mem)
		abort();
	bob_values_enc_init(&s->enc, s->mem, bits, stream_take, s);
}

static inline void stream_put(struct stream *s, unsigned column, uint64_t value)
{
	if (s->count == s->capacity) {
		s->capacity = s->capacity * 2 + 64;
		s->in = realloc(s->in, s->capacity * sizeof(*s->in));
		if (!s->in)
			abort();
	}
	s->in[s->count].column = column;
	s->in[s->count++].value = value;
	bob_values_put(&s->enc, &s->last[column], value);
}

/* Read back and compared. NULL, or what is wrong. */
static inline const char *stream_end(struct stream *s)
{
	uint64_t last[STREAM_COLUMNS] = { 0 };
	struct bob_values_dec dec;

	bob_values_flush(&s->enc);
	if (s->enc.bytes != s->len)
		return "the bytes are counted wrong";
	memset(s->mem, 0xa5, bob_values_size(s->bits));
	bob_values_clear(s->mem, s->bits);
	bob_values_dec_init(&dec, s->mem, s->bits, s->bytes, s->len);
	for (; s->done < s->count; s->done++) {
		unsigned column = s->in[s->done].column;

		if (bob_values_get(&dec, &last[column]) != BOB_OK)
			return "values are missing";
		if (last[column] != s->in[s->done].value)
			return "another value";
	}
	return bob_values_get(&dec, &last[0]) == BOB_END ? NULL : "too many values";
}

static inline void stream_free(struct stream *s)
{
	free(s->mem);
	free(s->in);
	free(s->bytes);
}

#endif
