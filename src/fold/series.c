/* SPDX-License-Identifier: BSD-3-Clause */
#include "fold/series.h"

#include <string.h>

#include "base/varint.h"
#include "fold/halves.h"

#define MANY 4u /* pieces: fewer take no turns, ... */
#define HALVES_BYTES 48u /* fewer are nothing to save */
#define NARROW_BYTES 8u /* it has to save these: pieces are compressed once more in a file */
#define PATTERN_MAX 15u /* there may be many numbers, and each is compared with so many before it */
#define TOO_MANY                                                                                   \
	(1u << 17) /* ... and among so many nobody looks for turns: it takes 30 bytes for each */

/* --- writing --- */

static void take_piece(void *ctx, const struct bob_piece *p)
{
	struct bob_series_writer *w = ctx;
	uint8_t bytes[BOB_PIECE_BYTES_MAX];

	bob_buffer_put(&w->pieces, bytes, bob_piece_put(p, w->before, bytes));
	w->before = p->base;
	w->count++;
}

void bob_series_begin(struct bob_series_writer *w, const struct bob_alloc *alloc)
{
	w->pieces = (struct bob_buffer){ .alloc = *alloc };
	w->before = w->count = 0;
	bob_column_init(&w->column, take_piece, w);
}

void bob_series_free(struct bob_series_writer *w)
{
	bob_buffer_free(&w->pieces);
}

/* The same as a group behind what `b` has; 0 if that takes no less than `*most`, which becomes what it takes. */
static int put_group(struct bob_buffer *b, const struct bob_buffer *pieces, size_t *most)
{
	const struct bob_fold_bytes bytes = { pieces->at, pieces->len };
	struct bob_content c = { .structure.alloc = b->alloc };
	struct bob_buffer group = { .alloc = b->alloc };
	int shorter = 0;

	if (bob_content_read(&c, &bytes, 0) == BOB_OK &&
	    bob_content_fold(&c, PATTERN_MAX) == BOB_OK &&
	    bob_group_put_alone(&group, &c) == BOB_OK)
		shorter = group.len + 1 < *most;
	if (shorter) {
		bob_buffer_varint(b, 0);
		bob_buffer_varint(b, group.len);
		bob_buffer_put(b, group.at, group.len);
		*most = group.len + 1;
	}
	bob_buffer_free(&group);
	bob_content_free(&c);
	return shorter;
}

/* By halves, in the place of what `b` has from `begin` on, if that takes less than `most`. */
static void put_halves(struct bob_buffer *b, uint32_t begin, const struct bob_series_writer *w,
		       size_t most)
{
	struct bob_buffer halves = { .alloc = b->alloc };
	bob_status st = bob_halves_put(&w->pieces, w->count, most, &halves);

	if (st == BOB_OK) {
		b->len = begin;
		bob_buffer_varint(b, 0);
		bob_buffer_varint(b, 0);
		bob_buffer_varint(b, halves.len);
		bob_buffer_put(b, halves.at, halves.len);
	}
	b->failed |= st == BOB_ERR_NOMEM;
	bob_buffer_free(&halves);
}

/* The same, narrow. */
static void put_narrow(struct bob_buffer *b, uint32_t begin, const struct bob_series_writer *w,
		       size_t most)
{
	struct bob_buffer narrow = { .alloc = b->alloc };
	bob_status st = bob_narrow_put(&w->pieces, w->count, most, &narrow);

	if (st == BOB_OK) {
		b->len = begin;
		for (int i = 0; i < 3; i++)
			bob_buffer_varint(b, 0);
		bob_buffer_varint(b, narrow.len);
		bob_buffer_put(b, narrow.at, narrow.len);
	}
	b->failed |= st == BOB_ERR_NOMEM || narrow.failed;
	bob_buffer_free(&narrow);
}

/* `any`: by halves or narrow, too. */
static void end(struct bob_series_writer *w, struct bob_buffer *b, int any)
{
	size_t most;
	uint32_t begin;

	bob_column_finish(&w->column);
	if (!b)
		return;
	b->failed |= w->pieces.failed;
	begin = b->len;
	most = w->pieces.len;
	if (b->failed || w->count <= MANY || w->count > TOO_MANY ||
	    !put_group(b, &w->pieces, &most)) {
		bob_buffer_varint(b, w->count);
		bob_buffer_put(b, w->pieces.at, w->pieces.len);
	}
	if (any && !b->failed && w->count > MANY && most > HALVES_BYTES)
		put_halves(b, begin, w, most - 2);
	if (any && !b->failed && w->count > MANY && b->len - begin > NARROW_BYTES)
		put_narrow(b, begin, w, b->len - begin - NARROW_BYTES);
}

void bob_series_end(struct bob_series_writer *w, struct bob_buffer *b)
{
	end(w, b, 1);
}

void bob_series_end_plain(struct bob_series_writer *w, struct bob_buffer *b)
{
	end(w, b, 0);
}

void bob_series_put(struct bob_buffer *b, const uint64_t *value, uint32_t n)
{
	struct bob_series_writer w;

	bob_series_begin(&w, &b->alloc);
	for (uint32_t i = 0; i < n; i++)
		bob_series_add(&w, value[i]);
	bob_series_end(&w, b);
	bob_series_free(&w);
}

/* --- reading --- */

static void begin(struct bob_series_reader *r, const uint8_t *at, const uint8_t *end)
{
	r->at = at;
	r->end = end;
	r->before = r->left = 0;
	r->is_group = r->has_piece = 0;
	r->halves = NULL;
	r->is_narrow = 0;
}

void bob_series_open_pieces(struct bob_series_reader *r, const struct bob_buffer *pieces,
			    uint64_t count)
{
	begin(r, pieces->at, pieces->at + pieces->len);
	r->left = count;
}

/* So many bytes, and these. */
static bob_status get_bytes(struct bob_series_reader *r, struct bob_fold_bytes *bytes)
{
	uint64_t len;

	if (bob_varint_get(&r->at, r->end, &len) || len > (uint64_t)(r->end - r->at))
		return BOB_ERR_CORRUPT;
	*bytes = (struct bob_fold_bytes){ r->at, (size_t)len };
	r->at += len;
	return BOB_OK;
}

static bob_status open_any(struct bob_series_reader *r, const struct bob_alloc *alloc,
			   const uint8_t *at, const uint8_t *end, int any)
{
	struct bob_fold_bytes bytes;

	begin(r, at, end);
	if (bob_varint_get(&r->at, end, &r->left))
		return BOB_ERR_CORRUPT;
	if (r->left || r->at == end)
		return BOB_OK;
	if (get_bytes(r, &bytes) != BOB_OK)
		return BOB_ERR_CORRUPT;
	if (bytes.len) {
		r->is_group = 1;
		return bob_group_open_alone(&r->group, alloc, &bytes);
	}
	if (!any || get_bytes(r, &bytes) != BOB_OK)
		return BOB_ERR_CORRUPT;
	if (bytes.len)
		return bob_halves_open(alloc, &bytes, &r->halves);
	r->is_narrow = 1;
	return get_bytes(r, &bytes) == BOB_OK ? bob_narrow_open(&bytes, &r->narrow) :
						BOB_ERR_CORRUPT;
}

bob_status bob_series_open(struct bob_series_reader *r, const struct bob_alloc *alloc,
			   const uint8_t *at, const uint8_t *end)
{
	return open_any(r, alloc, at, end, 1);
}

bob_status bob_series_open_whole(struct bob_series_reader *r, const struct bob_alloc *alloc,
				 const uint8_t *at, const uint8_t *end)
{
	return open_any(r, alloc, at, end, 0);
}

static bob_status next_piece(struct bob_series_reader *r)
{
	bob_status st;
	int given_up;

	if (r->is_group) {
		st = bob_group_piece(&r->group, &r->piece, &given_up);
		return st == BOB_END && given_up ? BOB_ERR_CORRUPT : st;
	}
	if (!r->left)
		return BOB_END;
	r->left--;
	st = bob_piece_get(&r->at, r->end, r->before, &r->piece);
	r->before = r->piece.base;
	return st;
}

bob_status bob_series_turn(struct bob_series_reader *r, uint64_t *value)
{
	bob_status st;

	if (r->halves)
		return bob_halves_next(r->halves, value);
	if (r->is_narrow)
		return bob_narrow_next(&r->narrow, value);
	if (!r->has_piece || bob_piece_next(&r->piece, 0, &r->walk) != BOB_OK) {
		r->has_piece = 0;
		st = next_piece(r);
		if (st != BOB_OK)
			return st;
		/* no piece is empty: work is bounded by the numbers */
		if (bob_piece_begin(&r->piece, 0, 0, &r->walk) != BOB_OK)
			return BOB_ERR_CORRUPT;
		r->has_piece = 1;
	}
	*value = r->walk.value;
	return BOB_OK;
}

void bob_series_close(struct bob_series_reader *r)
{
	if (r->is_group)
		bob_group_close(&r->group);
	bob_halves_close(r->halves);
	r->halves = NULL;
}

bob_status bob_series_at(const struct bob_alloc *alloc, const struct bob_fold_bytes *series,
			 uint32_t i, uint64_t *value)
{
	struct bob_series_reader r;
	bob_status st = bob_series_open(&r, alloc, series->at, series->at + series->len);

	for (uint64_t left = (uint64_t)i + 1; left && st == BOB_OK; left--)
		st = bob_series_next(&r, value);
	bob_series_close(&r);
	return st == BOB_OK || st == BOB_ERR_NOMEM ? st : BOB_ERR_CORRUPT;
}
