/* SPDX-License-Identifier: BSD-3-Clause */
/* Number of distinct bytes that affine sequences of accesses touch, without listing them. Owner:
 * the caller, who zeroes a struct and calls _free. Threads: one object, one thread. */
#ifndef BOB_ANALYSIS_FOOTPRINT_H
#define BOB_ANALYSIS_FOOTPRINT_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/fold.h"

struct bob_lattice;

struct bob_footprint {
	struct bob_lattice *lattice;
	size_t count, cap;
	uint64_t dropped;	/* upper bound of bytes that did not fit */
};

/* Adds accesses of `size` bytes at the values of `p` plus `offset`. Returns 0, or -1 if memory is
 * exhausted. */
int bob_footprint_add(struct bob_footprint *f, const struct bob_piece *p, int64_t offset,
		      unsigned size);
/* Bounds of the footprint, *least and *most; equal if it is known exactly. Reorders the
 * contents. */
void bob_footprint_count(struct bob_footprint *f, uint64_t *least, uint64_t *most);
void bob_footprint_free(struct bob_footprint *f);

#endif
