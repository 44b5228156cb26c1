/* SPDX-License-Identifier: BSD-3-Clause */
/* Slow path of a column: mispredictions and ends of loops.
 *
 * Only neighbours on the top of the stack are joined, so the work per value is bounded by the
 * number of dimensions times the height of the stack. Three pieces are required, because any two of
 * equal shape are affine, and a pair of the wrong two spoils the next loop. The first rows of a
 * triangle (its tip) need care: they have one or two values and are single values on the stack when
 * the rows after them become a piece. That piece then absorbs them. */
#include "fold/column.h"

#include <string.h>

#define TIP_VALUES_MAX 32u
#define GIVE_AT_ONCE 8u
/* Bound on consecutive empty inner loops before the first and after the last value of a piece. So
 * joined pieces never have more than a walk skips in one step. */
#define EMPTY_MAX (BOB_PIECE_EMPTY_MAX / 2)
/* Not inlined, to limit stack use: several pieces would be live at the same time, and the stack of
 * the traced program may be small. */
#define COLD __attribute__((noinline))

/* --- the stack --- */

static uint32_t words_of(uint32_t dims)
{
	return 1 + 2 * dims + bob_piece_pair(0, dims);
}

static void pack(const struct bob_piece *p, uint64_t *w)
{
	*w++ = p->base;
	for (unsigned d = 0; d < p->dims; d++) {
		*w++ = p->count[d];
		*w++ = p->step[d];
	}
	memcpy(w, p->grow, bob_piece_pair(0, p->dims) * sizeof(*w));
}

static void unpack(const uint64_t *w, uint32_t dims, struct bob_piece *p)
{
	p->dims = dims;
	p->base = *w++;
	for (unsigned d = 0; d < dims; d++) {
		p->count[d] = *w++;
		p->step[d] = *w++;
	}
	memcpy(p->grow, w, bob_piece_pair(0, dims) * sizeof(*w));
}

/* Reads the n-th piece from the top (0: newest). Returns 0 if there are fewer. */
static int peek(const struct bob_column *c, uint32_t n, struct bob_piece *p)
{
	uint32_t at = c->used;

	if (n >= c->height)
		return 0;
	for (uint32_t i = 0; i <= n; i++)
		at -= words_of(c->dims[c->height - 1 - i]);
	unpack(c->word + at, c->dims[c->height - 1 - n], p);
	return 1;
}

static void drop(struct bob_column *c, uint32_t n)
{
	while (n--)
		c->used -= words_of(c->dims[--c->height]);
}

/* Sends the `n` oldest pieces to the sink. */
static COLD void give_oldest(struct bob_column *c, uint32_t n)
{
	uint32_t at = 0;
	struct bob_piece p;

	for (uint32_t i = 0; i < n; i++) {
		unpack(c->word + at, c->dims[i], &p);
		at += words_of(p.dims);
		c->pieces++;
		c->sink(c->ctx, &p);
	}
	c->used -= at;
	c->height -= n;
	memmove(c->word, c->word + at, c->used * sizeof(c->word[0]));
	memmove(c->dims, c->dims + n, c->height);
}

static void push(struct bob_column *c, const struct bob_piece *p)
{
	while (c->height == BOB_COLUMN_STACK || c->used + words_of(p->dims) > BOB_COLUMN_WORDS)
		give_oldest(c, c->height < GIVE_AT_ONCE ? 1 : GIVE_AT_ONCE);
	pack(p, c->word + c->used);
	c->dims[c->height++] = (uint8_t)p->dims;
	c->used += words_of(p->dims);
}

/* --- opening --- */

/* Positions the walk after `count` complete iterations of the outermost loop, without a
 * prediction. */
static void position_before(struct bob_column *c, uint64_t count)
{
	c->predicts = 0;
	memset(&c->walk, 0, sizeof(c->walk));
	c->walk.idx[c->open.dims - 1] = count;
}

/* Opens c->open after `count` iterations of its outermost loop. */
static void begin_open(struct bob_column *c, uint64_t count)
{
	c->is_open = 1;
	c->predicts = bob_piece_begin(&c->open, count, 1, &c->walk) == BOB_OK &&
		      c->walk.empty <= EMPTY_MAX;
	if (!c->predicts)
		position_before(c, count);
}

/* Reopens the second piece if the newest piece is its next iteration. */
static COLD int absorb(struct bob_column *c, const struct bob_piece *newest)
{
	struct bob_piece *before = &c->open, next;

	if (!peek(c, 1, before) || before->dims != newest->dims + 1)
		return 0;
	uint64_t count = before->count[before->dims - 1];
	bob_piece_iteration(before, count, &next);
	if (!bob_piece_equal(&next, newest))
		return 0;
	drop(c, 2);
	begin_open(c, count + 1);
	return 1;
}

/* Expands up to `capacity` values of `p`. Returns more than `capacity` if `p` has more values or
 * too many empty loops. */
static uint32_t values_of(const struct bob_piece *p, uint64_t *value, uint32_t capacity)
{
	struct bob_piece_walk w;
	bob_status st = bob_piece_begin(p, 0, 0, &w);
	uint32_t n = 0;

	for (; st == BOB_OK && n < capacity; st = bob_piece_next(p, 0, &w))
		value[n++] = w.value;
	return st == BOB_OK || w.empty > EMPTY_MAX ? capacity + 1 : n;
}

/* Number of newest pieces whose values are exactly those of `p`, which has few; 0: none. */
static COLD uint32_t pieces_of_tip(const struct bob_column *c, const struct bob_piece *p)
{
	uint64_t want[TIP_VALUES_MAX], got[TIP_VALUES_MAX];
	uint32_t left = values_of(p, want, TIP_VALUES_MAX), n = 0;

	if (left > TIP_VALUES_MAX)
		return 0;
	for (; left; n++) {
		struct bob_piece have;
		uint32_t m = peek(c, n, &have) ? values_of(&have, got, left) : left + 1;

		if (m > left || memcmp(want + (left - m), got, m * sizeof(*got)))
			return 0;
		left -= m;
	}
	return n;
}

/* Is the newest piece equal to `p` without its loops of one iteration? */
static COLD int is_newest(const struct bob_column *c, const struct bob_piece *p)
{
	struct bob_piece squeezed = *p, newest;

	bob_piece_squeeze(&squeezed);
	return peek(c, 0, &newest) && bob_piece_equal(&squeezed, &newest);
}

/* Prepends earlier iterations that are on the stack as unrecognised values to the new piece `p`.
 * Returns how many. */
static COLD uint64_t take_back(struct bob_column *c, struct bob_piece *p)
{
	for (uint64_t taken = 0;; taken++) {
		struct bob_piece first;
		uint32_t n = 1;

		bob_piece_iteration(p, (uint64_t)-1, &first);
		if (!is_newest(c, &first))
			n = pieces_of_tip(c, &first);
		if (!n)
			return taken;
		drop(c, n);
		p->base = first.base;
		memcpy(p->count, first.count, first.dims * sizeof(p->count[0]));
	}
}

/* Are the newest three pieces iterations of one loop? Then `joined` is that loop. */
static COLD int joins(const struct bob_column *c, const struct bob_piece *newest,
		      struct bob_piece *joined)
{
	struct bob_piece a, b;

	return peek(c, 1, &b) && b.dims == newest->dims && peek(c, 2, &a) && a.dims == b.dims &&
	       bob_piece_join(&a, &b, newest, joined);
}

static int join(struct bob_column *c, const struct bob_piece *newest)
{
	if (!joins(c, newest, &c->open))
		return 0;
	drop(c, 3);
	uint64_t taken = take_back(c, &c->open);
	begin_open(c, 3 + taken);
	return 1;
}

/* Number of newest pieces that are single values, at most `most`. */
static uint32_t values_on_top(const struct bob_column *c, uint32_t most)
{
	uint32_t n = 0;

	while (n < most && n < c->height && !c->dims[c->height - 1 - n])
		n++;
	return n;
}

/* Joins six values to three rows of two values each, which are too short to be pieces. */
static int join_pairs(struct bob_column *c)
{
	if (values_on_top(c, 6) < 6)
		return 0;
	const uint64_t *w = c->word + c->used - 6;
	if (w[1] - w[0] != w[3] - w[2] || w[1] - w[0] != w[5] - w[4] || w[2] - w[0] != w[4] - w[2])
		return 0;
	c->open.dims = 2;
	c->open.base = w[0];
	c->open.count[0] = 2;
	c->open.step[0] = w[1] - w[0];
	c->open.count[1] = 3;
	c->open.step[1] = w[2] - w[0];
	c->open.grow[bob_piece_pair(0, 1)] = 0;
	drop(c, 6);
	begin_open(c, 3);
	return 1;
}

/* After a push: extends or joins pieces with the newest one, if possible. */
static COLD void settle(struct bob_column *c)
{
	struct bob_piece newest;

	if (peek(c, 0, &newest) && !absorb(c, &newest) && !join(c, &newest) && !newest.dims)
		join_pairs(c);
}

/* --- closing --- */

/* Closes the open piece at the position of the walk. Incomplete inner loops become pieces of their
 * own. */
static COLD void close_open(struct bob_column *c)
{
	unsigned top = c->open.dims - 1, parts = 0;
	struct bob_piece part;

	c->open.count[top] = top ? c->walk.idx[top] : bob_piece_inner(&c->open, &c->walk);
	c->is_open = 0;
	c->predicts = 0;
	push(c, &c->open);
	for (unsigned d = top; d-- > 0;)
		if (bob_piece_part(&c->open, &c->walk, d, &part)) {
			push(c, &part);
			parts++;
		}
	if (!parts)
		settle(c);
}

/* Quick check whether `v` can extend or join a piece: the result of settle for the common case that
 * it cannot. */
static int value_joins(const struct bob_column *c, uint64_t v)
{
	const uint64_t *w = c->word + c->used;
	uint32_t n = values_on_top(c, 5);

	if (n == 0)
		return c->height && c->dims[c->height - 1] == 1 && v == w[-3] + w[-2] * w[-1];
	if (n >= 2 && v - w[-1] == w[-1] - w[-2])
		return 1;
	return n == 5 && v - w[-1] == w[-2] - w[-3] && v - w[-1] == w[-4] - w[-5] &&
	       w[-1] - w[-3] == w[-3] - w[-5];
}

void bob_column_surprise(struct bob_column *c, uint64_t v)
{
	const struct bob_piece value = { .base = v };
	int joins;

	while (c->is_open) {
		close_open(c);
		if (c->predicts && c->walk.value == v) {
			bob_column_accept(c);
			return;
		}
	}
	joins = value_joins(c, v);
	push(c, &value);
	if (joins)
		settle(c);
}

/* Are all loops between the innermost and the outermost in their last iteration? */
static int ends_iteration(const struct bob_column *c, const struct bob_piece_walk *w)
{
	for (unsigned d = 1; d + 1 < c->open.dims; d++)
		if (w->idx[d] + 1 < w->limit[d])
			return 0;
	return 1;
}

void bob_column_carry(struct bob_column *c)
{
	struct bob_piece_walk before = c->walk;

	if (bob_piece_carry(&c->open, 1, &c->walk) == BOB_OK &&
	    c->walk.empty - before.empty <= EMPTY_MAX)
		return;
	/* Only empty loops follow: there is no prediction, and the walk is positioned after the
	 * value. */
	if (ends_iteration(c, &before)) {
		position_before(c, before.idx[c->open.dims - 1] + 1);
		return;
	}
	c->walk = before;
	c->walk.left = 0;
	c->predicts = 0;
}

/* --- life --- */

void bob_column_init(struct bob_column *c, bob_piece_sink_fn sink, void *ctx)
{
	memset(c, 0, sizeof(*c));
	c->sink = sink;
	c->ctx = ctx;
}

void bob_column_finish(struct bob_column *c)
{
	while (c->is_open)
		close_open(c);
	give_oldest(c, c->height);
	bob_column_init(c, c->sink, c->ctx);
}
