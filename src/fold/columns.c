/* SPDX-License-Identifier: BSD-3-Clause */
/* The states of a column, in order: values in its slot, a folding column, given up. */
#include "fold/columns.h"

#include <string.h>

#include "base/varint.h"

/* A column is given up if it has fewer values per piece than this. The check begins after
 * PIECES_TO_JUDGE pieces: the first period (BOB_WINDOW_PATTERN) and PIECES_BACK more. A column
 * whose pieces recur is kept up to PIECES_TO_WAIT pieces, which is three repetitions. */
#define PIECES_TO_JUDGE (BOB_WINDOW_PATTERN + PIECES_BACK)
#define PIECES_BACK 8u
#define PIECES_TO_WAIT (4 * BOB_WINDOW_PATTERN)
#define VALUES_PER_PIECE 4u
/* Trip counts: a predicted count costs nothing and another one a byte, but a piece at least five
 * bytes, even if it recurs. */
#define TRIPS_PER_PIECE 12u
/* Bound after PIECES_TO_WAIT pieces without a recurrence, or without a window, where recurrences
 * are found only at the end of the column. Searching costs time. */
#define TRIPS_PER_PIECE_LATER 32u
#define COLD __attribute__((noinline))

void bob_columns_init(struct bob_columns *c, struct bob_column_slot *slot, uint32_t capacity,
		      struct bob_column_full *full, uint32_t full_capacity,
		      struct bob_columns_windows *windows, struct bob_values_enc *values,
		      struct bob_trips *trips, bob_column_bytes_fn sink, void *ctx)
{
	memset(c, 0, sizeof(*c));
	c->slot = slot;
	c->capacity = capacity;
	c->full = full;
	c->full_capacity = full_capacity;
	c->windows = windows;
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

	if (n > c->capacity - c->count)
		return BOB_COLUMNS_NONE;
	for (uint32_t i = 0; i < n; i++)
		c->slot[c->count++].in_line = (uint8_t)in_line;
	return first;
}

/* --- output --- */

static uint64_t values_wanted(const struct bob_columns *c, const struct bob_column_slot *s)
{
	return s->in_line && bob_trips_have_space(c->trips) ? TRIPS_PER_PIECE : VALUES_PER_PIECE;
}

struct out {
	bob_column_bytes_fn sink;
	void *ctx;
	uint32_t number;
	uint64_t last;			/* first number of the previous element */
};

static void put_piece(struct out *o, const struct bob_piece *p)
{
	uint8_t bytes[BOB_PIECE_BYTES_MAX];

	o->sink(o->ctx, o->number, bytes, bob_piece_put(p, o->last, bytes));
	o->last = p->base;
}

static COLD void put_pattern(struct out *o, const struct bob_element_view *v)
{
	uint8_t bytes[8 * BOB_VARINT_MAX];
	size_t len = 0;

	o->sink(o->ctx, o->number, v->structure, v->structure_len);
	for (uint32_t i = 0; i < v->number_count; i++) {
		uint64_t n = v->number[i] - (i ? 0 : o->last);

		len += bob_varint_put(bytes + len, bob_zigzag((int64_t)n));
		if (len > sizeof(bytes) - BOB_VARINT_MAX || i + 1 == v->number_count) {
			o->sink(o->ctx, o->number, bytes, len);
			len = 0;
		}
	}
	o->last = v->number[0];
}

static void put_element(void *ctx, const struct bob_element_view *v)
{
	struct bob_piece p;

	if (v->structure[0] > BOB_PATTERN_MARK) {
		put_pattern(ctx, v);
		return;
	}
	bob_element_piece(v->structure, v->structure_len, v->number, &p);
	put_piece(ctx, &p);
}

static struct out out_of(const struct bob_columns *c, uint32_t number)
{
	return (struct out){ c->sink, c->ctx, number, c->slot[number].last };
}

static void give_element(void *ctx, const struct bob_element_view *v)
{
	struct bob_column_full *f = ctx;
	struct out o = out_of(f->owner, f->number);

	put_element(&o, v);
	f->owner->slot[f->number].last = o.last;
	f->given += bob_element_weight(v);
}

/* --- windows --- */

static COLD void take_window(struct bob_column_full *f)
{
	struct bob_columns_windows *w = f->owner->windows;

	if (!w || f->column.pieces > 1)
		return;
	if (w->free_count)
		f->window = &w->window[w->free[--w->free_count]];
	else if (w->count < BOB_COLUMNS_WINDOWS)
		f->window = &w->window[w->count++];
	if (f->window)
		bob_patterns_begin(f->window);
}

static COLD void leave_window(struct bob_column_full *f)
{
	struct bob_columns_windows *w = f->owner->windows;

	if (!f->window)
		return;
	bob_patterns_rest(&f->window->patterns, give_element, f);
	w->free[w->free_count++] = (uint32_t)(f->window - w->window);
	f->window = NULL;
}

/* Are there too few values per element, so that the column is to be given up? */
static COLD int is_too_much(const struct bob_column_full *f)
{
	uint64_t elements = f->given, wanted = values_wanted(f->owner, &f->owner->slot[f->number]);
	int is_late = f->column.pieces > PIECES_TO_WAIT, may_return;

	if (f->window)
		elements += bob_patterns_weight(&f->window->patterns);
	if (f->column.values < wanted * elements)
		may_return = f->window && !is_late;
	else if (is_late && wanted == TRIPS_PER_PIECE &&
		 f->column.values < TRIPS_PER_PIECE_LATER * elements)
		may_return = f->window != NULL;
	else
		return 0;
	return !may_return || !bob_patterns_return(&f->window->patterns, PIECES_BACK);
}

static void give_piece(void *ctx, const struct bob_piece *p)
{
	struct bob_column_full *f = ctx;

	if (!f->window)
		take_window(f);
	f->newest = p->base;
	if (f->window) {
		bob_patterns_put(&f->window->patterns, p, give_element, f);
	} else {
		struct out o = out_of(f->owner, f->number);

		put_piece(&o, p);
		f->owner->slot[f->number].last = o.last;
		f->given++;
	}
	if (f->column.pieces >= PIECES_TO_JUDGE && f->column.pieces % PIECES_BACK == 0 &&
	    is_too_much(f))
		f->owner->slot[f->number].leaves = 1;
}

/* Puts a value into a column that is given up and in line. */
static COLD void put_difference(struct bob_columns *c, uint32_t number, uint64_t v)
{
	struct bob_column_slot *s = &c->slot[number];

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

/* --- changes of state --- */

/* Initialises a folding column with the values of the slot. */
static void fill(struct bob_columns *c, struct bob_column_full *f, uint32_t number)
{
	const struct bob_column_slot *s = &c->slot[number];

	f->owner = c;
	f->number = number;
	f->window = NULL;
	f->given = 0;
	bob_column_init(&f->column, give_piece, f);
	for (uint32_t i = 0; i < s->used; i++)
		bob_column_put(&f->column, s->u.first[i]);
}

/* Gives the column up. Pending pieces are written first, since they precede the value stream. */
static COLD void give_up(struct bob_columns *c, uint32_t number)
{
	static const uint8_t mark[1] = { BOB_COLUMN_GIVEN_UP };
	struct bob_column_slot *s = &c->slot[number];
	struct bob_column_full *f = s->full ? s->full->ctx : &c->scratch;

	if (!s->full)
		fill(c, f, number);
	bob_column_finish(&f->column);
	leave_window(f);
	s->last = f->newest;
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

/* Allocates a folding column. 0: none is free. */
static COLD int make_full(struct bob_columns *c, uint32_t number)
{
	struct bob_column_slot *s = &c->slot[number];
	struct bob_column_full *f;

	if (c->full_free) {
		f = &c->full[c->full_free - 1];
		c->full_free = f->next_free;
	} else if (c->full_count < c->full_capacity) {
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
		if (s->in_line)
			put_difference(c, number, v);
		else
			bob_values_put(c->values, &s->last, v);
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
	bob_values_put_row(c->values, &s->last, v, n);
}

void bob_columns_put_same(struct bob_columns *c, uint32_t number, uint64_t v, uint64_t n)
{
	struct bob_column_slot *s = &c->slot[number];

	for (; n && !s->trips; n--)
		bob_columns_put(c, number, v);
	if (n)
		bob_trips_put_same(s->trips, &s->last, v, n);
}

/* --- the rest --- */

static void rest_piece(void *ctx, const struct bob_piece *p)
{
	put_piece(ctx, p);
}

static void rest_of_pieces(struct bob_columns *c, struct out *r, const uint64_t *more)
{
	const struct bob_column_slot *s = &c->slot[r->number];
	struct bob_column *copy = &c->scratch.column;

	if (s->full) {
		struct bob_column_full *f = s->full->ctx;

		if (f->window)
			bob_patterns_rest(&f->window->patterns, put_element, r);
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
	struct out r = { sink, ctx, number, s->last };
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
