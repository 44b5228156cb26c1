/* SPDX-License-Identifier: BSD-3-Clause */
/* Expansion by nests, on the state of expand.h. At the beginning of an iteration it checks: are the
 * values of all columns, from here on, affine in the indices of a nest?
 *
 * The position of a column in a piece is a mixed-radix number; its digits are the indices of the
 * piece's loops. Loop j of the nest advances a column by a weight, the product of the trip counts
 * inside it. If a digit's unit divides the weight, the loop changes this digit only. If no digit
 * carries for any indices, the value is base + sum of (index * change * step). So the loops of the
 * piece need not be those of the nest. Only digits of rectangular loops are used: their counts do
 * not depend on outer loops.
 *
 * Control represents loops without an event between them as one loop: sweeps over an array are one
 * loop of sweeps * length iterations. So the outermost loop of a nest is split: as many iterations
 * as possible without a carry, then multiples of that, and so on. Remaining iterations follow as
 * further nests or one by one. */
#include <stddef.h>
#include <string.h>

#include "fold/expand.h"
#include "fold/nests.h"

/* The innermost loops of a piece that are rectangular at its position. */
struct digits {
	unsigned count;
	uint64_t digit[BOB_PIECE_DIMS], limit[BOB_PIECE_DIMS];
	uint64_t unit[BOB_PIECE_DIMS + 1]; /* unit[e]: values per increment of digit e */
};

/* A column of the nest under construction. */
struct part_of_nest {
	struct bob_expand_column *column;
	struct digits digits;	/* `digit`: the largest values reached */
	uint64_t weight;	/* values per iteration of the outermost loop */
	uint64_t inner[BOB_NEST_DEPTH]; /* steps of the loops in the body, by depth in the body */
	uint64_t outer[BOB_NEST_DEPTH]; /* steps of the loops into which the outermost loop is
					 * split, innermost first */
	uint32_t slot;		/* index of the word, or NO_SLOT: trip counts */
	uint32_t depth;		/* enclosing loops in the body */
};

#define NO_SLOT UINT32_MAX

struct bob_fold_nests {
	struct bob_expand x;
	uint8_t *hopeless;		/* by loop: not a nest anywhere in this part */
	uint32_t hopeless_capacity, hopeless_part;
	/* The current nest: */
	uint32_t nest;			/* its number */
	uint32_t count, words, event_count, part_count;
	uint32_t deepest;		/* depth of nesting in the body */
	int never;			/* construction failed for a permanent reason */
	uint64_t trips[BOB_NEST_DEPTH];	/* by depth in the body */
	const struct bob_fold_nest_item *first;
	struct bob_fold_nest_item out[BOB_NEST_DEPTH + BOB_NEST_ITEMS];
	struct part_of_nest parts[BOB_NEST_WORDS + BOB_NEST_ITEMS];
	uint64_t base[BOB_NEST_WORDS];
	uint64_t step[BOB_NEST_WORDS * BOB_NEST_DEPTH];
};

/* --- positions --- */

static void read_digits(const struct bob_expand_column *c, struct digits *d)
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

/* The digit that a loop of this weight changes, or -1. */
static int digit_of(const struct digits *d, uint64_t weight)
{
	unsigned e = d->count;

	while (e && weight % d->unit[e - 1])
		e--;
	return (int)e - 1;
}

/* Trip count without a carry of a loop of this weight: at least 1, at most `most`. */
static uint64_t trips_of(const struct digits *d, uint64_t weight, uint64_t most)
{
	int e = digit_of(d, weight);
	uint64_t fit;

	if (e < 0)
		return 1;
	fit = 1 + (d->limit[e] - 1 - d->digit[e]) / (weight / d->unit[e]);
	return fit < most ? fit : most;
}

/* Advances the digits by a loop of `trips` iterations. Returns its step. */
static uint64_t move(const struct bob_piece *p, struct digits *d, uint64_t weight, uint64_t trips)
{
	int e = digit_of(d, weight);

	if (trips < 2)
		return 0;
	d->digit[e] += weight / d->unit[e] * (trips - 1);
	return weight / d->unit[e] * p->step[e];
}

/* Advances the column by `count` values, all within the rectangle. */
static void skip(struct bob_expand_column *c, uint64_t count)
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
	at += count - 1;	/* go to the last value, then one step, which may carry beyond the
				 * rectangle */
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

/* Adds a column that has `depth` enclosing loops in the body. NULL: it is not affine there, or
 * already in this nest. */
static struct part_of_nest *take_column(struct bob_fold_nests *n, uint32_t number, int in_line,
					uint32_t depth)
{
	struct part_of_nest *p = &n->parts[n->part_count];
	struct bob_expand_column *c;

	if (bob_expand_column(&n->x, number, in_line, &c) != BOB_OK)
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
	const struct bob_table_shape *s = &n->x.folded->tables.shape[shape];
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

/* Adds the body of loop `l`, which has `depth` enclosing loops in the body of the outermost
 * loop. */
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
		inner = &n->x.folded->tables.loop[item >> 1];
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

/* Splits the outermost loop once more: a loop of as many repetitions of `done` iterations as
 * possible. Trip counts of inner loops must not change. */
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

/* Completes the items when the number of split loops is known. */
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
			n->x.events += times[item->depth];
		item->depth += levels;
	}
	for (uint32_t k = 0; k < levels; k++)
		first[k] = (struct bob_fold_nest_item){ .items = n->count + levels - 1 - k,
							.depth = k,
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

/* Makes a nest from the `left` remaining iterations of loop `number`. Returns how many iterations
 * it has, or 0. */
static uint64_t make_nest(struct bob_fold_nests *n, uint32_t number, uint64_t left)
{
	uint64_t outer[BOB_NEST_DEPTH], done = 1;
	uint32_t levels = 0;

	if (n->hopeless[number])
		return 0;
	n->nest++;
	n->count = n->words = n->part_count = n->event_count = n->deepest = 0;
	n->never = 0;
	if (!add_body(n, &n->x.folded->tables.loop[number], 0) || !n->event_count) {
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

/* --- events --- */

static bob_status give(struct bob_fold_nests *n, uint32_t shape)
{
	n->out[0] = (struct bob_fold_nest_item){ .shape = shape,
						 .words = n->x.folded->tables.shape[shape].words,
						 .base = n->base, .step = n->step };
	n->first = n->out;
	n->count = 1;
	return bob_expand_event(&n->x, shape, n->base);
}

/* Makes a nest from the next iterations of the innermost loop, if one begins here. */
static uint64_t begin_nest(struct bob_fold_nests *n)
{
	const struct bob_expand_frame *f = n->x.depth ? &n->x.frame[n->x.depth - 1] : NULL;

	if (!f || f->at)
		return 0;
	if (n->hopeless_part != n->x.part) {
		memset(n->hopeless, 0, n->hopeless_capacity);
		n->hopeless_part = n->x.part;
	}
	return make_nest(n, f->number, f->left);
}

static bob_status step(struct bob_fold_nests *n)
{
	bob_status st = BOB_NONE;
	uint32_t shape = 0;

	while (st == BOB_NONE) {
		uint64_t made;

		if (bob_expand_at_end(&n->x)) {
			if (bob_expand_end_of_body(&n->x) != BOB_OK)
				return BOB_ERR_CORRUPT;
			continue;
		}
		made = begin_nest(n);
		if (made) {
			bob_expand_iterated(&n->x, made);
			return BOB_OK;
		}
		st = bob_expand_item(&n->x, &shape);
	}
	return st == BOB_OK ? give(n, shape) : st;
}

bob_status bob_fold_nests_next(struct bob_fold_nests *n, const struct bob_fold_nest_item **items,
			       uint32_t *count)
{
	if (n->x.failed == BOB_OK)
		n->x.failed = step(n);
	*items = n->first;
	*count = n->count;
	return n->x.failed;
}

/* --- life --- */

bob_status bob_fold_nests_open(const struct bob_folded *f, uint32_t participant,
			       struct bob_fold_nests **out)
{
	const struct bob_alloc *a = &f->tables.blocks.alloc;
	struct bob_fold_nests *n = a->resize(a->ctx, NULL, 0, sizeof(*n));
	bob_status st;

	if (!n)
		return BOB_ERR_NOMEM;
	memset(n, 0, offsetof(struct bob_fold_nests, out)); /* the rest is set before use */
	n->hopeless_part = UINT32_MAX;
	st = bob_expand_open(&n->x, f, participant);
	if (st == BOB_OK && !bob_array_grow(a, &n->hopeless, &n->hopeless_capacity, 0,
					    f->tables.loop_count + 1, 1)) {
		bob_expand_close(&n->x);
		st = BOB_ERR_NOMEM;
	}
	if (st == BOB_OK)
		*out = n;
	else
		a->resize(a->ctx, n, sizeof(*n), 0);
	return st;
}

void bob_fold_nests_close(struct bob_fold_nests *n)
{
	struct bob_alloc a;

	if (!n)
		return;
	a = n->x.blocks.alloc;
	bob_array_free(&a, n->hopeless, n->hopeless_capacity, 1);
	bob_expand_close(&n->x);
	a.resize(a.ctx, n, sizeof(*n), 0);
}
