/* SPDX-License-Identifier: BSD-3-Clause */
/* Code of the user's that is called in the midst of our own work, and has to come back: functions of value sets. Whoever it is written by: an exception (C++, or whatever unwinds as it does)
 * that leaves it ends here. A jump that leaves it cannot be held up, nor exit in it; but both are noticed.
 *
 * Threads: any; each for itself. */
#ifndef BOB_EVENTS_GUARD_H
#define BOB_EVENTS_GUARD_H

#include <stdbool.h>

/* False: an exception has left it, and is gone. Not within another one. */
bool bob_ev_guard(void (*work)(void *arg), void *arg);
/* The calling thread is within it: it is called by `work`, or `work` ends the process. */
bool bob_ev_guard_is_inside(void);
/* True once after a jump has left it. */
bool bob_ev_guard_was_left(void);

#endif
