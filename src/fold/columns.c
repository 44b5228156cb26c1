/* SPDX-License-Identifier: BSD-3-Clause */
/* A column's life: values in its slot, then a folding column, then perhaps given up; never back. */
#include "fold/columns.h"

#include <string.h>

#include "base/varint.h"

/* Given up where fewer values than this make a piece; the first pieces say little. */
#define PIECES_TO_JUDGE 48u
#define VALUES_PER_PIECE 4u
/* A trip count that was predicted costs nothing and another one a byte, but a piece five at least, also if it comes again. */
#define TRIPS_PER_PIECE 12u
#define COLD __attribute__((noinline))

void bob_columns_init(struct bob_columns *c, struct bob_column_slot *slot, uint32_t room,
		      struct bob_column_full *full, uint32_t full_room,
		      struct bob_values_enc *values, struct bob_trips *trips,
		      bob_column_bytes_fn sink, void *ctx)
{
	memset(c, 0, sizeof(*c));
	c->slot = slot;
	c->room = room;
	c->full = full;
	c->full_room = full_room;
	c->values = values;
	c->trips = trips;
	trips->sink = sink;
	trips->ctx = ctx;
	c->sink = sink;
	c->ctx = ctx;
}

uint32_t bob_columns_add(struct bob_columns *c, uint32_t n, int in_line)
{
	uint32_t first = c->count;

	if (n > c->room - c->count)
		return BOB_COLUMNS_NONE;
	for (uint32_t i = 0; i < n; i++)
		c->slot[c->count++].in_line = (uint8_t)in_line;
	return first;
}

/* --- giving away --- */

static uint64_t values_wanted(const struct bob_columns *c, const struct bob_column_slot *s)
{
	return s->in_line && bob_trips_have_room(c->trips) ? TRIPS_PER_PIECE : VALUES_PER_PIECE;
}

static void give_piece(void *ctx, const struct bob_piece *p)
{
	struct bob_column_full *f = ctx;
	struct bob_columns *c = f->owner;
	struct bob_column_slot *s = &c->slot[f->number];
	uint8_t bytes[BOB_PIECE_BYTES_MAX];
	size_t len = bob_piece_put(p, s->last, bytes);

	s->last = p->base;
	c->sink(c->ctx, f->number, bytes, len);
	if (f->column.pieces > PIECES_TO_JUDGE &&
	    f->column.values < values_wanted(c, s) * f->column.pieces)
		s->leaves = 1;
}

static COLD void put_difference(struct bob_columns *c, uint32_t number, uint64_t v)
{
	struct bob_column_slot *s = &c->slot[number];

	if (!s->in_line) {
		bob_values_put(c->values, &s->last, v);
		return;
	}
	if (s->trips) {
		bob_trips_put(s->trips, &s->last, v);
		return;
	}
	if (s->used > sizeof(s->u.bytes) - BOB_VARINT_MAX) {
		c->sink(c->ctx, number, s->u.bytes, s->used);
		s->used = 0;
	}
	s->used +=
		(uint8_t)bob_varint_put(s->u.bytes + s->used, bob_zigzag((int64_t)(v - s->last)));
	s->last = v;
}

/* --- changing --- */

/* A folding column with the values of the slot. */
static void fill(struct bob_columns *c, struct bob_column_full *f, uint32_t number)
{
	const struct bob_column_slot *s = &c->slot[number];

	f->owner = c;
	f->number = number;
	bob_column_init(&f->column, give_piece, f);
	for (uint32_t i = 0; i < s->used; i++)
		bob_column_put(&f->column, s->u.first[i]);
}

/* What is not given away yet goes as pieces: it came before what the values will go on with. */
static COLD void give_up(struct bob_columns *c, uint32_t number)
{
	static const uint8_t mark[1] = { BOB_COLUMN_GIVEN_UP };
	struct bob_column_slot *s = &c->slot[number];
	struct bob_column_full *f = s->full ? s->full->ctx : &c->scratch;

	if (!s->full)
		fill(c, f, number);
	bob_column_finish(&f->column);
	if (s->full) {
		s->full = NULL;
		f->next_free = c->full_free;
		c->full_free = (uint32_t)(f - c->full) + 1;
	}
	s->leaves = 0;
	s->used = 0;
	s->given_up = 1;
	c->sink(c->ctx, number, mark, 1);
	if (!s->in_line)
		return;
	s->trips = bob_trips_begin(c->trips, number);
	if (!s->trips)
		s->u.bytes[s->used++] = 0;
}

/* 0: there is no room. */
static COLD int make_full(struct bob_columns *c, uint32_t number)
{
	struct bob_column_slot *s = &c->slot[number];
	struct bob_column_full *f;

	if (c->full_free) {
		f = &c->full[c->full_free - 1];
		c->full_free = f->next_free;
	} else if (c->full_count < c->full_room) {
		f = &c->full[c->full_count++];
	} else {
		return 0;
	}
	fill(c, f, number);
	s->used = 0;
	s->full = &f->column;
	return 1;
}

void bob_columns_surprise(struct bob_columns *c, uint32_t number, uint64_t v)
{
	struct bob_column_slot *s = &c->slot[number];

	if (!s->full && !s->given_up) {
		if (s->used < BOB_COLUMN_FIRST) {
			s->u.first[s->used++] = v;
			return;
		}
		if (!make_full(c, number))
			give_up(c, number);
	}
	if (s->given_up) {
		put_difference(c, number, v);
		return;
	}
	bob_column_put(s->full, v);
	if (s->leaves)
		give_up(c, number);
}

void bob_columns_put_row(struct bob_columns *c, uint32_t number, const uint64_t *v, size_t n)
{
	struct bob_column_slot *s = &c->slot[number];

	for (; n && (!s->given_up || s->in_line); n--)
		bob_columns_put(c, number, *v++);
	if (n)
		bob_values_put_row(c->values, &s->last, v, n);
}

/* --- the rest --- */

struct rest {
	bob_column_bytes_fn sink;
	void *ctx;
	uint32_t number;
	uint64_t last;
};

static void rest_piece(void *ctx, const struct bob_piece *p)
{
	struct rest *r = ctx;
	uint8_t bytes[BOB_PIECE_BYTES_MAX];

	r->sink(r->ctx, r->number, bytes, bob_piece_put(p, r->last, bytes));
	r->last = p->base;
}

static void rest_of_pieces(struct bob_columns *c, struct rest *r, const uint64_t *more)
{
	const struct bob_column_slot *s = &c->slot[r->number];
	struct bob_column *copy = &c->scratch.column;

	if (s->full) {
		*copy = *s->full;
		copy->sink = rest_piece;
		copy->ctx = r;
	} else {
		bob_column_init(copy, rest_piece, r);
		for (uint32_t i = 0; i < s->used; i++)
			bob_column_put(copy, s->u.first[i]);
	}
	if (more)
		bob_column_put(copy, *more);
	bob_column_finish(copy);
}

void bob_columns_rest(struct bob_columns *c, uint32_t number, const uint64_t *more,
		      bob_column_bytes_fn sink, void *ctx)
{
	const struct bob_column_slot *s = &c->slot[number];
	struct rest r = { sink, ctx, number, s->last };
	uint8_t bytes[BOB_TRIPS_REST_MAX];

	if (!s->given_up) {
		rest_of_pieces(c, &r, more);
		return;
	}
	if (s->trips) {
		size_t len = bob_trips_rest(s->trips, s->last, more, bytes);

		if (len)
			sink(ctx, number, bytes, len);
		return;
	}
	if (s->used)
		sink(ctx, number, s->u.bytes, s->used);
	if (more)
		sink(ctx, number, bytes,
		     bob_varint_put(bytes, bob_zigzag((int64_t)(*more - s->last))));
}
