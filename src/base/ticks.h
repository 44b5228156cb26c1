/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments of a clock from a counter that is cheaper to read, such as the processor's time-stamp
 * counter. Both are read together from time to time, an *anchor*. For a millisecond after an
 * anchor, the counter measures the elapsed time, at the rate between earlier anchors. So moments
 * are those of the clock; their error is the error of the rate over a millisecond (some ns) plus
 * the time between the two readings. They never decrease. A counter that jumps -- another
 * processor's, a machine that was suspended or moved -- is noticed at the next anchor; after
 * several jumps it is not used any more.
 *
 * Owner: the caller; all zeros at first. Threads: one. Units: ns. No errors. Freestanding. */
#ifndef BOB_BASE_TICKS_H
#define BOB_BASE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#define BOB_TICKS_HOLD_NS (1u << 20) /* so long an anchor holds */
#define BOB_TICKS_JUMP_NS 2000u	/* what is further off than that is no error of reading */
#define BOB_TICKS_JUMPS_MAX 8u

struct bob_ticks {
	uint64_t ticks, ns;	/* the newest anchor */
	uint64_t rate;		/* 2^-32 ns a tick; 0: not known */
	uint64_t hold;		/* ticks from the anchor on; 0: the clock is to be read */
	uint64_t last_ns;	/* nothing before it is said */
	struct {
		uint64_t ticks, ns;
	} from, next;		/* where the rate is measured from, and will be */
	uint32_t jumps;
};

/* The moment at which the counter was `ticks`. False: the clock is to be read, bob_ticks_anchor.
 * Hot: 2 ns. */
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

/* The clock said `ns` when the counter was `ticks`. Returns the moment. */
uint64_t bob_ticks_anchor(struct bob_ticks *t, uint64_t ticks, uint64_t ns);
/* The same, but when is not known: the two could not be read together. */
uint64_t bob_ticks_only_ns(struct bob_ticks *t, uint64_t ns);

#endif
