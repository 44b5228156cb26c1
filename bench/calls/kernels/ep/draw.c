/* SPDX-License-Identifier: BSD-3-Clause */
/* The generator of the NAS benchmarks: x <- 5^13 x modulo 2^46, computed in doubles. The product of
 * two 46-bit numbers does not fit in their 53 bits, so it is computed in halves of 23 bits. */
#include "ep.h"

#define MULTIPLIER 1220703125u			/* 5^13 */
#define MASK ((UINT64_C(1) << 46) - 1)
#define HALF 0x1p23
#define ALL 0x1p46

double ep_draw_at(uint64_t seed, uint64_t index)
{
	uint64_t state = seed, power = MULTIPLIER;

	for (; index; index >>= 1) {
		if (index & 1)
			state = state * power & MASK;
		power = power * power & MASK;
	}
	return (double)state;
}

void ep_draw_fill(double *state, double *out, int count)
{
	const double a_high = MULTIPLIER >> 23, a_low = MULTIPLIER & ((1u << 23) - 1);
	double x = *state;

	for (int i = 0; i < count; i++) {
		double high = (double)(int64_t)(x / HALF);
		double low = x - high * HALF;
		double cross = a_high * low + a_low * high;

		cross -= (double)(int64_t)(cross / HALF) * HALF;
		x = cross * HALF + a_low * low;
		x -= (double)(int64_t)(x / ALL) * ALL;
		out[i] = x / ALL;
	}
	*state = x;
}
