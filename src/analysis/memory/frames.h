/* SPDX-License-Identifier: BSD-3-Clause */
/* Frame addresses of a thread's functions, where constant, and the address of an image's block of
 * thread-local variables. They decide whether an indexed access stayed in the array in which it
 * began.
 *
 * A call path and a function have one canonical frame address (CFA) if all accesses with a known
 * constant offset from it (saved registers, variables, return addresses: each call makes some)
 * imply the same one; likewise for the block. Threads: one object, one thread. */
#ifndef BOB_ANALYSIS_FRAMES_H
#define BOB_ANALYSIS_FRAMES_H

#include "bobbin/fold.h"
#include "bobbin/trace.h"

struct bob_frames;

/* For one part of a thread's folded accesses; free with bob_frames_destroy. NULL: no memory. */
struct bob_frames *bob_frames_create(const struct bob_trace *t, uint32_t thread, uint32_t part);
void bob_frames_destroy(struct bob_frames *f); /* NULL is allowed */
/* Returns 0 if the CFA is unknown or not constant. */
int bob_frames_find(const struct bob_frames *f, uint32_t path, uint32_t image, uint64_t pc,
		    uint64_t *cfa);
/* Is the variable named by the indexed `place` of an instruction at `pc` certainly the one that
 * contains the bytes [lo, hi)? */
int bob_frames_confirm(const struct bob_frames *f, uint32_t path, uint32_t image, uint64_t pc,
		       const struct bob_place *place, uint64_t lo, uint64_t hi);

#endif
