/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the frames of a thread's functions were, where that was one place, and an image's block of
 * thread-local variables: what decides whether an indexed access stayed in the array that it began
 * in.
 *
 * A call path and a function have one canonical frame address if every access that is known to be
 * at a constant from it (saved registers, variables, return addresses: each call makes some) says
 * the same one; so do accesses at constants for the block. Threads: one object, one thread. */
#ifndef BOB_ANALYSIS_FRAMES_H
#define BOB_ANALYSIS_FRAMES_H

#include "bobbin/fold.h"
#include "bobbin/trace.h"

struct bob_frames;

/* Of one part of a thread's folded accesses; frees with bob_frames_destroy. NULL: no memory. */
struct bob_frames *bob_frames_create(const struct bob_trace *t, uint32_t thread, uint32_t part);
void bob_frames_destroy(struct bob_frames *f); /* NULL is allowed */
/* 0: it was in several places, or is not known. */
int bob_frames_find(const struct bob_frames *f, uint32_t path, uint32_t image, uint64_t pc,
		    uint64_t *cfa);
/* Is the indexed `place` of an instruction at `pc` certainly the variable that it names, for bytes
 * from lo to before hi? */
int bob_frames_confirm(const struct bob_frames *f, uint32_t path, uint32_t image, uint64_t pc,
		       const struct bob_place *place, uint64_t lo, uint64_t hi);

#endif
