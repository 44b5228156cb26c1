/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments between which an event lies, for statistics: those of CLOCK_MONOTONIC to some ns, from
 * the processor's time-stamp counter (base/ticks.h) where that runs evenly. The counter is read
 * without waiting for what comes before it in the program: a moment may be some ns off for that,
 * too.
 *
 * Owner: a thread. Threads: that one. Budget: 9 ns, where clock_gettime takes 18 (bench/events). */
#ifndef BOB_EVENTS_CLOCK_H
#define BOB_EVENTS_CLOCK_H

#include "base/ticks.h"

/* Both are read, and once in a process it is asked whether the counter can be used. */
uint64_t bob_ev_clock_read(struct bob_ticks *t);

static inline uint64_t bob_ev_clock_ns(struct bob_ticks *t)
{
	uint64_t ns;

	if (bob_ticks_ns(t, __builtin_ia32_rdtsc(), &ns))
		return ns;
	return bob_ev_clock_read(t);
}

#endif
