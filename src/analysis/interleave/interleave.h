/* SPDX-License-Identifier: BSD-3-Clause */
/* In which order several recorded threads are replayed. A trace orders the accesses of each thread,
 * and between threads only what synchronisation implies; this picks one order that respects it,
 * always the same one:
 *
 *   Threads take turns, by number. A turn ends after `quantum` accesses, at any synchronisation
 *   point, and at the end of the thread. A thread may come to a point that must follow an event of
 *   another thread: a released lock, an arrival at a barrier, its own creation, an end. It is
 *   skipped until that event has happened. The marks of a complete trace always leave a thread that
 *   can continue. In other traces (killed threads, damage, synchronisation that was not recorded)
 *   all may wait. Then one of them continues as if the event had happened, and that is counted: of
 *   those that wait for a turn the one whose turn is next, the first in turn if there are several;
 *   else the first in turn.
 *
 * Nothing is read or simulated here, so `replay` and `cache` share it. The reader asks which thread
 * has the turn, and for how many accesses (bob_interleave_turn). It consumes up to that many, and
 * reports what happened.
 *
 * Owner: the caller; bob_interleave_destroy frees. Threads: one object, one thread. Work and memory
 * grow with threads and with distinct synchronisation objects, never with accesses. */
#ifndef BOB_ANALYSIS_INTERLEAVE_H
#define BOB_ANALYSIS_INTERLEAVE_H

#include <stdint.h>

#include "bobbin/status.h"

#define BOB_INTERLEAVE_QUANTUM 100u /* default: accesses of a turn */
#define BOB_INTERLEAVE_THREADS_MAX 65536u

/* The next event of a thread. `object` is any number that names one; each has a count, which begins
 * with 0. */
enum bob_interleave_what {
	BOB_INTERLEAVE_POINT = 0, /* the turn ends, no more */
	/* after the count has reached `value`; makes it value + 1, if it is less */
	BOB_INTERLEAVE_TURN,
	BOB_INTERLEAVE_GIVE,	/* adds 1 to the count */
	BOB_INTERLEAVE_AWAIT,	/* after the count has reached `value` */
	BOB_INTERLEAVE_END	/* of the thread; adds 1 to the count */
};

struct bob_interleave;

/* Threads are numbered from 0. `quantum` 0: the default. Errors: INVAL (no threads, or too many),
 * NOMEM. */
bob_status bob_interleave_create(uint32_t threads, uint64_t quantum, struct bob_interleave **out);
void bob_interleave_destroy(struct bob_interleave *v); /* NULL is allowed */

/* Whose turn it is, and how many accesses it may make, at least 1. The same until something
 * happened. BOB_END: all threads have ended. */
bob_status bob_interleave_turn(struct bob_interleave *v, uint32_t *thread, uint64_t *accesses);
/* The thread whose turn it is made `count` accesses, no more than it may. */
bob_status bob_interleave_ran(struct bob_interleave *v, uint64_t count);
/* ... and came to a synchronisation point, or its end. Errors: INVAL (no such kind), NOMEM. */
bob_status bob_interleave_sync(struct bob_interleave *v, enum bob_interleave_what what,
			       uint64_t object, uint64_t value);
/* How often a thread went on that should have waited. */
uint64_t bob_interleave_forced(const struct bob_interleave *v);

#endif
