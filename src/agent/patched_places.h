/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps addresses of patched code: from a trampoline to the original instruction, and from an
 * overwritten instruction to its displaced copy. The plan has the data (plan/format.h, `moved`).
 * Threads: any, also in a signal handler; it takes no lock and writes nothing. */
#ifndef BOB_AGENT_PATCHED_PLACES_H
#define BOB_AGENT_PATCHED_PLACES_H

#include "agent/agent.h"

struct place_in_trampoline {
	uint64_t orig;		/* address of the original instruction */
	uint32_t pushed;	/* bytes on the stack that the original has not pushed yet */
	/* within or after the displaced instructions, but not at their begin */
	bool moved;
	bool begins;		/* at the begin of a displaced instruction, but not the first */
	bool saved;		/* before the displaced instructions: rax is saved at rsp - 16 */
};
/* False: `addr` is in no trampoline of this image. Linear in the number of functions: for rare
 * use. */
bool place_in_trampoline(const struct bob_image *im, uint64_t addr,
			 struct place_in_trampoline *out);
/* The function whose displaced instructions begin at `body`; NULL: none. */
const struct bob_plan_func *place_of_body(const struct bob_image *im, uint64_t body);
/* The function whose long jump to its trampoline is at `addr`, in padding; NULL: none. */
const struct bob_plan_func *place_of_hole(const struct bob_image *im, uint64_t addr);
/* The address of its patch in memory. */
uint64_t place_of_patch(const struct bob_image *im, const struct bob_plan_func *f);
/* The address at which to continue instead of `addr`, if that is in overwritten bytes after the
 * first one; else `addr`. */
uint64_t place_to_resume(const struct bob_image *im, uint64_t addr);

#endif
