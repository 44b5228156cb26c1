/* SPDX-License-Identifier: BSD-3-Clause */
/* Coder and decoder of trip counts: the predictor of values.c with a history per loop. Loops with
 * many counts move to larger histories while there are free ones. */
#include "fold/trips.h"

#include <string.h>

#include "base/varint.h"

static const struct {
	uint32_t bits, count;
} sizes[BOB_TRIPS_SIZES] = { { 10, BOB_TRIPS_COLUMNS }, { 13, 6 }, { 16, 1 } };

/* Hash shift per difference; it limits the context to 6, 8 or 16 differences. */
static unsigned shift_of(uint32_t bits)
{
	return bits < 12 ? 11 : bits < 15 ? 8 : 4;
}

/* --- writing --- */

/* Takes a history larger than `bits`. Returns its bits; 0: none is free. */
static uint32_t take_history(struct bob_trips *t, uint32_t bits, void **mem)
{
	uint8_t *at = (uint8_t *)t->mem;

	for (uint32_t i = 0; i < BOB_TRIPS_SIZES; i++) {
		if (sizes[i].bits > bits && t->used[i] < sizes[i].count) {
			*mem = at + (size_t)t->used[i]++ * BOB_TRIPS_HISTORY(sizes[i].bits);
			return sizes[i].bits;
		}
		if (!bits) /* the first history is of the smallest size */
			return 0;
		at += (size_t)sizes[i].count * BOB_TRIPS_HISTORY(sizes[i].bits);
	}
	return 0;
}

static void give(void *ctx, const uint8_t *bytes, size_t len)
{
	const struct bob_trips_enc *e = ctx;

	e->owner->sink(e->owner->ctx, e->number, bytes, len);
}

int bob_trips_have_space(const struct bob_trips *t)
{
	return t->used[0] < BOB_TRIPS_COLUMNS;
}

struct bob_trips_enc *bob_trips_begin(struct bob_trips *t, uint32_t number)
{
	struct bob_trips_enc *e = &t->enc[t->used[0]];
	void *mem;
	uint32_t bits = take_history(t, 0, &mem);

	if (!bits)
		return NULL;
	e->owner = t;
	e->number = number;
	e->left = 1ull << bits;
	bob_values_enc_init(&e->enc, mem, bits, give, e);
	bob_values_order(&e->enc.model, shift_of(bits));
	e->enc.buffer[e->enc.used++] = (uint8_t)bits;
	return e;
}

void bob_trips_choose(struct bob_trips_enc *e)
{
	void *mem;
	uint32_t bits = take_history(e->owner, e->enc.model.bits, &mem);

	bob_values_flush(&e->enc);
	e->enc.buffer[e->enc.used++] = (uint8_t)bits;
	e->left = UINT64_MAX;
	if (bits) {
		bob_values_enc_forget(&e->enc, mem, bits);
		bob_values_order(&e->enc.model, shift_of(bits));
		e->left = 1ull << bits;
	}
}

void bob_trips_put_same(struct bob_trips_enc *e, uint64_t *last, uint64_t value, uint64_t n)
{
	uint64_t row[BOB_VALUES_ROW];

	for (size_t i = 0; i < BOB_VALUES_ROW && i < n; i++)
		row[i] = value;
	while (n) {
		uint64_t some = n < BOB_VALUES_ROW ? n : BOB_VALUES_ROW;

		if (!e->left)
			bob_trips_choose(e);
		some = some < e->left ? some : e->left;
		bob_values_put_row(&e->enc, last, row, some);
		e->left -= some;
		n -= some;
	}
}

void bob_trips_settle(struct bob_trips *t)
{
	for (uint32_t i = 0; i < t->used[0]; i++)
		bob_values_settle(&t->enc[i].enc);
}

size_t bob_trips_rest(const struct bob_trips_enc *e, uint64_t last, const uint64_t *more,
		      uint8_t *bytes)
{
	size_t n = bob_values_rest(&e->enc, bytes);

	if (more && !e->left)
		bytes[n++] = 0;
	if (more)
		n += bob_values_token(bytes + n, *more - last);
	return n;
}

/* --- reading --- */

void bob_trips_dec_init(struct bob_trips_dec *d, const uint8_t *bytes, size_t len,
			void *(*allocate)(void *ctx, size_t bytes), void *ctx, size_t *budget)
{
	memset(d, 0, sizeof(*d));
	d->dec.at = bytes;
	d->dec.end = bytes + len;
	d->allocate = allocate;
	d->ctx = ctx;
	d->budget = budget;
}

/* Reads the byte that selects the next history. */
static bob_status choose_read(struct bob_trips_dec *d)
{
	uint32_t bits;
	size_t need;
	void *mem;

	if (d->dec.at == d->dec.end)
		return BOB_END;
	bits = *d->dec.at;
	if (!bits) {
		d->is_plain = !d->begun;
		d->left = UINT64_MAX;
	} else {
		if (bits < BOB_VALUES_BITS_MIN || bits > BOB_TRIPS_BITS_MAX || d->dec.hits)
			return BOB_ERR_CORRUPT;
		need = bob_values_size(bits);
		if (need > *d->budget)
			return BOB_ERR_CORRUPT;
		mem = d->allocate(d->ctx, need);
		if (!mem)
			return BOB_ERR_NOMEM;
		*d->budget -= need;
		bob_values_dec_init(&d->dec, mem, bits, d->dec.at,
				    (size_t)(d->dec.end - d->dec.at));
		bob_values_order(&d->dec.model, shift_of(bits));
		d->left = 1ull << bits;
	}
	d->dec.at++;
	d->begun = 1;
	return BOB_OK;
}

static bob_status get_plain(struct bob_trips_dec *d, uint64_t *last)
{
	uint64_t z;

	if (d->dec.at == d->dec.end)
		return BOB_END;
	if (bob_varint_get(&d->dec.at, d->dec.end, &z))
		return BOB_ERR_CORRUPT;
	*last += (uint64_t)bob_unzigzag(z);
	return BOB_OK;
}

bob_status bob_trips_get(struct bob_trips_dec *d, uint64_t *last)
{
	if (!d->left) {
		bob_status st = choose_read(d);

		if (st != BOB_OK)
			return st;
	}
	if (d->is_plain)
		return get_plain(d, last);
	d->left--;
	return bob_values_get(&d->dec, last);
}
