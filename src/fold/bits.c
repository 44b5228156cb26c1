/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader and writer of series that are affine in the bits of the index (bits.h). The writer derives
 * the steps from the numbers at powers of two and checks every other number against them. */
#include "fold/bits.h"

#include "base/varint.h"
#include "fold/series.h"

#define BITS 32u

/* --- reading --- */

bob_status bob_bits_open(const struct bob_fold_bytes *bytes, struct bob_bits_reader *r)
{
	uint64_t first;

	*r = (struct bob_bits_reader){ .steps = bytes->at, .end = bytes->at + bytes->len };
	if (bob_varint_get(&r->steps, r->end, &r->count) != BOB_OK ||
	    bob_varint_get(&r->steps, r->end, &first) != BOB_OK || r->count > 1ull << BITS)
		return BOB_ERR_CORRUPT;
	r->before = (uint64_t)bob_unzigzag(first);
	return BOB_OK;
}

/* From index i to i + 1, the lowest 0 bit becomes 1 and all bits below it become 0. */
bob_status bob_bits_next(struct bob_bits_reader *r, uint64_t *value)
{
	const uint8_t *at = r->steps;
	uint64_t step = 0, below = 0, more;
	uint64_t came = r->index & -r->index;

	if (r->index == r->count)
		return BOB_END;
	for (uint64_t bit = 1; bit <= came; bit *= 2) {
		if (bob_varint_get(&at, r->end, &more) != BOB_OK)
			return BOB_ERR_CORRUPT;
		step = 2 * step + (uint64_t)bob_unzigzag(more);
		below += bit < came ? step : 0;
	}
	if (came)
		r->before += step - below;
	r->index++;
	*value = r->before;
	return BOB_OK;
}

/* --- writing --- */

struct line {
	uint64_t count, first, before;
	uint64_t step[BITS];	/* by bit */
	uint64_t below[BITS];	/* sums of the steps of all lower bits */
};

/* Checks the next number against the steps; 0 if it differs. An index that is a power of two
 * defines a step. */
static int take(struct line *l, uint64_t v)
{
	const uint64_t i = l->count;
	const uint32_t bit = i ? (uint32_t)__builtin_ctzll(i) : 0;

	if (i >> BITS)
		return 0;
	if (!i) {
		l->first = v;
	} else if (!(i & (i - 1))) {
		l->step[bit] = v - l->first;
		l->below[bit] = bit ? l->below[bit - 1] + l->step[bit - 1] : 0;
	} else if (v - l->before != l->step[bit] - l->below[bit]) {
		return 0;
	}
	l->before = v;
	l->count++;
	return 1;
}

static void put_line(struct bob_buffer *b, const struct line *l)
{
	uint64_t before = 0;

	bob_buffer_varint(b, l->count);
	bob_buffer_signed(b, l->first);
	for (uint32_t k = 0; k < BITS && (l->count - 1) >> k; k++) {
		bob_buffer_signed(b, l->step[k] - 2 * before);
		before = l->step[k];
	}
}

bob_status bob_bits_put(const struct bob_buffer *pieces, uint64_t count, size_t most,
			struct bob_buffer *b)
{
	struct bob_series_reader r;
	struct line l = { .count = 0 };
	const uint32_t begin = b->len;
	bob_status st;
	uint64_t v;

	bob_series_open_pieces(&r, pieces, count);
	do
		st = bob_series_next(&r, &v);
	while (st == BOB_OK && take(&l, v));
	bob_series_close(&r);
	if (st != BOB_END || !l.count)
		return st < 0 ? st : BOB_NONE;
	put_line(b, &l);
	if (b->len - begin < most)
		return BOB_OK;
	b->len = begin;
	return BOB_NONE;
}
