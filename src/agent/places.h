/* SPDX-License-Identifier: BSD-3-Clause */
/* Patched code by address: which original instruction a place in a trampoline stands for, and where
 * an overwritten instruction runs now (places.c). The plan says both (plan/format.h, `moved`).
 * Any thread, also in a signal handler: nothing is written, no lock is taken. */
#ifndef BOB_AGENT_PLACES_H
#define BOB_AGENT_PLACES_H

#include "agent/agent.h"

struct place_in_trampoline {
	uint64_t orig;		/* the original instruction */
	uint32_t pushed;	/* bytes on the stack that the original would not have pushed yet */
	/* in the displaced instructions, after their begin, or after them */
	bool moved;
	bool begins;		/* ... where one of them begins, but not the first */
	bool saved;		/* before them: rax is at rsp - 16 */
};
/* False: `addr` is in no trampoline of this image. Looks at all functions: for rare use. */
bool place_in_trampoline(const struct bob_image *im, uint64_t addr,
			 struct place_in_trampoline *out);
/* The function whose displaced instructions begin at `body`; NULL: none. */
const struct bob_plan_func *place_of_body(const struct bob_image *im, uint64_t body);
/* The function that reaches its trampoline by a long jump at `addr`, in padding; NULL: none. */
const struct bob_plan_func *place_of_hole(const struct bob_image *im, uint64_t addr);
/* Where its patch is, in memory. */
uint64_t place_of_patch(const struct bob_image *im, const struct bob_plan_func *f);
/* Where to continue instead of at `addr`, if that lies in overwritten bytes after their first; else
 * `addr`. */
uint64_t place_to_resume(const struct bob_image *im, uint64_t addr);

#endif
