/* SPDX-License-Identifier: BSD-3-Clause */
/* The 64-bit hash: four independent lanes of multiply and rotate hide the latency of the
 * multiplier. The tail is zero-padded to words of 8 bytes, and the length is mixed in last. */
#include "base/hash.h"

#include <string.h>

#define K1 0x9e3779b97f4a7c15ull
#define K2 0xc2b2ae3d27d4eb4full

static uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t round64(uint64_t lane, uint64_t word)
{
	lane += word * K2;
	lane = lane << 31 | lane >> 33;
	return lane * K1;
}

uint64_t bob_hash64(uint64_t seed, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	size_t left = len;
	uint64_t lane[4] = { seed ^ K1, seed + K2, seed, seed - K1 };
	uint64_t h;

	for (; left >= 32; left -= 32, p += 32)
#pragma GCC unroll 4
		for (int i = 0; i < 4; i++)
			lane[i] = round64(lane[i], load64(p + 8 * i));
	h = lane[0];
	for (int i = 1; i < 4; i++)
		h = round64(h, lane[i]);
	for (; left >= 8; left -= 8, p += 8)
		h = round64(h, load64(p));
	if (left) {
		uint64_t word = 0;

		memcpy(&word, p, left);
		h = round64(h, word);
	}
	return bob_hash_mix(h ^ len);
}
