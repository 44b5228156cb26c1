/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of user code that must return: functions of value sets and of a transport, and hooks where
 * no exception may pass. An exception that leaves such code (of C++, or of another language that
 * unwinds in the same way) ends here. A jump that leaves it cannot be stopped, nor exit in it; but
 * both are noticed.
 *
 * Threads: any; each for itself. */
#ifndef BOB_EVENTS_GUARD_H
#define BOB_EVENTS_GUARD_H

#include <stdbool.h>
#include <stdint.h>

enum bob_ev_guarded {
	BOB_EV_GUARDED_SETS = 1,
	BOB_EV_GUARDED_TRANSPORT = 2,
	BOB_EV_GUARDED_HOOK = 4,	/* at a function that is hooked by name */
	/* besides: what called it was recording something (bob_ev_depth) */
	BOB_EV_GUARDED_WITHIN = 8
};

/* False: an exception has left it, and is gone. They may lie in one another where `work` ends the
 * process; not deeper than BOB_EV_GUARDS, then `work` is not called. */
#define BOB_EV_GUARDS 4u
bool bob_ev_guard(enum bob_ev_guarded what, void (*work)(void *arg), void *arg);
/* The calling thread is within it: it is called by `work`, or `work` ends the process. */
bool bob_ev_guard_is_inside(enum bob_ev_guarded what);
/* Which a jump has left since it was asked: bits of enum bob_ev_guarded. */
uint32_t bob_ev_guards_left(void);

#endif
