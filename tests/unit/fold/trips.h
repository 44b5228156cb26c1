/* SPDX-License-Identifier: BSD-3-Clause */
/* Trip counts of some columns with everything that went in beside them, for tests and fuzzers. */
#ifndef BOB_TESTS_FOLD_TRIPS_H
#define BOB_TESTS_FOLD_TRIPS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/trips.h"

#define COUNTED_COLUMNS (BOB_TRIPS_COLUMNS + 2)

struct counted {
	struct bob_trips *trips;
	struct counted_column {
		struct bob_trips_enc *enc;	/* NULL: no space, or not begun */
		uint64_t last;
		uint64_t *in;
		size_t count, capacity;
		uint8_t *bytes;
		size_t len, bytes_capacity;
	} column[COUNTED_COLUMNS];
	void *blocks[64];
	unsigned block_count;
	int has_no_memory;
};

static inline void counted_take(void *ctx, uint32_t number, const uint8_t *bytes, size_t len)
{
	struct counted_column *c = &((struct counted *)ctx)->column[number];

	if (c->len + len > c->bytes_capacity) {
		c->bytes_capacity = c->bytes_capacity * 2 + len + 64;
		c->bytes = realloc(c->bytes, c->bytes_capacity);
		if (!c->bytes)
			abort();
	}
	memcpy(c->bytes + c->len, bytes, len);
	c->len += len;
}

static inline void counted_begin(struct counted *s)
{
	memset(s, 0, sizeof(*s));
	s->trips = calloc(1, sizeof(*s->trips));
	if (!s->trips)
		abort();
	s->trips->sink = counted_take;
	s->trips->ctx = s;
}

/* 0: there is no space for this column. */
static inline int counted_put(struct counted *s, unsigned number, uint64_t value)
{
	struct counted_column *c = &s->column[number];

	if (!c->enc)
		c->enc = bob_trips_begin(s->trips, number);
	if (!c->enc)
		return 0;
	if (c->count == c->capacity) {
		c->capacity = c->capacity * 2 + 64;
		c->in = realloc(c->in, c->capacity * sizeof(*c->in));
		if (!c->in)
			abort();
	}
	c->in[c->count++] = value;
	bob_trips_put(c->enc, &c->last, value);
	return 1;
}

static inline void *counted_alloc(void *ctx, size_t bytes)
{
	struct counted *s = ctx;

	if (s->has_no_memory || s->block_count == 64)
		return NULL;
	return s->blocks[s->block_count++] = calloc(1, bytes);
}

static inline void counted_free_blocks(struct counted *s)
{
	while (s->block_count)
		free(s->blocks[--s->block_count]);
}

/* The column as it would end now, perhaps with one value more, is what went in. NULL, or what is
 * wrong. */
static inline const char *counted_check(struct counted *s, unsigned number, const uint64_t *more,
					size_t *budget)
{
	struct counted_column *c = &s->column[number];
	uint8_t *bytes = malloc(c->len + BOB_TRIPS_REST_MAX);
	const char *wrong = NULL;
	struct bob_trips_dec d;
	uint64_t last = 0;

	if (!bytes)
		abort();
	if (c->len)
		memcpy(bytes, c->bytes, c->len);
	bob_trips_dec_init(&d, bytes,
			   c->len + bob_trips_rest(c->enc, c->last, more, bytes + c->len),
			   counted_alloc, s, budget);
	for (size_t i = 0; i < c->count && !wrong; i++)
		if (bob_trips_get(&d, &last) != BOB_OK || last != c->in[i])
			wrong = "another value, or none";
	if (!wrong && more && (bob_trips_get(&d, &last) != BOB_OK || last != *more))
		wrong = "not the one more";
	if (!wrong && bob_trips_get(&d, &last) != BOB_END)
		wrong = "too many values";
	free(bytes);
	return wrong;
}

/* All columns, within the budget of a part. */
static inline const char *counted_end(struct counted *s)
{
	size_t budget = BOB_TRIPS_BYTES;
	const char *wrong = NULL;

	for (unsigned n = 0; n < COUNTED_COLUMNS && !wrong; n++)
		if (s->column[n].enc)
			wrong = counted_check(s, n, NULL, &budget);
	counted_free_blocks(s);
	return wrong;
}

static inline void counted_free(struct counted *s)
{
	for (unsigned n = 0; n < COUNTED_COLUMNS; n++) {
		free(s->column[n].in);
		free(s->column[n].bytes);
	}
	free(s->trips);
}

#endif
