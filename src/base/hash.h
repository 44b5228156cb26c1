/* SPDX-License-Identifier: BSD-3-Clause */
/* A 64-bit hash of bytes, fast on long input (8 bytes a step) and the same on every machine.
 * Not cryptographic. Freestanding. Used for cache keys, so its values may never change. */
#ifndef BOB_BASE_HASH_H
#define BOB_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

uint64_t bob_hash64(uint64_t seed, const void *bytes, size_t len);

static inline uint64_t bob_hash_text(uint64_t seed, const char *text)
{
	return bob_hash64(seed, text, strlen(text));
}

/* Mix one word: a finaliser with full avalanche. */
static inline uint64_t bob_hash_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	return x ^ x >> 32;
}

#endif
