/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls user code that must return: functions of value sets and of a transport, and hooks that no
 * exception may leave. An exception of C++, or of another language with the same unwinding, ends
 * here. A jump (longjmp) that leaves the code, and exit within it, cannot be stopped, but are
 * detected.
 *
 * Threads: any; state is per thread. */
#ifndef BOB_EVENTS_GUARD_H
#define BOB_EVENTS_GUARD_H

#include <stdbool.h>
#include <stdint.h>

enum bob_ev_guarded {
	BOB_EV_GUARDED_SETS = 1,
	BOB_EV_GUARDED_TRANSPORT = 2,
	BOB_EV_GUARDED_HOOK = 4,	/* a hook at a function that is hooked by name */
	/* additional bit: the caller was recording (bob_ev_depth) */
	BOB_EV_GUARDED_WITHIN = 8
};

/* Calls work(arg). False: an exception has left it, and has been destroyed. Guards nest where
 * `work` ends the process, at most BOB_EV_GUARDS deep; deeper ones do not call `work`. */
#define BOB_EV_GUARDS 4u
bool bob_ev_guard(enum bob_ev_guarded what, void (*work)(void *arg), void *arg);
/* Whether the calling thread is within such a guard: called by `work`, or after `work` has ended
 * the process. */
bool bob_ev_guard_is_inside(enum bob_ev_guarded what);
/* Guards that a jump has left since the last call: bits of enum bob_ev_guarded. */
uint32_t bob_ev_guards_left(void);

#endif
