/* SPDX-License-Identifier: BSD-3-Clause */
/* EP: pairs of Gaussian deviates by Marsaglia's polar method, counted in square annuli. */
#ifndef EP_H
#define EP_H

#include <stdint.h>

#define EP_ANNULI 10
#define EP_CHUNK 256		/* pairs of one call of ep_tally */
#define EP_BATCH 65536		/* pairs that start at their own place of the sequence */

struct ep_tally {
	uint64_t annulus[EP_ANNULI];
	double sum_x, sum_y;
};

/* Element `index` of the sequence that begins with `seed`, odd and below 2^46. */
double ep_draw_at(uint64_t seed, uint64_t index);
/* The next `count` numbers after *state, divided by 2^46; *state becomes the last of them. */
void ep_draw_fill(double *state, double *out, int count);
/* Adds the pairs of (0,1) numbers u[2 i], u[2 i + 1]. */
void ep_tally_chunk(struct ep_tally *t, const double *u, int pairs);
/* Batch `index` of the whole sequence. */
void ep_tally_batch(struct ep_tally *t, uint64_t index);
void ep_tally_add(struct ep_tally *to, const struct ep_tally *from);
void ep_tally_reduce(struct ep_tally *t);	/* over all ranks */

#endif
