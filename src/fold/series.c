/* SPDX-License-Identifier: BSD-3-Clause */
#include "fold/series.h"

#include <string.h>

#include "base/varint.h"

#define MANY 4u /* pieces: fewer take no turns, ... */
#define TOO_MANY                                                                                   \
	(1u << 17) /* ... and among so many nobody looks for turns: it takes 100 bytes for each */

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

/* The same as a group; 0 if that takes no less. */
static int put_group(struct bob_buffer *b, const struct bob_buffer *pieces)
{
	const struct bob_fold_bytes bytes = { pieces->at, pieces->len };
	struct bob_content c = { .structure.alloc = b->alloc };
	struct bob_buffer group = { .alloc = b->alloc };
	int shorter = 0;

	if (bob_content_read(&c, &bytes, 0) == BOB_OK && bob_content_fold(&c) == BOB_OK &&
	    bob_group_put_alone(&group, &c) == BOB_OK)
		shorter = group.len + 1 < pieces->len;
	if (shorter) {
		bob_buffer_varint(b, 0);
		bob_buffer_varint(b, group.len);
		bob_buffer_put(b, group.at, group.len);
	}
	bob_buffer_free(&group);
	bob_content_free(&c);
	return shorter;
}

void bob_series_end(struct bob_series_writer *w, struct bob_buffer *b)
{
	bob_column_finish(&w->column);
	if (!b)
		return;
	b->failed |= w->pieces.failed;
	if (b->failed || w->count <= MANY || w->count > TOO_MANY || !put_group(b, &w->pieces)) {
		bob_buffer_varint(b, w->count);
		bob_buffer_put(b, w->pieces.at, w->pieces.len);
	}
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

bob_status bob_series_open(struct bob_series_reader *r, const struct bob_alloc *alloc,
			   const uint8_t *at, const uint8_t *end)
{
	struct bob_fold_bytes bytes;
	uint64_t len;

	r->at = at;
	r->end = end;
	r->before = 0;
	r->is_group = r->has_piece = 0;
	if (bob_varint_get(&r->at, end, &r->left))
		return BOB_ERR_CORRUPT;
	if (r->left || r->at == end || !*r->at)
		return BOB_OK;
	if (bob_varint_get(&r->at, end, &len) || len > (uint64_t)(end - r->at))
		return BOB_ERR_CORRUPT;
	bytes = (struct bob_fold_bytes){ r->at, (size_t)len };
	r->at += len;
	r->is_group = 1;
	return bob_group_open_alone(&r->group, alloc, &bytes);
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
