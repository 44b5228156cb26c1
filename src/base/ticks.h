/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of a clock, interpolated by a counter that is cheaper to read, such as the processor's
 * time-stamp counter. An *anchor* is a reading of both at once. For a millisecond after an anchor,
 * the counter measures the elapsed time, at the rate between earlier anchors. The error of a time
 * is the error of the rate over a millisecond (some ns), plus the time between the two readings of
 * the anchor. Times never decrease. The next anchor detects a counter that jumped (another
 * processor's, or a machine that was suspended or migrated); after several jumps the counter is no
 * longer used.
 *
 * Owner: the caller; a zeroed struct is the initial state. Threads: one. Units: ns. No errors.
 * Freestanding. */
#ifndef BOB_BASE_TICKS_H
#define BOB_BASE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#define BOB_TICKS_HOLD_NS (1u << 20) /* how long an anchor is valid */
#define BOB_TICKS_JUMP_NS 2000u	/* larger differences are jumps, not errors of reading */
#define BOB_TICKS_JUMPS_MAX 8u

struct bob_ticks {
	uint64_t ticks, ns;	/* the most recent anchor */
	uint64_t rate;		/* 2^-32 ns a tick; 0: unknown */
	uint64_t hold;		/* validity in ticks after the anchor; 0: the clock must be read */
	uint64_t last_ns;	/* the latest time returned; the next is no earlier */
	struct {
		uint64_t ticks, ns;
	} from, next;		/* start of the measurement of the rate, now and in the next
				 * period */
	uint32_t jumps;
};

/* Convert the counter reading `ticks` to a time. False: the caller must read the clock and call
 * bob_ticks_anchor. Hot path: 2 ns. */
static inline bool bob_ticks_ns(struct bob_ticks *t, uint64_t ticks, uint64_t *ns)
{
	const uint64_t since = ticks - t->ticks;
	uint64_t now;

	if (__builtin_expect(since >= t->hold, 0))
		return false;
	now = t->ns + (since * t->rate >> 32); /* below 2^52 + 2^32 */
	t->last_ns = now > t->last_ns ? now : t->last_ns;
	*ns = t->last_ns;
	return true;
}

/* Add an anchor: the clock read `ns` when the counter read `ticks`. Returns the time. */
uint64_t bob_ticks_anchor(struct bob_ticks *t, uint64_t ticks, uint64_t ns);
/* The same for a reading of the clock alone, if both cannot be read together. */
uint64_t bob_ticks_only_ns(struct bob_ticks *t, uint64_t ns);

#endif
