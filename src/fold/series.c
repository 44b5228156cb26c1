/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader and writer of series. The writer collects pieces, tries each coding that can be shorter,
 * and keeps the shortest. */
#include "fold/series.h"

#include <string.h>

#include "base/varint.h"
#include "fold/halves.h"

#define MANY 4u /* fewer pieces have no pattern */
#define HALVES_BYTES 48u /* halves: shorter series are left alone */
#define NARROW_BYTES 8u /* narrow: minimal saving, because files compress pieces once more */
#define BITS_BYTES 10u /* bits: shorter series are left alone */
#define PATTERN_MAX 15u /* maximal period; bounds the comparisons per element */
#define TOO_MANY (1u << 17) /* pieces; for more, patterns are not searched: 30 bytes each */

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

/* Appends the pieces as a group to `b` if that takes less than *most, which becomes its size. */
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

typedef bob_status (*put_fn)(const struct bob_buffer *pieces, uint64_t count, size_t most,
			     struct bob_buffer *b);

/* Replaces the contents of `b` from `begin` on by another coding if that takes less than `most`. */
static void put_as(enum bob_series_kind kind, put_fn put, struct bob_buffer *b, uint32_t begin,
		   const struct bob_series_writer *w, size_t most)
{
	struct bob_buffer other = { .alloc = b->alloc };
	bob_status st = put(&w->pieces, w->count, most, &other);

	if (st == BOB_OK) {
		b->len = begin;
		for (uint32_t i = 0; i < kind; i++)
			bob_buffer_varint(b, 0);
		bob_buffer_varint(b, other.len);
		bob_buffer_put(b, other.at, other.len);
	}
	b->failed |= st == BOB_ERR_NOMEM || other.failed;
	bob_buffer_free(&other);
}

/* Replaces the contents of `b` from `begin` on by the shortest other coding. */
static void shorten(const struct bob_series_writer *w, struct bob_buffer *b, uint32_t begin)
{
	static const struct {
		enum bob_series_kind kind;
		put_fn put;
		uint32_t saves; /* minimal saving */
		uint32_t least; /* minimal size of the present coding */
	} way[] = {
		{ BOB_SERIES_BITS, bob_bits_put, BOB_SERIES_BITS + 1, BITS_BYTES },
		{ BOB_SERIES_HALVES, bob_halves_put, BOB_SERIES_HALVES + 1, HALVES_BYTES },
		{ BOB_SERIES_NARROW, bob_narrow_put, NARROW_BYTES, NARROW_BYTES },
	};

	for (uint32_t i = 0; i < sizeof(way) / sizeof(*way) && !b->failed; i++)
		if (b->len - begin > way[i].least)
			put_as(way[i].kind, way[i].put, b, begin, w, b->len - begin - way[i].saves);
}

/* `any`: use all codings. */
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
	if (any && w->count > MANY)
		shorten(w, b, begin);
}

void bob_series_end(struct bob_series_writer *w, struct bob_buffer *b)
{
	end(w, b, 1);
}

void bob_series_end_plain(struct bob_series_writer *w, struct bob_buffer *b)
{
	end(w, b, 0);
}

/* --- reading --- */

static void begin(struct bob_series_reader *r, const uint8_t *at, const uint8_t *end)
{
	r->at = at;
	r->end = end;
	r->before = r->left = 0;
	r->kind = BOB_SERIES_PIECES;
	r->has_piece = 0;
	r->halves = NULL;
}

void bob_series_open_pieces(struct bob_series_reader *r, const struct bob_buffer *pieces,
			    uint64_t count)
{
	begin(r, pieces->at, pieces->at + pieces->len);
	r->left = count;
}

/* Reads a length and so many bytes. */
static bob_status get_bytes(struct bob_series_reader *r, struct bob_fold_bytes *bytes)
{
	uint64_t len;

	if (bob_varint_get(&r->at, r->end, &len) || len > (uint64_t)(r->end - r->at))
		return BOB_ERR_CORRUPT;
	*bytes = (struct bob_fold_bytes){ r->at, (size_t)len };
	r->at += len;
	return BOB_OK;
}

/* `bytes` have coding r->kind. */
static bob_status open_kind(struct bob_series_reader *r, const struct bob_alloc *alloc,
			    const struct bob_fold_bytes *bytes)
{
	switch (r->kind) {
	case BOB_SERIES_GROUP:
		return bob_group_open_alone(&r->group, alloc, bytes);
	case BOB_SERIES_HALVES:
		return bob_halves_open(alloc, bytes, &r->halves);
	case BOB_SERIES_NARROW:
		return bob_narrow_open(bytes, &r->narrow);
	default:
		return bob_bits_open(bytes, &r->bits);
	}
}

/* Accepts codings up to `most`. */
static bob_status open_any(struct bob_series_reader *r, const struct bob_alloc *alloc,
			   const uint8_t *at, const uint8_t *end, enum bob_series_kind most)
{
	struct bob_fold_bytes bytes = { NULL, 0 };

	begin(r, at, end);
	if (bob_varint_get(&r->at, end, &r->left))
		return BOB_ERR_CORRUPT;
	if (r->left || r->at == end)
		return BOB_OK;
	while (!bytes.len) {
		if (r->kind == most || get_bytes(r, &bytes) != BOB_OK) {
			r->kind = BOB_SERIES_PIECES; /* nothing to close */
			return BOB_ERR_CORRUPT;
		}
		r->kind++;
	}
	return open_kind(r, alloc, &bytes);
}

bob_status bob_series_open(struct bob_series_reader *r, const struct bob_alloc *alloc,
			   const uint8_t *at, const uint8_t *end)
{
	return open_any(r, alloc, at, end, BOB_SERIES_BITS);
}

bob_status bob_series_open_whole(struct bob_series_reader *r, const struct bob_alloc *alloc,
				 const uint8_t *at, const uint8_t *end)
{
	return open_any(r, alloc, at, end, BOB_SERIES_GROUP);
}

static bob_status next_piece(struct bob_series_reader *r)
{
	bob_status st;
	int given_up;

	if (r->kind == BOB_SERIES_GROUP) {
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

	if (r->kind == BOB_SERIES_HALVES)
		return bob_halves_next(r->halves, value);
	if (r->kind == BOB_SERIES_NARROW)
		return bob_narrow_next(&r->narrow, value);
	if (r->kind == BOB_SERIES_BITS)
		return bob_bits_next(&r->bits, value);
	if (!r->has_piece || bob_piece_next(&r->piece, 0, &r->walk) != BOB_OK) {
		r->has_piece = 0;
		st = next_piece(r);
		if (st != BOB_OK)
			return st;
		/* no piece is empty, so the work is bounded by the number of values */
		if (bob_piece_begin(&r->piece, 0, 0, &r->walk) != BOB_OK)
			return BOB_ERR_CORRUPT;
		r->has_piece = 1;
	}
	*value = r->walk.value;
	return BOB_OK;
}

void bob_series_close(struct bob_series_reader *r)
{
	if (r->kind == BOB_SERIES_GROUP)
		bob_group_close(&r->group);
	bob_halves_close(r->halves);
	r->halves = NULL;
}
