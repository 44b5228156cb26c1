/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program's waits for children return: how a child ended goes into the file of who waited
 * (BOB_REC_WAITED). wait4 and waitid are called by arch/x86_64/sync.S, which knows their results;
 * wait, wait3, waitpid, system and pclose lead to wait4 inside of glibc.
 *
 * Threads: any, also in a signal handler. Nothing is kept between the two calls but the struct
 * bob_sync_call on the stack, so waits that are left (cancelled, longjmp) leave no state. */
#ifndef BOB_AGENT_WAITS_H
#define BOB_AGENT_WAITS_H

#include "agent/agent.h"

/* What sync.S does with a function. */
enum bob_around_way {
	BOB_AROUND_PASS = 0,	/* it runs as if called by its caller */
	BOB_AROUND_CALL = 1,	/* it is called, then bob_sync_returned */
	BOB_AROUND_CALL_WITH_STACK = 2,	/* ..., with two arguments on the stack */
	BOB_AROUND_CALL_RECORDED = 3	/* ..., and its entry is recorded: word[3] is its id */
};

/* The frame of sync.S, from where rsp is when the function has returned to bob_sync_return: the
 * caller's rbp and return address. */
#define BOB_AROUND_RBP 40u
#define BOB_AROUND_RETURN 136u
extern const uint8_t bob_sync_return[] __attribute__((visibility("hidden")));
/* Where the C that sync.S calls returns to; rsp is then where the frame begins. */
extern const uint8_t bob_sync_in_called[] __attribute__((visibility("hidden")));
extern const uint8_t bob_sync_in_returned[] __attribute__((visibility("hidden")));

/* Are they in this process? Not where children are not followed, nor where the processor checks
 * return addresses. */
bool waits_are_recorded(void);
/* Before the function `id`, which is one that waits (`what`). */
enum bob_around_way waits_called(uint32_t id, uint32_t what, struct bob_regs *r,
				 struct bob_sync_call *call);
/* Is `call` one of these? Then after it. */
bool waits_own(const struct bob_sync_call *call);
void waits_returned(const struct bob_sync_call *call, uint64_t result);

#endif
