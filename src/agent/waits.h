/* SPDX-License-Identifier: BSD-3-Clause */
/* Records the exit status of children that the program waits for, in the file of the waiting
 * process (BOB_REC_WAITED). arch/x86_64/sync.S calls wait4 and waitid and so sees their results; in
 * glibc, wait, wait3, waitpid, system and pclose call wait4.
 *
 * Threads: any, also in a signal handler. The only state between the two calls is the struct
 * bob_sync_call on the stack, so waits that are left (cancelled, longjmp) leave no state. */
#ifndef BOB_AGENT_WAITS_H
#define BOB_AGENT_WAITS_H

#include "agent/agent.h"

/* How sync.S treats a function. */
enum bob_around_way {
	BOB_AROUND_PASS = 0,	/* it runs as if its caller had called it */
	BOB_AROUND_CALL = 1,	/* it is called, followed by bob_sync_returned */
	BOB_AROUND_CALL_WITH_STACK = 2,	/* the same, with two arguments on the stack */
	BOB_AROUND_CALL_RECORDED = 3	/* the same, and its entry is recorded: word[3] is its id */
};

/* Offsets of the caller's rbp and the return address in the frame of sync.S, from rsp after the
 * function has returned to bob_sync_return. */
#define BOB_AROUND_RBP 40u
#define BOB_AROUND_RETURN 136u
extern const uint8_t bob_sync_return[] __attribute__((visibility("hidden")));
/* Return addresses of the C that sync.S calls; rsp is then the beginning of the frame. */
extern const uint8_t bob_sync_in_called[] __attribute__((visibility("hidden")));
extern const uint8_t bob_sync_in_returned[] __attribute__((visibility("hidden")));

/* Whether waits are recorded in this process: not if children are not followed, nor if shadow
 * stacks check return addresses. */
bool waits_are_recorded(void);
/* Called before the function `id`, a kind of wait (`what`). */
enum bob_around_way waits_called(uint32_t id, uint32_t what, struct bob_regs *r,
				 struct bob_sync_call *call);
/* Whether `call` is a wait. Then waits_returned is called after it. */
bool waits_own(const struct bob_sync_call *call);
void waits_returned(const struct bob_sync_call *call, uint64_t result);

#endif
