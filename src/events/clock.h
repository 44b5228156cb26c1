/* SPDX-License-Identifier: BSD-3-Clause */
/* Clock of begin and end of events, for statistics: CLOCK_MONOTONIC to within some ns, from the
 * processor's time stamp counter (base/ticks.h) where that runs at a constant rate. Reading the
 * counter does not wait for preceding instructions, which costs some ns of accuracy, too.
 *
 * Owner: a thread. Threads: that one. Budget: 9 ns, where clock_gettime takes 18 (bench/events). */
#ifndef BOB_EVENTS_CLOCK_H
#define BOB_EVENTS_CLOCK_H

#include "base/ticks.h"

/* Reads both clocks; the first call in a process finds out whether the counter can be used. */
uint64_t bob_ev_clock_read(struct bob_ticks *t);

static inline uint64_t bob_ev_clock_ns(struct bob_ticks *t)
{
	uint64_t ns;

	if (bob_ticks_ns(t, __builtin_ia32_rdtsc(), &ns))
		return ns;
	return bob_ev_clock_read(t);
}

#endif
