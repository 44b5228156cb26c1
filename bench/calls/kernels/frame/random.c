/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that do not depend on who draws them: element `index` of the sequence is
 * reached in O(log index), so every rank can start at its own part (Knuth's MMIX constants). */
#include "frame.h"

#define MULTIPLIER 6364136223846793005ull
#define INCREMENT 1442695040888963407ull

uint64_t frame_random_next(uint64_t state)
{
	return state * MULTIPLIER + INCREMENT;
}

uint64_t frame_random_at(uint64_t seed, uint64_t index)
{
	uint64_t mul = MULTIPLIER, add = INCREMENT;
	uint64_t all_mul = 1, all_add = 0;

	for (; index; index >>= 1) {
		if (index & 1) {
			all_mul *= mul;
			all_add = all_add * mul + add;
		}
		add *= mul + 1;
		mul *= mul;
	}
	return seed * all_mul + all_add;
}

double frame_random_unit(uint64_t state)
{
	return (double)(state >> 11) * 0x1p-53;
}

void frame_random_fill(uint64_t *state, double *out, int count)
{
	uint64_t s = *state;

	for (int i = 0; i < count; i++) {
		out[i] = (double)(s >> 11) * 0x1p-53;
		s = s * MULTIPLIER + INCREMENT;
	}
	*state = s;
}
