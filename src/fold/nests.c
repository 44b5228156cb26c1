/* SPDX-License-Identifier: BSD-3-Clause */
/* Expanding by nests. The stack of loops and the columns are the cursor's; what is added is the question, where
 * an iteration begins: from here on, are the values of all columns in it affine in the indices of a nest?
 *
 * A column stands at a position in a piece, a number of digits: the indices of the piece's loops. Loop j of
 * the nest moves a column by a weight, the product of the trip counts inside it. If a digit's unit divides the
 * weight, that is a move of this digit alone; and if no digit carries, whatever the indices are, the value
 * is base + sum of index times move times step. So the loops of the piece need not be those of the nest.
 * Digits are used as long as counts do not grow with each other (rectangles).
 *
 * Loops without an event between them are one to control, sweeps over an array one loop of sweeps times length. So the
 * outermost loop of a nest is made anew: as many iterations as no digit carries, then as many times that, and
 * so on. What is left of its iterations comes later, as further nests or one by one. */
#include <string.h>

#include "base/varint.h"
#include "fold/columns.h"
#include "fold/entries.h"
#include "fold/folded.h"
#include "fold/nests.h"
#include "fold/piece.h"
#include "fold/values.h"

struct column {
	struct bob_piece piece;
	struct bob_piece_walk walk; /* at the next value, if `ready` */
	struct bob_group_reader reader;
	uint64_t last;		/* difference is to this, if given up */
	bob_status failed;	/* there are no more pieces */
	int ready, given_up, in_line;
	uint32_t nest;		/* number of the newest nest it was looked at for */
	struct column *before;	/* opened before, of the same part */
};

struct frame {
	const struct bob_table_loop *loop;
	uint64_t left;		/* iterations, this one included */
	uint32_t number, at;
	uint32_t has_event;	/* in this iteration */
};

/* The inner loops of a piece that are a rectangle where it stands. */
struct digits {
	unsigned count;
	uint64_t digit[BOB_PIECE_DIMS], limit[BOB_PIECE_DIMS];
	uint64_t unit[BOB_PIECE_DIMS + 1]; /* values of the digits below */
};

/* A column of the nest that is being made. */
struct part_of_nest {
	struct column *column;
	struct digits digits;	/* `digit`: the largest that come */
	uint64_t weight;	/* values of an iteration of the outermost loop */
	uint64_t inner[BOB_NEST_DEPTH]; /* steps of the loops in the body, by depth there */
	uint64_t outer[BOB_NEST_DEPTH]; /* of what the outermost loop becomes, innermost first */
	uint32_t slot;		/* of the words, or NO_SLOT: trip counts */
	uint32_t depth;		/* loops in the body around it */
};

#define NO_SLOT UINT32_MAX

struct bob_fold_nests {
	const struct bob_folded *folded;
	uint32_t part, parts_end;	/* index */
	uint32_t room;			/* of `column` */
	struct column **column;		/* by number; NULL: not read yet */
	struct column *newest;
	struct frame *frame;
	uint32_t depth, frame_room;
	uint8_t *hopeless;		/* by loop: will be no nest in this part */
	uint32_t hopeless_room;
	struct bob_values_dec spine, values;
	uint64_t item;			/* the newest of the spine */
	uint64_t events;		/* of this part */
	uint8_t *spine_mem, *values_mem;
	bob_status failed;
	struct bob_blocks blocks;	/* of this part's columns */
	/* the nest that is being made, or was */
	uint32_t nest;			/* its number */
	uint32_t count, words, event_count, part_count;
	uint32_t deepest;		/* loops in each other in the body */
	int never;			/* it failed for a reason that stays */
	uint64_t trips[BOB_NEST_DEPTH];	/* of loops in the body */
	const struct bob_fold_nest_item *first;
	struct bob_fold_nest_item out[BOB_NEST_DEPTH + BOB_NEST_ITEMS];
	struct part_of_nest parts[BOB_NEST_WORDS + BOB_NEST_ITEMS];
	uint64_t base[BOB_NEST_WORDS];
	uint64_t step[BOB_NEST_WORDS * BOB_NEST_DEPTH];
};

/* --- columns --- */

static bob_status open_column(struct bob_fold_nests *n, uint32_t number, int in_line)
{
	uint32_t member;
	const struct bob_fold_sharing *s =
		bob_folded_find(n->folded, n->folded->column[number], n->part, &member);
	struct column *c;

	if (!s)
		return BOB_ERR_CORRUPT;
	c = bob_blocks_get(&n->blocks, sizeof(*c));
	if (!c)
		return BOB_ERR_NOMEM;
	memset(c, 0, sizeof(*c));
	c->in_line = in_line;
	c->before = n->newest;
	n->newest = n->column[number] = c;
	return bob_group_open(&c->reader, n->folded, s, member);
}

/* The column stands at its next value, or is given up from here on. */
static bob_status make_ready(struct bob_fold_nests *n, uint32_t number, int in_line,
			     struct column **out)
{
	struct column *c = n->column[number];

	if (!c) {
		bob_status st = open_column(n, number, in_line);

		c = n->column[number];
		if (c && st != BOB_OK)
			c->failed = st;
		if (!c)
			return st;
	}
	*out = c;
	if (c->ready || c->given_up || c->failed != BOB_OK)
		return c->failed;
	c->failed = bob_group_piece(&c->reader, &c->piece, &c->given_up);
	if (c->given_up) {
		c->failed = BOB_OK;
		c->last = c->reader.last;
	} else if (c->failed == BOB_OK && bob_piece_begin(&c->piece, 0, 0, &c->walk) == BOB_OK) {
		c->ready = 1;
	} else if (c->failed != BOB_ERR_NOMEM) {
		c->failed = BOB_ERR_CORRUPT;
	}
	return c->failed;
}

static bob_status next_difference(struct bob_fold_nests *n, struct column *c, uint64_t *value)
{
	uint64_t z;

	if (!c->in_line) {
		if (bob_values_get(&n->values, &c->last) != BOB_OK)
			return BOB_ERR_CORRUPT;
	} else {
		if (bob_varint_get(&c->reader.structure, c->reader.structure_end, &z))
			return BOB_ERR_CORRUPT;
		c->last += (uint64_t)bob_unzigzag(z);
	}
	*value = c->last;
	return BOB_OK;
}

static bob_status next_value(struct bob_fold_nests *n, uint32_t number, int in_line,
			     uint64_t *value)
{
	struct column *c;
	bob_status st = make_ready(n, number, in_line, &c);

	if (st != BOB_OK)
		return st;
	if (c->given_up)
		return next_difference(n, c, value);
	*value = c->walk.value;
	c->ready = bob_piece_next(&c->piece, 0, &c->walk) == BOB_OK;
	return BOB_OK;
}

/* --- positions --- */

static void read_digits(const struct column *c, struct digits *d)
{
	const struct bob_piece *p = &c->piece;

	d->count = 0;
	d->unit[0] = 1;
	for (unsigned e = 0; e < p->dims; e++) {
		for (unsigned k = 0; k < e; k++)
			if (p->grow[bob_piece_pair(k, e)])
				return;
		d->limit[e] = c->walk.limit[e];
		d->digit[e] = e ? c->walk.idx[e] : c->walk.limit[0] - c->walk.left;
		if (__builtin_mul_overflow(d->unit[e], d->limit[e], &d->unit[e + 1]))
			return;
		d->count = e + 1;
	}
}

/* The digit that a loop of this weight moves, or -1. */
static int digit_of(const struct digits *d, uint64_t weight)
{
	unsigned e = d->count;

	while (e && weight % d->unit[e - 1])
		e--;
	return (int)e - 1;
}

/* How often, at most `most`, a loop of this weight can run; at least once. */
static uint64_t trips_of(const struct digits *d, uint64_t weight, uint64_t most)
{
	int e = digit_of(d, weight);
	uint64_t fit;

	if (e < 0)
		return 1;
	fit = 1 + (d->limit[e] - 1 - d->digit[e]) / (weight / d->unit[e]);
	return fit < most ? fit : most;
}

/* It runs so often. Returns its step. */
static uint64_t move(const struct bob_piece *p, struct digits *d, uint64_t weight, uint64_t trips)
{
	int e = digit_of(d, weight);

	if (trips < 2)
		return 0;
	d->digit[e] += weight / d->unit[e] * (trips - 1);
	return weight / d->unit[e] * p->step[e];
}

/* `count` values further, all in the rectangle. */
static void skip(struct column *c, uint64_t count)
{
	struct digits d;
	uint64_t at = 0, outer;
	unsigned top;

	read_digits(c, &d);
	if (!d.count) {
		c->ready = 0;
		return;
	}
	top = d.count - 1;
	for (unsigned e = 0; e <= top; e++)
		at += d.digit[e] * d.unit[e];
	at += count - 1;	/* to the last of them, then one step, which may carry further */
	outer = top ? c->walk.at[top] - d.digit[top] * c->piece.step[top] :
		      c->walk.value - d.digit[0] * c->piece.step[0];
	for (unsigned e = top; e > 0; e--) {
		c->walk.idx[e] = at / d.unit[e];
		at %= d.unit[e];
		outer += c->walk.idx[e] * c->piece.step[e];
		c->walk.at[e] = outer;
	}
	c->walk.at[0] = outer;
	c->walk.value = outer + at * c->piece.step[0];
	c->walk.left = d.limit[0] - at;
	c->ready = bob_piece_next(&c->piece, 0, &c->walk) == BOB_OK;
}

/* --- nests --- */

/* A column with `depth` loops of the body around it. NULL: it is not affine there, or already in this nest. */
static struct part_of_nest *take_column(struct bob_fold_nests *n, uint32_t number, int in_line,
					uint32_t depth)
{
	struct part_of_nest *p = &n->parts[n->part_count];
	struct column *c;

	if (make_ready(n, number, in_line, &c) != BOB_OK)
		return NULL;
	n->never = c->given_up || c->nest == n->nest;
	if (n->never)
		return NULL;
	c->nest = n->nest;
	p->column = c;
	p->depth = depth;
	p->slot = NO_SLOT;
	p->weight = 1;
	read_digits(c, &p->digits);
	for (uint32_t d = depth; d-- > 0;) {
		if (trips_of(&p->digits, p->weight, n->trips[d]) != n->trips[d])
			return NULL;
		p->inner[d] = move(&c->piece, &p->digits, p->weight, n->trips[d]);
		if (__builtin_mul_overflow(p->weight, n->trips[d], &p->weight))
			return NULL;
	}
	n->part_count++;
	return p;
}

static struct bob_fold_nest_item *add_item(struct bob_fold_nests *n, uint32_t depth)
{
	struct bob_fold_nest_item *item = &n->out[BOB_NEST_DEPTH + n->count++];

	*item = (struct bob_fold_nest_item){ .depth = depth };
	n->deepest = depth > n->deepest ? depth : n->deepest;
	return item;
}

static int add_event(struct bob_fold_nests *n, uint32_t shape, uint32_t depth)
{
	const struct bob_table_shape *s = &n->folded->tables.shape[shape];
	struct bob_fold_nest_item *item = add_item(n, depth);

	n->never = s->words > BOB_NEST_WORDS - n->words;
	if (n->never)
		return 0;
	item->shape = shape;
	item->words = s->words;
	item->base = n->base + n->words;
	item->step = n->step + (size_t)n->words * BOB_NEST_DEPTH;
	for (uint32_t w = 0; w < s->words; w++) {
		struct part_of_nest *p = take_column(n, s->column + w, 0, depth);

		if (!p)
			return 0;
		p->slot = n->words++;
	}
	n->event_count++;
	return 1;
}

/* The body of loop `l`, which has `depth` loops around it that are in the body of the outermost one. */
static int add_body(struct bob_fold_nests *n, const struct bob_table_loop *l, uint32_t depth)
{
	for (uint32_t i = 0; i < l->len; i++) {
		uint32_t item = l->item[i], at = n->count;
		const struct bob_table_loop *inner;
		struct part_of_nest *p;
		uint64_t grows = 0;

		n->never = n->count == BOB_NEST_ITEMS;
		if (n->never)
			return 0;
		if (!(item & 1)) {
			if (!add_event(n, item >> 1, depth))
				return 0;
			continue;
		}
		inner = &n->folded->tables.loop[item >> 1];
		n->never = depth + 1 == BOB_NEST_DEPTH;
		p = n->never ? NULL : take_column(n, inner->column, 1, depth);
		if (!p || !p->column->walk.value)
			return 0;
		for (uint32_t d = 0; d < depth; d++)
			grows |= p->inner[d];
		if (grows)
			return 0;
		n->trips[depth] = p->column->walk.value;
		add_item(n, depth)->trips = n->trips[depth];
		if (!add_body(n, inner, depth + 1))
			return 0;
		n->out[BOB_NEST_DEPTH + at].items = n->count - at - 1;
	}
	return 1;
}

/* One more loop around: `done` iterations of the outermost one, as many times as it goes. Trip counts must not
 * change. */
static uint64_t add_outer(struct bob_fold_nests *n, uint32_t level, uint64_t done, uint64_t most)
{
	uint64_t trips = most;

	for (uint32_t i = 0; i < n->part_count && trips > 1; i++) {
		struct part_of_nest *p = &n->parts[i];
		uint64_t weight;

		if (__builtin_mul_overflow(p->weight, done, &weight))
			return 1;
		trips = trips_of(&p->digits, weight, trips);
		if (p->slot == NO_SLOT && trips > 1 &&
		    p->column->piece.step[digit_of(&p->digits, weight)])
			trips = 1;
	}
	for (uint32_t i = 0; i < n->part_count; i++) {
		struct part_of_nest *p = &n->parts[i];

		p->outer[level] = move(&p->column->piece, &p->digits, p->weight * done, trips);
	}
	return trips;
}

/* The items, now that it is known how many loops are around the body. */
static void finish_nest(struct bob_fold_nests *n, const uint64_t *outer, uint32_t levels,
			uint64_t done)
{
	struct bob_fold_nest_item *first = &n->out[BOB_NEST_DEPTH - levels];
	uint64_t times[BOB_NEST_DEPTH + 1];

	times[0] = done;
	for (uint32_t i = 0; i < n->count; i++) {
		struct bob_fold_nest_item *item = &n->out[BOB_NEST_DEPTH + i];

		if (item->items)
			times[item->depth + 1] = times[item->depth] * item->trips;
		else
			n->events += times[item->depth];
		item->depth += levels;
	}
	for (uint32_t k = 0; k < levels; k++)
		first[k] = (struct bob_fold_nest_item){ .items = n->count + levels - 1 - k, .depth = k,
							.trips = outer[levels - 1 - k] };
	n->first = first;
	n->count += levels;
	for (uint32_t i = 0; i < n->part_count; i++) {
		struct part_of_nest *p = &n->parts[i];

		if (p->slot != NO_SLOT) {
			uint64_t *step = n->step + (size_t)p->slot * BOB_NEST_DEPTH;

			n->base[p->slot] = p->column->walk.value;
			for (uint32_t k = 0; k < levels; k++)
				step[k] = p->outer[levels - 1 - k];
			for (uint32_t d = 0; d < p->depth; d++)
				step[levels + d] = p->inner[d];
		}
		skip(p->column, p->weight * done);
	}
}

/* Iterations of loop `number`, of which `left` are left, as a nest. Returns how many it has, 0 if it is none. */
static uint64_t make_nest(struct bob_fold_nests *n, uint32_t number, uint64_t left)
{
	uint64_t outer[BOB_NEST_DEPTH], done = 1;
	uint32_t levels = 0;

	if (n->hopeless[number])
		return 0;
	n->nest++;
	n->count = n->words = n->part_count = n->event_count = n->deepest = 0;
	n->never = 0;
	if (!add_body(n, &n->folded->tables.loop[number], 0) || !n->event_count) {
		n->hopeless[number] = n->never != 0;
		return 0;
	}
	while (levels + n->deepest < BOB_NEST_DEPTH && left / done > 1) {
		uint64_t trips = add_outer(n, levels, done, left / done);

		if (trips < 2)
			break;
		outer[levels++] = trips;
		done *= trips;
	}
	if (!levels && left > 1)
		return 0;
	if (!levels) {
		if (n->deepest == BOB_NEST_DEPTH)
			return 0;
		outer[levels++] = add_outer(n, 0, 1, 1);
	}
	finish_nest(n, outer, levels, done);
	return done;
}

/* --- parts --- */

static void begin_values(const struct bob_fold_nests *n, struct bob_values_dec *d, uint8_t *mem,
			 unsigned bits, uint32_t list)
{
	uint32_t member;
	const struct bob_fold_sharing *s = bob_folded_find(n->folded, list, n->part, &member);

	if (s)
		memset(mem, 0, bob_values_size(bits));
	bob_values_dec_init(d, mem, bits, s ? s->bytes.at : mem, s ? s->bytes.len : 0);
}

static void close_columns(struct bob_fold_nests *n)
{
	for (; n->newest; n->newest = n->newest->before)
		bob_group_close(&n->newest->reader);
	bob_blocks_free(&n->blocks);
}

static void begin_part(struct bob_fold_nests *n)
{
	const struct bob_folded *f = n->folded;

	close_columns(n);
	memset(n->column, 0, n->room * sizeof(*n->column));
	begin_values(n, &n->spine, n->spine_mem, BOB_FOLD_SPINE_BITS, f->spines);
	begin_values(n, &n->values, n->values_mem, BOB_FOLD_VALUES_BITS, f->values);
	memset(n->hopeless, 0, n->hopeless_room);
	n->item = 0;
	n->events = 0;
}

/* The next item of the spine; BOB_END: none, in no part. */
static bob_status next_item(struct bob_fold_nests *n)
{
	for (;;) {
		bob_status st = bob_values_get(&n->spine, &n->item);

		if (st == BOB_OK)
			return bob_tables_has(&n->folded->tables, n->item) ? BOB_OK :
									     BOB_ERR_CORRUPT;
		if (st != BOB_END)
			return st;
		if (n->events != n->folded->part[n->part].events)
			return BOB_ERR_CORRUPT;
		if (n->part + 1 == n->parts_end)
			return BOB_END;
		n->part++;
		begin_part(n);
	}
}

/* --- events --- */

static bob_status give(struct bob_fold_nests *n, uint32_t shape)
{
	const struct bob_table_shape *s = &n->folded->tables.shape[shape];

	for (uint32_t i = 0; i < s->words; i++) {
		bob_status st = next_value(n, s->column + i, 0, &n->base[i]);

		if (st != BOB_OK)
			return st;
	}
	n->events++;
	n->out[0] = (struct bob_fold_nest_item){ .shape = shape, .words = s->words,
						 .base = n->base, .step = n->step };
	n->first = n->out;
	n->count = 1;
	return BOB_OK;
}

static bob_status enter(struct bob_fold_nests *n, uint32_t number)
{
	const struct bob_table_loop *l = &n->folded->tables.loop[number];
	uint64_t trips;
	bob_status st = next_value(n, l->column, 1, &trips);

	if (st != BOB_OK || !trips)
		return st;
	n->frame[n->depth++] = (struct frame){ .loop = l, .number = number, .left = trips };
	return BOB_OK;
}

/* `count` iterations of the newest loop are over. */
static void end_iterations(struct bob_fold_nests *n, uint64_t count)
{
	struct frame *f = &n->frame[n->depth - 1];

	f->at = 0;
	f->has_event = 0;
	f->left -= count;
	if (!f->left && --n->depth)
		f[-1].has_event = 1;
}

/* An item of the newest loop, or of the spine. BOB_NONE: it was a loop, which has been entered. */
static bob_status next_in(struct bob_fold_nests *n, struct frame *f)
{
	bob_status st;
	uint32_t item;

	if (f) {
		item = f->loop->item[f->at++];
	} else {
		st = next_item(n);
		if (st != BOB_OK)
			return st;
		item = (uint32_t)n->item;
	}
	if (!(item & 1)) {
		if (f)
			f->has_event = 1;
		return give(n, item >> 1);
	}
	st = enter(n, item >> 1);
	return st == BOB_OK ? BOB_NONE : st;
}

static bob_status step(struct bob_fold_nests *n)
{
	bob_status st = BOB_NONE;

	while (st == BOB_NONE) {
		struct frame *f = n->depth ? &n->frame[n->depth - 1] : NULL;
		uint64_t made;

		if (f && f->at == f->loop->len) {
			if (!f->has_event)
				return BOB_ERR_CORRUPT;
			end_iterations(n, 1);
			continue;
		}
		made = f && !f->at ? make_nest(n, f->number, f->left) : 0;
		if (made) {
			end_iterations(n, made);
			return BOB_OK;
		}
		st = next_in(n, f);
	}
	return st;
}

bob_status bob_fold_nests_next(struct bob_fold_nests *n, const struct bob_fold_nest_item **items,
			       uint32_t *count)
{
	bob_status st = n->failed;

	if (st == BOB_OK)
		st = step(n);
	n->failed = st;
	*items = n->first;
	*count = n->count;
	return st;
}

/* --- life --- */

static uint32_t deepest(const struct bob_tables *t)
{
	uint32_t depth = 1;

	for (uint32_t i = 0; i < t->loop_count; i++)
		if (t->loop[i].depth > depth)
			depth = t->loop[i].depth;
	return depth;
}

bob_status bob_fold_nests_open(const struct bob_folded *f, uint32_t participant,
			       struct bob_fold_nests **out)
{
	const struct bob_alloc *a = &f->tables.blocks.alloc;
	struct bob_fold_nests *n;

	if (participant >= f->first_count)
		return BOB_ERR_INVAL;
	n = a->resize(a->ctx, NULL, 0, sizeof(*n));
	if (!n)
		return BOB_ERR_NOMEM;
	memset(n, 0, sizeof(*n));
	n->folded = f;
	n->blocks.alloc = *a;
	n->part = f->first[participant];
	n->parts_end = participant + 1 < f->first_count ? f->first[participant + 1] : f->part_count;
	n->spine_mem = a->resize(a->ctx, NULL, 0, bob_values_size(BOB_FOLD_SPINE_BITS));
	n->values_mem = a->resize(a->ctx, NULL, 0, bob_values_size(BOB_FOLD_VALUES_BITS));
	if (!n->spine_mem || !n->values_mem ||
	    !bob_array_grow(a, &n->column, &n->room, 0, f->tables.column_count + 1,
			    sizeof(*n->column)) ||
	    !bob_array_grow(a, &n->frame, &n->frame_room, 0, deepest(&f->tables),
			    sizeof(*n->frame)) ||
	    !bob_array_grow(a, &n->hopeless, &n->hopeless_room, 0, f->tables.loop_count + 1, 1)) {
		bob_fold_nests_close(n);
		return BOB_ERR_NOMEM;
	}
	begin_part(n);
	*out = n;
	return BOB_OK;
}

void bob_fold_nests_close(struct bob_fold_nests *n)
{
	struct bob_alloc a;

	if (!n)
		return;
	a = n->blocks.alloc;
	bob_array_free(&a, n->spine_mem, 1, bob_values_size(BOB_FOLD_SPINE_BITS));
	bob_array_free(&a, n->values_mem, 1, bob_values_size(BOB_FOLD_VALUES_BITS));
	bob_array_free(&a, n->column, n->room, sizeof(*n->column));
	bob_array_free(&a, n->frame, n->frame_room, sizeof(*n->frame));
	bob_array_free(&a, n->hopeless, n->hopeless_room, 1);
	close_columns(n);
	a.resize(a.ctx, n, sizeof(*n), 0);
}
