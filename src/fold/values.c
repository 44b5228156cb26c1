/* SPDX-License-Identifier: BSD-3-Clause */
/* Coder and decoder of the value stream, with one predictor. A flush only ends the current token of
 * predicted values, so it costs one or two bytes and does not affect prediction. */
#include "fold/values.h"

#include <string.h>

#include "base/varint.h"

#define FACTOR 0x9e3779b97f4a7c15ull
#define ORDER_SHIFT 22
#define FAR 8u			/* prefetch distance of hash table entries, in values */
#define NEAR 4u
#define LIKELY(x) __builtin_expect(!!(x), 1)

size_t bob_values_size(unsigned bits)
{
	return (sizeof(uint32_t) << bits) + (sizeof(uint32_t) << (bits - 2));
}

void bob_values_order(struct bob_values_model *m, unsigned shift)
{
	m->factor = FACTOR << shift;
}

/* Only `seen` needs clearing: `past` is read only at positions that `seen` contains, which have
 * been written. */
void bob_values_clear(void *mem, unsigned bits)
{
	memset((uint32_t *)mem + ((size_t)1 << bits), 0, sizeof(uint32_t) << (bits - 2));
}

static void init(struct bob_values_model *m, void *mem, unsigned bits)
{
	memset(m, 0, sizeof(*m));
	m->bits = bits;
	bob_values_order(m, ORDER_SHIFT);
	m->past = mem;
	m->seen = m->past + ((size_t)1 << bits);
}

static inline uint32_t *past(const struct bob_values_model *m, uint32_t pos)
{
	return &m->past[pos & (((uint32_t)1 << m->bits) - 1)];
}

static inline int predicts(const struct bob_values_model *m, uint64_t *difference)
{
	uint32_t z = m->has_match ? *past(m, m->match) : BOB_VALUES_LARGE;

	*difference = (uint64_t)bob_unzigzag(z);
	return z != BOB_VALUES_LARGE;
}

/* Rolling hash. Each step shifts by 22 bits (or as set by bob_values_order), so differences older
 * than three steps are shifted out of the 64 bits. */
static inline uint64_t mix(const struct bob_values_model *m, uint64_t hash, uint64_t difference)
{
	uint64_t x = difference * FACTOR;

	return (hash + (x ^ x >> 29) + 1) * m->factor;
}

static inline uint32_t *seen_at(const struct bob_values_model *m, uint64_t hash)
{
	return &m->seen[hash >> (66 - m->bits)];
}

static inline void advance(struct bob_values_model *m, uint64_t difference, int hit)
{
	uint64_t z = bob_zigzag((int64_t)difference);

	*past(m, m->pos++) = z < BOB_VALUES_LARGE ? (uint32_t)z : BOB_VALUES_LARGE;
	m->hash = mix(m, m->hash, difference);
	if (LIKELY(hit)) {
		m->match++;
		if (m->pos & 3)
			return;
	}
	uint32_t *seen = seen_at(m, m->hash);
	if (!hit) {
		m->match = *seen;
		m->has_match = *seen && m->pos - *seen < (uint32_t)1 << m->bits;
	}
	*seen = m->pos;
}

/* --- writing --- */

void bob_values_enc_init(struct bob_values_enc *e, void *mem, unsigned bits,
			 void (*sink)(void *ctx, const uint8_t *bytes, size_t len), void *ctx)
{
	memset(e, 0, sizeof(*e));
	init(&e->model, mem, bits);
	e->sink = sink;
	e->ctx = ctx;
}

void bob_values_enc_forget(struct bob_values_enc *e, void *mem, unsigned bits)
{
	init(&e->model, mem, bits);
}

static void give(struct bob_values_enc *e)
{
	if (!e->used)
		return;
	e->bytes += e->used;
	e->sink(e->ctx, e->buffer, e->used);
	e->used = 0;
}

static void put_hits(struct bob_values_enc *e)
{
	if (!e->hits)
		return;
	e->used += (uint32_t)bob_varint_put(e->buffer + e->used, e->hits * 2);
	e->hits = 0;
}

size_t bob_values_token(uint8_t *bytes, uint64_t difference)
{
	uint64_t z = bob_zigzag((int64_t)difference);

	if (!(z >> 63))
		return bob_varint_put(bytes, z * 2 + 1);
	bytes[0] = 0;
	for (unsigned i = 0; i < 8; i++)
		bytes[1 + i] = (uint8_t)(difference >> 8 * i);
	return 9;
}

static __attribute__((noinline)) void put_difference(struct bob_values_enc *e, uint64_t difference)
{
	if (sizeof(e->buffer) - e->used < BOB_VALUES_TOKEN_MAX)
		give(e);
	put_hits(e);
	e->used += (uint32_t)bob_values_token(e->buffer + e->used, difference);
}

/* Skips correctly predicted differences. Returns how many. */
static size_t put_predicted(struct bob_values_enc *e, const uint64_t *difference, size_t n)
{
	struct bob_values_model *m = &e->model;
	uint32_t *past = m->past, mask = ((uint32_t)1 << m->bits) - 1;
	uint32_t pos = m->pos, match = m->match;
	uint64_t hash = m->hash;
	size_t i = 0;

	if (!m->has_match)
		return 0;
	for (; i < n; i++) {
		uint32_t z = past[match & mask];

		if (z == BOB_VALUES_LARGE || difference[i] != (uint64_t)bob_unzigzag(z))
			break;
		past[pos++ & mask] = z;
		match++;
		hash = mix(m, hash, difference[i]);
		if (!(pos & 3))
			*seen_at(m, hash) = pos;
	}
	m->pos = pos;
	m->match = match;
	m->hash = hash;
	e->hits += i;
	return i;
}

/* Hash table entry that will be needed after these two differences, for prefetching. For models
 * with a longer context it is another entry, which only wastes the prefetch. */
static inline uint32_t *seen_later(const struct bob_values_model *m, const uint64_t *difference)
{
	return seen_at(m, mix(m, mix(m, 0, difference[0]), difference[1]));
}

static inline void foresee(const struct bob_values_model *m, const uint64_t *difference, size_t n)
{
	if (n > FAR + 1)
		__builtin_prefetch(seen_later(m, difference + FAR));
	if (n > NEAR + 1)
		__builtin_prefetch(past(m, *seen_later(m, difference + NEAR)));
}

void bob_values_settle(struct bob_values_enc *e)
{
	const uint64_t *difference = e->row;
	size_t n = e->waiting;

	e->waiting = 0;
	for (;;) {
		size_t done = put_predicted(e, difference, n);

		difference += done;
		n -= done;
		if (!n)
			return;
		foresee(&e->model, difference, n);
		put_difference(e, *difference);
		advance(&e->model, *difference, 0);
		difference++;
		n--;
	}
}

void bob_values_put_row(struct bob_values_enc *e, uint64_t *last, const uint64_t *value, size_t n)
{
	uint64_t before = *last;

	while (n) {
		uint64_t *row = e->row + e->waiting;
		size_t some = BOB_VALUES_ROW - e->waiting < n ? BOB_VALUES_ROW - e->waiting : n;

		for (size_t i = 0; i < some; i++) {
			row[i] = value[i] - before;
			before = value[i];
		}
		e->waiting += (uint32_t)some;
		value += some;
		n -= some;
		if (n)
			bob_values_settle(e);
	}
	*last = before;
}

void bob_values_flush(struct bob_values_enc *e)
{
	bob_values_settle(e);
	if (sizeof(e->buffer) - e->used < BOB_VALUES_TOKEN_MAX)
		give(e);
	put_hits(e);
	give(e);
}

size_t bob_values_rest(const struct bob_values_enc *e, uint8_t *bytes)
{
	size_t n = e->used;

	memcpy(bytes, e->buffer, n);
	if (e->hits)
		n += bob_varint_put(bytes + n, e->hits * 2);
	for (uint32_t i = 0; i < e->waiting; i++)
		n += bob_values_token(bytes + n, e->row[i]);
	return n;
}

/* --- reading --- */

void bob_values_dec_init(struct bob_values_dec *d, void *mem, unsigned bits, const uint8_t *bytes,
			 size_t len)
{
	memset(d, 0, sizeof(*d));
	init(&d->model, mem, bits);
	d->at = bytes;
	d->end = len ? bytes + len : bytes;
}

static bob_status get_token(struct bob_values_dec *d, uint64_t *difference)
{
	uint64_t token;

	if (d->at == d->end)
		return BOB_END;
	if (bob_varint_get(&d->at, d->end, &token))
		return BOB_ERR_CORRUPT;
	if (token & 1) {
		*difference = (uint64_t)bob_unzigzag(token >> 1);
	} else if (token) {
		d->hits = token / 2;
	} else {
		if (d->end - d->at < 8)
			return BOB_ERR_CORRUPT;
		*difference = 0;
		for (unsigned i = 0; i < 8; i++)
			*difference |= (uint64_t)*d->at++ << 8 * i;
	}
	return BOB_OK;
}

bob_status bob_values_get(struct bob_values_dec *d, uint64_t *last)
{
	uint64_t difference = 0;
	int hit;

	if (!d->hits) {
		bob_status st = get_token(d, &difference);

		if (st != BOB_OK)
			return st;
	}
	hit = d->hits > 0;
	if (hit && !predicts(&d->model, &difference))
		return BOB_ERR_CORRUPT;
	d->hits -= (uint64_t)hit;
	*last += difference;
	advance(&d->model, difference, hit);
	return BOB_OK;
}
