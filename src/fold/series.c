/* SPDX-License-Identifier: BSD-3-Clause */
#include "fold/series.h"

#include <string.h>

#include "base/varint.h"
#include "fold/column.h"
#include "fold/group.h"

#define MANY 4u /* pieces: fewer take no turns */

/* --- writing --- */

struct row {
	struct bob_buffer *out;
	uint64_t before;
	uint64_t pieces;
};

static void take_piece(void *ctx, const struct bob_piece *p)
{
	struct row *r = ctx;
	uint8_t bytes[BOB_PIECE_BYTES_MAX];

	bob_buffer_put(r->out, bytes, bob_piece_put(p, r->before, bytes));
	r->before = p->base;
	r->pieces++;
}

/* The same as a group; 0 if that takes no less. */
static int put_group(struct bob_buffer *b, const struct bob_buffer *pieces)
{
	const struct bob_fold_bytes bytes = { pieces->at, pieces->len };
	struct bob_content c = { .structure.alloc = b->alloc };
	const struct bob_content *one = &c;
	struct bob_buffer group = { .alloc = b->alloc };
	int shorter = 0;

	if (bob_content_read(&c, &bytes, 0) == BOB_OK && bob_content_fold(&c) == BOB_OK &&
	    bob_group_put(&group, &one, NULL, 1, NULL, NULL, NULL) == BOB_OK)
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

void bob_series_put(struct bob_buffer *b, const uint64_t *value, uint32_t n)
{
	struct bob_buffer bytes = { .alloc = b->alloc };
	struct row r = { .out = &bytes };
	struct bob_column column;

	bob_column_init(&column, take_piece, &r);
	for (uint32_t i = 0; i < n; i++)
		bob_column_put(&column, value[i]);
	bob_column_finish(&column);
	b->failed |= bytes.failed;
	if (b->failed || r.pieces <= MANY || !put_group(b, &bytes)) {
		bob_buffer_varint(b, r.pieces);
		bob_buffer_put(b, bytes.at, bytes.len);
	}
	bob_buffer_free(&bytes);
}

/* --- reading --- */

struct reading {
	const uint8_t *at, *end;
	uint64_t left, before;		/* pieces */
	int is_group;
	struct bob_group_reader group;
};

static bob_status begin(struct reading *r, const struct bob_alloc *alloc, const uint8_t *at,
			const uint8_t *end)
{
	struct bob_fold_bytes bytes;
	uint64_t len;

	*r = (struct reading){ .at = at, .end = end };
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

static bob_status next(struct reading *r, struct bob_piece *p)
{
	bob_status st;
	int given_up;

	if (r->is_group) {
		st = bob_group_piece(&r->group, p, &given_up);
		return st == BOB_END && given_up ? BOB_ERR_CORRUPT : st;
	}
	if (!r->left)
		return BOB_END;
	r->left--;
	st = bob_piece_get(&r->at, r->end, r->before, p);
	r->before = p->base;
	return st;
}

static void end(struct reading *r)
{
	if (r->is_group)
		bob_group_close(&r->group);
}

bob_status bob_series_get(const struct bob_alloc *alloc, const uint8_t **at, const uint8_t *stop,
			  uint64_t *value, uint32_t n)
{
	struct reading r;
	struct bob_piece p;
	struct bob_piece_walk w;
	uint32_t have = 0;
	bob_status st = begin(&r, alloc, *at, stop);

	while (st == BOB_OK && (st = next(&r, &p)) == BOB_OK) {
		st = bob_piece_begin(&p, 0, 0, &w);
		if (st != BOB_OK) { /* no piece is empty: work is bounded by the numbers */
			st = BOB_ERR_CORRUPT;
			break;
		}
		for (; st == BOB_OK && have < n; st = bob_piece_next(&p, 0, &w))
			value[have++] = w.value;
		st = st == BOB_OK ? BOB_ERR_CORRUPT : BOB_OK;
	}
	end(&r);
	if (st == BOB_ERR_NOMEM)
		return st;
	if (st != BOB_END || have != n)
		return BOB_ERR_CORRUPT;
	*at = r.at;
	return BOB_OK;
}

bob_status bob_series_at(const struct bob_alloc *alloc, const struct bob_fold_bytes *series,
			 uint32_t i, uint64_t *value)
{
	struct reading r;
	struct bob_piece p;
	struct bob_piece_walk w;
	uint64_t left = i;
	bob_status st = begin(&r, alloc, series->at, series->at + series->len);
	int found = 0;

	while (st == BOB_OK && !found && (st = next(&r, &p)) == BOB_OK) {
		st = bob_piece_begin(&p, 0, 0, &w);
		if (st != BOB_OK)
			break;
		for (; st == BOB_OK && left; left--)
			st = bob_piece_next(&p, 0, &w);
		found = st == BOB_OK;
		st = BOB_OK;
	}
	end(&r);
	*value = w.value;
	return found ? BOB_OK : st == BOB_ERR_NOMEM ? st : BOB_ERR_CORRUPT;
}
