/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounded-error mode: quantisation of values. If a column has no prediction, a new piece begins,
 * and two values define its step. Among the steps within the bound, the one divisible by the
 * largest power of two is most likely to fit further values. A given-up column finds recurring
 * rows, so equal values must remain equal: each value is rounded independently. */
#include "fold/loose.h"

/* The number in [lo, hi], lo > 0, that is divisible by the largest power of two. */
static uint64_t roundest(uint64_t lo, uint64_t hi)
{
	while ((hi & (hi - 1)) >= lo)
		hi &= hi - 1;
	return hi;
}

static uint64_t rounded_step(int64_t step, uint64_t within)
{
	uint64_t way = step < 0 ? -(uint64_t)step : (uint64_t)step;

	if (way <= within)
		return 0;
	way = way >> 62 ? way : roundest(way - within, way + within);
	return step < 0 ? -way : way;
}

/* Rounds to a multiple of the largest power of two of which half is at most `within`. */
static uint64_t rounded(uint64_t v, uint64_t within)
{
	uint64_t half = 1;

	while (half * 2 <= within)
		half *= 2;
	return (v + half) & ~(half * 2 - 1);
}

uint64_t bob_loose_value(struct bob_loose *t, const struct bob_column_slot *slot, uint64_t v)
{
	const struct bob_column *c = slot->full;
	uint64_t to = v;

	if (!t->within)
		return v;
	if (slot->given_up)
		to = rounded(v, t->within);
	else if (c && c->predicts && c->walk.value - v + t->within <= 2 * t->within)
		to = c->walk.value;
	else if (t->begun)
		to = t->last + rounded_step((int64_t)(v - t->last), t->within);
	t->begun = 1;
	t->last = (to ^ v) >> 63 ? v : to;
	return t->last;
}
