/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader and writer of bit-packed series (narrow.h): frame of reference per block of 64 numbers
 * (Goldstein, Ramakrishnan, Shaft: Compressing Relations and Indexes, 1998), of the numbers or of
 * their differences. The writer keeps the shorter one. */
#include "fold/narrow.h"

#include "base/varint.h"
#include "fold/series.h"

#define BLOCK 64u

/* --- reading --- */

bob_status bob_narrow_open(const struct bob_fold_bytes *bytes, struct bob_narrow_reader *r)
{
	uint64_t n;

	*r = (struct bob_narrow_reader){ .at = bytes->at, .end = bytes->at + bytes->len };
	if (bob_varint_get(&r->at, r->end, &n) != BOB_OK)
		return BOB_ERR_CORRUPT;
	r->left = n / 2;
	r->order = n & 1;
	return BOB_OK;
}

static bob_status begin_block(struct bob_narrow_reader *r)
{
	uint64_t least, size;

	if (bob_varint_get(&r->at, r->end, &least) != BOB_OK || r->at == r->end || *r->at > 64)
		return BOB_ERR_CORRUPT;
	r->width = *r->at++;
	r->in_block = r->left < BLOCK ? (uint32_t)r->left : BLOCK;
	size = ((uint64_t)r->in_block * r->width + 7) / 8;
	if (size > (uint64_t)(r->end - r->at))
		return BOB_ERR_CORRUPT;
	r->least += (uint64_t)bob_unzigzag(least);
	r->bits = r->at;
	r->at += size;
	r->index = 0;
	return BOB_OK;
}

static uint64_t bits_at(const uint8_t *bytes, uint32_t at, uint32_t width)
{
	uint64_t v = 0;

	for (uint32_t got = 0; got < width; got += 8 - (at + got) % 8)
		v |= (uint64_t)(bytes[(at + got) / 8] >> (at + got) % 8) << got;
	return width < 64 ? v & ((1ull << width) - 1) : v;
}

bob_status bob_narrow_next(struct bob_narrow_reader *r, uint64_t *value)
{
	bob_status st = BOB_OK;

	if (!r->left)
		return BOB_END;
	if (r->index == r->in_block)
		st = begin_block(r);
	if (st != BOB_OK)
		return st;
	*value = r->least + bits_at(r->bits, r->index++ * r->width, r->width);
	if (r->order)
		*value += r->before;
	r->before = *value;
	r->left--;
	return BOB_OK;
}

/* --- writing --- */

struct packing {
	struct bob_series_reader from;
	struct bob_buffer *to;	/* NULL: only the size is computed */
	uint64_t number[BLOCK];
	uint32_t count;		/* of numbers in `number` */
	uint32_t order;
	uint64_t before, least;
	uint64_t total;		/* bytes of all blocks */
	size_t size;
};

/* Signed minimum: a block may contain 0. */
static uint64_t least_of(const struct packing *p)
{
	uint64_t least = p->number[0];

	for (uint32_t i = 1; i < p->count; i++)
		least = (int64_t)p->number[i] < (int64_t)least ? p->number[i] : least;
	return least;
}

static uint32_t width_of(const struct packing *p, uint64_t least)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < p->count; i++)
		all |= p->number[i] - least;
	return all ? 64 - (uint32_t)__builtin_clzll(all) : 0;
}

static void put_bits(struct bob_buffer *b, const struct packing *p, uint64_t least, uint32_t width)
{
	uint8_t bytes[BLOCK * 8] = { 0 };

	for (uint32_t i = 0; i < p->count; i++)
		for (uint32_t put = 0, at = i * width; put < width; put += 8 - (at + put) % 8)
			bytes[(at + put) / 8] |=
				(uint8_t)((p->number[i] - least) >> put << (at + put) % 8);
	bob_buffer_put(b, bytes, (p->count * width + 7) / 8);
}

static void end_block(struct packing *p)
{
	uint64_t least = least_of(p);
	uint32_t width = width_of(p, least);
	uint8_t head[BOB_VARINT_MAX + 1];
	size_t n = bob_varint_put(head, bob_zigzag((int64_t)(least - p->least)));

	head[n++] = (uint8_t)width;
	p->size += n + (p->count * width + 7) / 8;
	if (p->to) {
		bob_buffer_put(p->to, head, (uint32_t)n);
		put_bits(p->to, p, least, width);
	}
	p->least = least;
	p->total += p->count;
	p->count = 0;
}

/* Packs all numbers of the pieces while the result is shorter than `most`. */
static bob_status pack(const struct bob_buffer *pieces, uint64_t count, size_t most,
		       struct packing *p)
{
	bob_status st = BOB_OK;
	uint64_t v;

	bob_series_open_pieces(&p->from, pieces, count);
	while (st == BOB_OK && p->size < most) {
		st = bob_series_next(&p->from, &v);
		if (st == BOB_OK) {
			p->number[p->count++] = v - p->before;
			p->before = p->order ? v : 0;
		}
		if (p->count == BLOCK || (st == BOB_END && p->count))
			end_block(p);
	}
	bob_series_close(&p->from);
	return p->size >= most ? BOB_NONE : st == BOB_END ? BOB_OK : st;
}

bob_status bob_narrow_put(const struct bob_buffer *pieces, uint64_t count, size_t most,
			  struct bob_buffer *b)
{
	struct packing tried[2] = { { .order = 0 }, { .order = 1 } }, p = { 0 };
	bob_status st[2];
	uint8_t head[BOB_VARINT_MAX];

	for (uint32_t i = 0; i < 2; i++)
		st[i] = pack(pieces, count, most, &tried[i]);
	p.order = st[0] != BOB_OK || (st[1] == BOB_OK && tried[1].size < tried[0].size);
	if (st[p.order] != BOB_OK)
		return st[p.order];
	size_t n = bob_varint_put(head, tried[p.order].total * 2 + p.order);

	if (n + tried[p.order].size >= most)
		return BOB_NONE;
	bob_buffer_put(b, head, (uint32_t)n);
	p.to = b;
	return pack(pieces, count, SIZE_MAX, &p);
}
