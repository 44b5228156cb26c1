/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which several recorded threads are replayed. A trace orders the accesses of each
 * thread, and between threads only what synchronisation implies. This selects one order that
 * respects it, deterministically:
 *
 *   Threads take turns, by number. A turn ends after `quantum` accesses, at any synchronisation
 *   point, and at the end of the thread. At a point that must follow an event of another thread
 *   (a released lock, an arrival at a barrier, its own creation, an end), a thread is skipped until
 *   that event has happened. In a complete trace some thread can always continue. In other traces
 *   (killed threads, damage, synchronisation that was not recorded) all may wait. Then one of them
 *   continues as if the event had happened, and that is counted: of those that wait for a turn, the
 *   one whose turn is next (the first in order if there are several); otherwise the first in order.
 *
 * Nothing is read or simulated here, so `replay` and `cache` share it. The reader queries which
 * thread has the turn, and for how many accesses (bob_interleave_turn). It consumes up to that many
 * and reports what happened.
 *
 * Owner: the caller; bob_interleave_destroy frees. Threads: one object, one thread. Work and memory
 * grow with the number of threads and of distinct synchronisation objects, never of accesses. */
#ifndef BOB_ANALYSIS_INTERLEAVE_H
#define BOB_ANALYSIS_INTERLEAVE_H

#include <stdint.h>

#include "bobbin/status.h"

#define BOB_INTERLEAVE_QUANTUM 100u /* default: accesses per turn */
#define BOB_INTERLEAVE_THREADS_MAX 65536u

/* Synchronisation of a thread. `object` is any number that identifies an object; each has a count,
 * initially 0. */
enum bob_interleave_what {
	BOB_INTERLEAVE_POINT = 0, /* only ends the turn */
	/* waits until the count is at least `value`, then raises it to at least value + 1 */
	BOB_INTERLEAVE_TURN,
	BOB_INTERLEAVE_GIVE,	/* adds 1 to the count */
	BOB_INTERLEAVE_AWAIT,	/* waits until the count is at least `value` */
	BOB_INTERLEAVE_END	/* end of the thread; adds 1 to the count */
};

struct bob_interleave;

/* Threads are numbered from 0. `quantum` 0: the default. Errors: BOB_ERR_INVAL (no threads, or too
 * many), BOB_ERR_NOMEM. */
bob_status bob_interleave_create(uint32_t threads, uint64_t quantum, struct bob_interleave **out);
void bob_interleave_destroy(struct bob_interleave *v); /* NULL is allowed */

/* Returns the thread that has the turn and its remaining accesses, at least 1. Repeated calls give
 * the same result until something is reported. BOB_END: all threads have ended. */
bob_status bob_interleave_turn(struct bob_interleave *v, uint32_t *thread, uint64_t *accesses);
/* Reports that the thread made `count` accesses, at most its remaining ones. */
bob_status bob_interleave_ran(struct bob_interleave *v, uint64_t count);
/* Reports a synchronisation point or the end of the thread. Errors: BOB_ERR_INVAL (unknown kind),
 * BOB_ERR_NOMEM. */
bob_status bob_interleave_sync(struct bob_interleave *v, enum bob_interleave_what what,
			       uint64_t object, uint64_t value);
/* How often a thread continued although it should have waited. */
uint64_t bob_interleave_forced(const struct bob_interleave *v);

#endif
