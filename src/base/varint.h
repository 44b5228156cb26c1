/* SPDX-License-Identifier: BSD-3-Clause */
/* Little-endian base-128 integers (LEB128) of at most 10 bytes, and zigzag coding of signed ones.
 * Reading is bounds-checked. Freestanding. */
#ifndef BOB_BASE_VARINT_H
#define BOB_BASE_VARINT_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#define BOB_VARINT_MAX 10

/* Returns the number of bytes written to `p`, which must have capacity for BOB_VARINT_MAX. */
static inline size_t bob_varint_put(uint8_t *p, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		p[n++] = (uint8_t)(v | 0x80);
	p[n++] = (uint8_t)v;
	return n;
}

/* Reads at *p, never beyond `end`; *p moves only on BOB_OK. */
static inline bob_status bob_varint_get(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
	const uint8_t *q = *p;
	uint64_t x = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (q == end)
			return BOB_ERR_CORRUPT;
		if (shift == 63 && *q > 1)
			return BOB_ERR_CORRUPT;
		x |= (uint64_t)(*q & 0x7f) << shift;
		if (!(*q++ & 0x80)) {
			*p = q;
			*v = x;
			return BOB_OK;
		}
	}
	return BOB_ERR_CORRUPT;
}

static inline uint64_t bob_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t bob_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

#endif
