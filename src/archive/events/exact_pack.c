/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs a segment of times: a head byte per value, and its remaining bits in a bit string. */
#include "archive/events/exact.h"

#include <string.h>

#include "archive/merge/merging.h"

/* Heads below WHOLE are values. Others encode the number of bits and the two bits after the leading
 * one. */
#define WHOLE 8u
#define HEADS (4 * (64 - 3) + 8)

static uint32_t tail_bits(uint8_t head)
{
	return head < WHOLE ? 0 : head / 4u - 1;
}

static uint8_t head_of(uint64_t v)
{
	uint32_t bits;

	if (v < WHOLE)
		return (uint8_t)v;
	bits = 64u - (uint32_t)__builtin_clzll(v) - 3;
	return (uint8_t)(4 * (bits + 1) + (v >> bits & 3));
}

/* --- bit strings, lowest bit first --- */

struct writing {
	struct bob_bytes *to;
	uint64_t bits;
	uint32_t count;		/* below 8 between two values */
};

static void put_bits(struct writing *w, uint64_t v, uint32_t count)
{
	if (count > 32) {
		put_bits(w, v & 0xffffffffu, 32);
		v >>= 32;
		count -= 32;
	}
	w->bits |= v << w->count;
	for (w->count += count; w->count >= 8; w->count -= 8) {
		const uint8_t b = (uint8_t)w->bits;

		bob_bytes_take(w->to, &b, 1);
		w->bits >>= 8;
	}
}

void bob_exact_pack(const uint64_t *value, size_t n, struct bob_bytes *heads,
		    struct bob_bytes *tails)
{
	struct writing w = { .to = tails };

	for (size_t half = 0; half < 2; half++)
		for (size_t i = half; i < n; i += 2) {
			const uint8_t head = head_of(value[i]);
			const uint32_t bits = tail_bits(head);

			bob_bytes_take(heads, &head, 1);
			if (bits)
				put_bits(&w, value[i] & ((1ull << bits) - 1), bits);
		}
	if (w.count)
		put_bits(&w, 0, 8 - w.count);
}

struct reading {
	const uint8_t *at, *end;
	uint64_t bits;
	uint32_t count;
	int bad;
};

static uint64_t get_bits(struct reading *r, uint32_t count)
{
	uint64_t v, high;

	if (count > 32) {
		v = get_bits(r, 32);
		high = get_bits(r, count - 32);
		return v | high << 32;
	}
	for (; r->count < count && !r->bad; r->count += 8) {
		r->bad = r->at == r->end;
		if (!r->bad)
			r->bits |= (uint64_t)*r->at++ << r->count;
	}
	if (r->bad)
		return 0;
	v = r->bits & ((1ull << count) - 1);
	r->bits >>= count;
	r->count -= count;
	return v;
}

bob_status bob_exact_unpack(const uint8_t *heads, size_t n, const uint8_t *tails, size_t bytes,
			    uint64_t *value)
{
	struct reading r = { .at = tails, .end = bytes ? tails + bytes : tails };

	for (size_t half = 0; half < 2; half++)
		for (size_t i = half; i < n; i += 2) {
			const uint8_t head = *heads++;
			const uint32_t bits = tail_bits(head);

			if (head >= HEADS)
				return BOB_ERR_CORRUPT;
			value[i] = head < WHOLE ? head : (4ull | (head & 3)) << bits;
			if (bits)
				value[i] |= get_bits(&r, bits);
		}
	return r.bad || r.at != r.end || r.bits ? BOB_ERR_CORRUPT : BOB_OK;
}
