/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader and writer of series by halves (halves.h). A sample of the first numbers decides whether
 * the coding is attempted. Each level encodes the half that takes fewer bytes, provided that it has
 * few pieces; the other half goes to the next level. */
#include "fold/halves.h"

#include <string.h>

#include "base/varint.h"

#define LEAST 8u		/* minimal length of a series that is split */
#define SAMPLE 1024u		/* size of the sample */
#define PIECES 8u		/* maximal pieces of a half: PIECES, and one more per FEW numbers */
#define FEW 16u

/* --- reading --- */

static bob_status open_part(struct bob_halves *h, const uint8_t **at, const uint8_t *end)
{
	struct bob_series_reader *r = &h->part[h->opened];
	uint64_t len;

	if (bob_varint_get(at, end, &len) != BOB_OK || len > (uint64_t)(end - *at))
		return BOB_ERR_CORRUPT;
	h->opened++;
	*at += len;
	return bob_series_open_whole(r, &h->alloc, *at - len, *at);
}

bob_status bob_halves_open(const struct bob_alloc *alloc, const struct bob_fold_bytes *bytes,
			   struct bob_halves **out)
{
	const uint8_t *at = bytes->at, *end = bytes->at + bytes->len;
	struct bob_halves *h;
	uint64_t levels, odd;
	size_t size;
	bob_status st = BOB_OK;

	if (bob_varint_get(&at, end, &levels) != BOB_OK ||
	    bob_varint_get(&at, end, &odd) != BOB_OK || levels > BOB_HALVES_MAX)
		return BOB_ERR_CORRUPT;
	size = sizeof(*h) + (levels + 1) * sizeof(h->part[0]);
	h = alloc->resize(alloc->ctx, NULL, 0, size);
	if (!h)
		return BOB_ERR_NOMEM;
	memset(h, 0, size);
	h->alloc = *alloc;
	h->levels = (uint32_t)levels;
	h->odd = odd;
	while (h->opened <= levels && st == BOB_OK)
		st = open_part(h, &at, end);
	if (st == BOB_OK && at != end)
		st = BOB_ERR_CORRUPT;
	if (st == BOB_OK)
		*out = h;
	else
		bob_halves_close(h);
	return st;
}

bob_status bob_halves_next(struct bob_halves *h, uint64_t *value)
{
	uint64_t i = h->index++;
	uint32_t k = 0;

	for (; k < h->levels && (i & 1) != (h->odd >> k & 1); k++)
		i >>= 1;
	return bob_series_next(&h->part[k], value);
}

void bob_halves_close(struct bob_halves *h)
{
	struct bob_alloc alloc;

	if (!h)
		return;
	alloc = h->alloc;
	for (uint32_t k = 0; k < h->opened; k++)
		bob_series_close(&h->part[k]);
	alloc.resize(alloc.ctx, h, sizeof(*h) + (h->levels + 1) * sizeof(h->part[0]), 0);
}

/* --- writing --- */

struct making {
	struct bob_alloc alloc;
	uint64_t *value;
	uint32_t count, capacity;
	struct bob_buffer parts, half[2];
	uint64_t odd;
	uint32_t levels;
};

/* Expands at most `most` numbers of the pieces. Errors: BOB_ERR_NOMEM. */
static bob_status read_values(struct making *m, const struct bob_buffer *pieces, uint64_t count,
			      uint64_t most)
{
	struct bob_series_reader r;
	bob_status st = BOB_OK;
	uint64_t v;

	bob_series_open_pieces(&r, pieces, count);
	m->count = 0;
	while (st == BOB_OK && m->count < most) {
		st = bob_series_next(&r, &v);
		if (st != BOB_OK)
			break;
		if (!bob_array_grow(&m->alloc, &m->value, &m->capacity, m->count, 1, sizeof(v)))
			st = BOB_ERR_NOMEM;
		else
			m->value[m->count++] = v;
	}
	bob_series_close(&r);
	return st == BOB_END ? BOB_OK : st;
}

/* Encodes every second number, from `odd` on. Returns 0 if that takes too many pieces. */
static int put_half(struct making *m, uint32_t odd)
{
	struct bob_buffer *b = &m->half[odd];
	struct bob_series_writer w;
	uint32_t n = 0;

	bob_series_begin(&w, &m->alloc);
	for (uint32_t i = odd; i < m->count && w.count <= PIECES + n / FEW; i += 2, n++)
		bob_series_add(&w, m->value[i]);
	b->len = 0;
	if (w.count <= PIECES + n / FEW)
		bob_series_end_plain(&w, b);
	else
		w.count = UINT64_MAX;
	n = w.count <= PIECES + n / FEW;
	bob_series_free(&w);
	return (int)n;
}

static void put_part(struct making *m, const struct bob_buffer *series)
{
	bob_buffer_varint(&m->parts, series->len);
	bob_buffer_put(&m->parts, series->at, series->len);
}

/* Splits one level: encodes the shorter half if it has few pieces. m keeps the numbers of the other
 * half. */
static int split(struct making *m)
{
	int even = put_half(m, 0), odd = put_half(m, 1);
	uint32_t n = 0, which = (uint32_t)(!even || (odd && m->half[1].len < m->half[0].len));

	if (!even && !odd)
		return 0;
	put_part(m, &m->half[which]);
	m->odd |= (uint64_t)which << m->levels++;
	for (uint32_t i = !which; i < m->count; i += 2)
		m->value[n++] = m->value[i];
	m->count = n;
	return 1;
}

static void take_apart(struct making *m)
{
	m->parts.len = 0;
	m->odd = m->levels = 0;
	while (m->count >= LEAST && m->levels < BOB_HALVES_MAX && split(m))
		;
}

static void put_rest(struct making *m)
{
	struct bob_series_writer w;

	bob_series_begin(&w, &m->alloc);
	for (uint32_t i = 0; i < m->count; i++)
		bob_series_add(&w, m->value[i]);
	m->half[0].len = 0;
	bob_series_end_plain(&w, &m->half[0]);
	bob_series_free(&w);
	put_part(m, &m->half[0]);
}

static bob_status make(struct making *m, const struct bob_buffer *pieces, uint64_t count)
{
	bob_status st = read_values(m, pieces, count, SAMPLE);

	if (st != BOB_OK)
		return st;
	if (m->count == SAMPLE) {
		if (!put_half(m, 0) && !put_half(m, 1))
			return BOB_NONE;
		st = read_values(m, pieces, count, UINT32_MAX);
	}
	if (st != BOB_OK)
		return st;
	take_apart(m);
	if (m->levels < 2)
		return BOB_NONE;
	put_rest(m);
	return BOB_OK;
}

bob_status bob_halves_put(const struct bob_buffer *pieces, uint64_t count, size_t most,
			  struct bob_buffer *b)
{
	struct making m = { .alloc = b->alloc, .parts.alloc = b->alloc };
	size_t before = b->len;
	bob_status st;

	m.half[0].alloc = m.half[1].alloc = b->alloc;
	st = make(&m, pieces, count);
	if (st == BOB_OK) {
		bob_buffer_varint(b, m.levels);
		bob_buffer_varint(b, m.odd);
		bob_buffer_put(b, m.parts.at, m.parts.len);
	}
	if (m.parts.failed || m.half[0].failed || m.half[1].failed || b->failed)
		st = BOB_ERR_NOMEM;
	if (st == BOB_OK && b->len - before >= most) {
		b->len = (uint32_t)before;
		st = BOB_NONE;
	}
	bob_array_free(&m.alloc, m.value, m.capacity, sizeof(*m.value));
	bob_buffer_free(&m.parts);
	bob_buffer_free(&m.half[0]);
	bob_buffer_free(&m.half[1]);
	return st;
}
