/* SPDX-License-Identifier: BSD-3-Clause */
/* A column with everything that went in beside it, for tests and fuzzers of pieces. Aborts when a
 * test's own memory runs out. */
#ifndef BOB_TESTS_FOLD_VALUES_H
#define BOB_TESTS_FOLD_VALUES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/column.h"

struct values {
	struct bob_column column;
	uint64_t *in;
	size_t count, capacity;
	struct bob_piece *pieces;
	size_t piece_count, piece_capacity;
	size_t bytes;		/* of the pieces, as bob_piece_put writes them */
};

static inline void values_take(void *ctx, const struct bob_piece *p)
{
	struct values *v = ctx;

	if (v->piece_count == v->piece_capacity) {
		v->piece_capacity = v->piece_capacity ? v->piece_capacity * 2 : 16;
		v->pieces = realloc(v->pieces, v->piece_capacity * sizeof(*v->pieces));
		if (!v->pieces)
			abort();
	}
	v->pieces[v->piece_count++] = *p;
}

static inline void values_begin(struct values *v)
{
	memset(v, 0, sizeof(*v));
	bob_column_init(&v->column, values_take, v);
}

static inline void values_put(struct values *v, uint64_t x)
{
	if (v->count == v->capacity) {
		v->capacity = v->capacity ? v->capacity * 2 : 256;
		v->in = realloc(v->in, v->capacity * sizeof(*v->in));
		if (!v->in)
			abort();
	}
	v->in[v->count++] = x;
	bob_column_put(&v->column, x);
}

static inline void values_free(struct values *v)
{
	free(v->in);
	free(v->pieces);
}

/* Everything through bytes and back, compared value by value. NULL, or what is wrong. */
static inline const char *values_end(struct values *v)
{
	uint8_t bytes[BOB_PIECE_BYTES_MAX];
	uint64_t before = 0;
	size_t n = 0;

	if (v->column.values != v->count)
		return "the column counts wrong";
	bob_column_finish(&v->column);
	for (size_t i = 0; i < v->piece_count; i++) {
		struct bob_piece p;
		struct bob_piece_walk w;
		const uint8_t *at = bytes;
		size_t len = bob_piece_put(&v->pieces[i], before, bytes);

		v->bytes += len;
		if (len > BOB_PIECE_BYTES_MAX ||
		    bob_piece_get(&at, bytes + len, before, &p) != BOB_OK || at != bytes + len ||
		    p.dims != v->pieces[i].dims || !bob_piece_equal(&p, &v->pieces[i]))
			return "a piece does not survive its bytes";
		before = p.base;
		if (bob_piece_begin(&p, 0, 0, &w) != BOB_OK)
			return "a piece without values";
		do {
			if (n == v->count)
				return "too many values";
			if (w.value != v->in[n++])
				return "another value";
		} while (bob_piece_next(&p, 0, &w) == BOB_OK);
	}
	return n == v->count ? NULL : "too few values";
}

#endif
