/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion of counter ticks to time: takes anchors, and rejects a counter that jumps or stops. */
#include "base/ticks.h"

#define FROM_LEAST_NS (1u << 19) /* minimum interval for measuring a rate */
#define FROM_NEXT_NS (1u << 29)
#define FROM_MOST_NS (1u << 30)
#define AGO_MOST_NS (1u << 31)
#define TICKS_MOST (1ull << 34)	/* upper bound of the ticks in that time, for any processor */
#define RATE_MOST (1ull << 38)	/* the counter is slower than 64 ns a tick */

uint64_t bob_ticks_only_ns(struct bob_ticks *t, uint64_t ns)
{
	t->last_ns = ns > t->last_ns ? ns : t->last_ns;
	return t->last_ns;
}

static void begin_anew(struct bob_ticks *t, uint64_t ticks, uint64_t ns)
{
	t->from.ticks = t->next.ticks = ticks;
	t->from.ns = t->next.ns = ns;
	t->rate = t->hold = 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Whether the previous anchor predicted this reading, within the tolerated error. */
static bool is_expected(const struct bob_ticks *t, uint64_t ticks, uint64_t ns)
{
	const uint64_t since = ticks - t->ticks;

	return since >= 16 * t->hold ||
	       distance(t->ns + (since * t->rate >> 32), ns) <= BOB_TICKS_JUMP_NS;
}

/* Whether both clocks advanced, far enough for a rate. */
static bool is_measured(const struct bob_ticks *t, uint64_t ticks, uint64_t ns)
{
	return ns - t->from.ns >= FROM_LEAST_NS && ticks != t->from.ticks;
}

/* Measure further rates from an anchor that is between half a second and a second old. */
static void move_from(struct bob_ticks *t, uint64_t ticks, uint64_t ns)
{
	if (ns - t->from.ns >= FROM_MOST_NS) {
		t->from = t->next;
		t->next.ticks = ticks;
		t->next.ns = ns;
	} else if (ns - t->from.ns >= FROM_NEXT_NS && t->next.ns == t->from.ns) {
		t->next.ticks = ticks;
		t->next.ns = ns;
	}
}

uint64_t bob_ticks_anchor(struct bob_ticks *t, uint64_t ticks, uint64_t ns)
{
	uint64_t rate;

	if (t->jumps == BOB_TICKS_JUMPS_MAX)
		return bob_ticks_only_ns(t, ns);
	if (!t->from.ns || ns - t->from.ns > AGO_MOST_NS || ticks - t->from.ticks > TICKS_MOST) {
		begin_anew(t, ticks, ns);
		return bob_ticks_only_ns(t, ns);
	}
	if (!is_measured(t, ticks, ns))
		return bob_ticks_only_ns(t, ns);
	rate = ((ns - t->from.ns) << 32) / (ticks - t->from.ticks);
	if (rate > RATE_MOST ||
	    (t->rate && (!is_expected(t, ticks, ns) || distance(rate, t->rate) > t->rate >> 10))) {
		t->jumps++;
		begin_anew(t, ticks, ns);
		return bob_ticks_only_ns(t, ns);
	}
	t->ticks = ticks;
	t->ns = ns;
	t->rate = rate;
	t->hold = ((uint64_t)BOB_TICKS_HOLD_NS << 32) / (rate + 1);
	move_from(t, ticks, ns);
	return bob_ticks_only_ns(t, ns);
}
