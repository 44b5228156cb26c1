/* SPDX-License-Identifier: BSD-3-Clause */
/* A binary arithmetic coder with adaptive probabilities, as one source for both directions: `dec`
 * is a constant in every caller, so encoder and decoder are two instantiations of the same code.
 *
 * The interval is [x1, x2], 64 bits, inclusive. Leading bytes on which both ends agree are shifted
 * out. There is no carry: if x1 and x2 straddle a byte boundary with less than 2^32 between them,
 * the smaller part of the interval is discarded. So the interval has at least 2^32 values when a
 * decision begins, its two ends are the whole state of the coder, and any value in it completes the
 * bytes (coder_tail). */
#ifndef BOB_RUN_CODER_H
#define BOB_RUN_CODER_H

#include <stddef.h>
#include <stdint.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define LIKELY(c) __builtin_expect(!!(c), 1)
#define UNLIKELY(c) __builtin_expect(!!(c), 0)

struct coder {
	uint64_t x1, x2;
	uint8_t *out;		/* encoder: position of the next byte */
	uint64_t x;		/* decoder: the 8 bytes that correspond to the interval */
	const uint8_t *in, *end;
	uint32_t over;		/* bytes read beyond `end`, which read as zero */
};

/* 8192 / (n + 1.6): the step of a probability after n observations. */
extern const uint16_t bob_run_step[256];

/* A probability that the bit is 1: 22 bits of value and 10 bits of count, stored with the top bit
 * flipped, so that zeroed memory means one half with no observations. */
#define PROB_FLIP 0x80000000u
#define PROB_MIN 16u
#define PROB_MAX 65520u
#define PROB_LIMIT_POINT 60u	/* hit or miss: adapts quickly, as programs change phase */
#define PROB_LIMIT 250u		/* everything else */

ALWAYS_INLINE uint32_t prob_16(uint32_t stored)
{
	uint32_t p = (stored ^ PROB_FLIP) >> 16;

	return p < PROB_MIN ? PROB_MIN : p > PROB_MAX ? PROB_MAX : p;
}

ALWAYS_INLINE uint32_t prob_update(uint32_t stored, unsigned bit, uint32_t limit)
{
	uint32_t s = stored ^ PROB_FLIP;
	uint32_t n = s & 1023;
	int64_t error = (int64_t)(bit << 22) - (int64_t)(s >> 10);
	int64_t change = (error >> 3) * bob_run_step[n];

	s += (uint32_t)((uint64_t)change & 0xfffffc00u);
	if (n < limit)
		s++;
	return s ^ PROB_FLIP;
}

ALWAYS_INLINE void coder_shift(struct coder *c, int dec)
{
	if (dec) {
		uint64_t byte = 0;

		if (LIKELY(c->in != c->end))
			byte = *c->in++;
		else
			c->over++;
		c->x = c->x << 8 | byte;
	} else {
		*c->out++ = (uint8_t)(c->x2 >> 56);
	}
	c->x1 <<= 8;
	c->x2 = c->x2 << 8 | 255;
}

ALWAYS_INLINE void coder_normalise(struct coder *c, int dec)
{
	while (!((c->x1 ^ c->x2) >> 56))
		coder_shift(c, dec);
	if (UNLIKELY(c->x2 - c->x1 < 1ull << 32)) {
		uint64_t border = c->x2 >> 56 << 56;

		if (border - c->x1 > c->x2 - border)
			c->x2 = border - 1;
		else
			c->x1 = border;
		if (dec)	/* a value in the discarded part did not come from the encoder: use
				 * the nearest one */
			c->x = c->x < c->x1 ? c->x1 : c->x > c->x2 ? c->x2 : c->x;
		while (!((c->x1 ^ c->x2) >> 56))
			coder_shift(c, dec);
	}
}

/* One bit with probability p/65536 of being 1. Returns the bit. */
ALWAYS_INLINE unsigned code_with(struct coder *c, int dec, uint32_t p, unsigned bit)
{
	uint64_t mid = c->x1 + ((c->x2 - c->x1) >> 16) * p;

	if (dec)
		bit = c->x <= mid;
	if (bit)
		c->x2 = mid;
	else
		c->x1 = mid + 1;
	coder_normalise(c, dec);
	return bit;
}

ALWAYS_INLINE unsigned code_bit(struct coder *c, int dec, uint32_t *prob, unsigned bit)
{
	bit = code_with(c, dec, prob_16(*prob), bit);
	*prob = prob_update(*prob, bit, PROB_LIMIT);
	return bit;
}

/* n <= 16 equiprobable bits. */
ALWAYS_INLINE uint32_t code_raw(struct coder *c, int dec, unsigned n, uint32_t v)
{
	uint64_t step = (c->x2 - c->x1) >> n;

	if (dec) {
		uint64_t q = (c->x - c->x1) / step;

		v = (uint32_t)(q >> n ? (1u << n) - 1 : q);
		if (UNLIKELY(c->x > c->x1 + (v + 1ull) * step - 1))
			c->x = c->x1 + (v + 1ull) * step - 1;
	}
	c->x1 += v * step;
	c->x2 = c->x1 + step - 1;
	coder_normalise(c, dec);
	return v;
}

/* Escape: the top 1/256 of the interval. After "no escape" the interval is normalised by the
 * following decision; there always is one. */
ALWAYS_INLINE unsigned code_escape(struct coder *c, int dec, unsigned escape)
{
	uint64_t limit = c->x2 - ((c->x2 - c->x1) >> 8);

	if (dec)
		escape = c->x > limit;
	if (escape) {
		c->x1 = limit + 1;
		coder_normalise(c, dec);
	} else {
		c->x2 = limit;
	}
	return escape;
}

/* Exponential Golomb code of 0 .. 2^33-2: the exponent is in unary; its bits and the top three bits
 * of the mantissa are adaptive. */
#define GAMMA_EXP_MAX 32u
struct gamma {
	uint32_t exponent[GAMMA_EXP_MAX];
	uint32_t mantissa[GAMMA_EXP_MAX + 1][8];
};

ALWAYS_INLINE uint64_t code_gamma(struct coder *c, int dec, struct gamma *g, uint64_t value)
{
	uint64_t w = value + 1;
	unsigned e = 0, left, node = 1;

	while (e < GAMMA_EXP_MAX && code_bit(c, dec, &g->exponent[e], !dec && w >> (e + 1)))
		e++;
	left = e;
	if (dec)
		w = 1;
	for (unsigned i = 0; i < 3 && left; i++) {
		unsigned bit = code_bit(c, dec, &g->mantissa[e][node],
					dec ? 0 : (unsigned)(w >> (left - 1)) & 1);

		left--;
		node = node * 2 + bit;
		if (dec)
			w = w * 2 + bit;
	}
	while (left) {
		unsigned n = left > 16 ? 16 : left;
		uint32_t bits;

		left -= n;
		bits = code_raw(c, dec, n, dec ? 0 : (uint32_t)(w >> left) & ((1u << n) - 1));
		if (dec)
			w = w << n | bits;
	}
	return w - 1;
}

ALWAYS_INLINE void coder_start(struct coder *c)
{
	c->x1 = 0;
	c->x2 = UINT64_MAX;
}

/* The shortest byte string that selects a value in the lower half of [x1, x2] (so that no escape
 * follows) when the decoder reads zeros after it. */
static inline size_t coder_tail(uint64_t x1, uint64_t x2, uint8_t tail[8])
{
	uint64_t half = (x2 - x1) >> 1;

	for (unsigned n = 1; n < 8; n++) {
		uint64_t unit = 1ull << (64 - 8 * n);
		uint64_t distance = (unit - (x1 & (unit - 1))) & (unit - 1);

		if (distance <= half) {
			for (unsigned i = 0; i < n; i++)
				tail[i] = (uint8_t)((x1 + distance) >> (56 - 8 * i));
			return n;
		}
	}
	for (unsigned i = 0; i < 8; i++)
		tail[i] = (uint8_t)(x1 >> (56 - 8 * i));
	return 8;
}

#endif
