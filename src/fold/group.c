/* SPDX-License-Identifier: BSD-3-Clause */
#include "fold/group.h"

#include <string.h>

#include "base/varint.h"
#include "fold/columns.h"

enum row_kind { ROW_SAME = 0, ROW_AFFINE = 1, ROW_PIECES = 2 };

/* --- buffers --- */

void bob_buffer_put(struct bob_buffer *b, const void *bytes, size_t len)
{
	if (!b->failed && bob_array_grow(&b->alloc, &b->at, &b->room, b->len, len, 1)) {
		memcpy(b->at + b->len, bytes, len);
		b->len += (uint32_t)len;
	} else {
		b->failed = 1;
	}
}

void bob_buffer_varint(struct bob_buffer *b, uint64_t v)
{
	uint8_t bytes[BOB_VARINT_MAX];

	bob_buffer_put(b, bytes, bob_varint_put(bytes, v));
}

void bob_buffer_signed(struct bob_buffer *b, uint64_t v)
{
	bob_buffer_varint(b, bob_zigzag((int64_t)v));
}

void bob_buffer_free(struct bob_buffer *b)
{
	bob_array_free(&b->alloc, b->at, b->room, 1);
	b->at = NULL;
	b->len = b->room = 0;
}

bob_status bob_buffer_keep(const struct bob_buffer *b, struct bob_blocks *blocks,
			   struct bob_fold_bytes *out)
{
	uint8_t *copy = b->failed ? NULL : bob_blocks_get(blocks, b->len);

	if (!copy)
		return BOB_ERR_NOMEM;
	if (b->len)
		memcpy(copy, b->at, b->len);
	*out = (struct bob_fold_bytes){ copy, b->len };
	return BOB_OK;
}

/* --- taking apart --- */

void bob_content_free(struct bob_content *c)
{
	bob_array_free(&c->structure.alloc, c->number, c->room, sizeof(*c->number));
	bob_buffer_free(&c->structure);
	c->number = NULL;
	c->count = c->room = 0;
}

static void put_number(struct bob_content *c, uint64_t v)
{
	if (bob_array_grow(&c->structure.alloc, &c->number, &c->room, c->count, 1,
			   sizeof(*c->number)))
		c->number[c->count++] = v;
	else
		c->structure.failed = 1;
}

static void put_piece(struct bob_content *c, const struct bob_piece *p, uint64_t before)
{
	unsigned pairs = bob_piece_pair(0, p->dims);
	uint64_t mask = 0;
	uint8_t dims;

	for (unsigned i = 0; i < pairs; i++)
		mask |= (uint64_t)(p->grow[i] != 0) << i;
	dims = (uint8_t)(p->dims | (mask ? 8u : 0u));
	bob_buffer_put(&c->structure, &dims, 1);
	if (mask)
		bob_buffer_varint(&c->structure, mask);
	put_number(c, p->base - before);
	for (unsigned d = 0; d < p->dims; d++) {
		put_number(c, p->count[d]);
		put_number(c, p->step[d]);
	}
	for (unsigned i = 0; i < pairs; i++)
		if (p->grow[i])
			put_number(c, p->grow[i]);
}

void bob_content_clear(struct bob_content *c)
{
	c->structure.len = 0;
	c->structure.failed = 0;
	c->count = 0;
}

bob_status bob_content_read(struct bob_content *c, const struct bob_fold_bytes *bytes, int in_line)
{
	const uint8_t *at = bytes->at, *end = at + bytes->len;
	struct bob_piece p;
	uint64_t before = 0;

	bob_content_clear(c);
	while (at != end && *at != BOB_COLUMN_GIVEN_UP) {
		if (bob_piece_get(&at, end, before, &p) != BOB_OK)
			return BOB_ERR_CORRUPT;
		put_piece(c, &p, before);
		before = p.base;
	}
	if (at != end && !in_line && end - at != 1)
		return BOB_ERR_CORRUPT;
	bob_buffer_put(&c->structure, at, (size_t)(end - at));
	return c->structure.failed ? BOB_ERR_NOMEM : BOB_OK;
}

/* --- rows --- */

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

static enum row_kind kind_of(const struct bob_content *const *member, uint32_t n, uint32_t number)
{
	uint64_t first = member[0]->number[number], step;

	if (n == 1)
		return ROW_SAME;
	step = member[1]->number[number] - first;
	for (uint32_t i = 2; i < n; i++)
		if (member[i]->number[number] != first + i * step)
			return ROW_PIECES;
	return step ? ROW_AFFINE : ROW_SAME;
}

/* The values are given by `member` and `number` or, where `member` is NULL, by `value`. */
static void put_series(struct bob_buffer *b, const uint64_t *value,
		       const struct bob_content *const *member, uint32_t number, uint32_t n)
{
	struct bob_buffer bytes = { .alloc = b->alloc };
	struct row r = { .out = &bytes };
	struct bob_column column;

	bob_column_init(&column, take_piece, &r);
	for (uint32_t i = 0; i < n; i++)
		bob_column_put(&column, member ? member[i]->number[number] : value[i]);
	bob_column_finish(&column);
	bob_buffer_varint(b, r.pieces);
	bob_buffer_put(b, bytes.at, bytes.len);
	b->failed |= bytes.failed;
	bob_buffer_free(&bytes);
}

void bob_series_put(struct bob_buffer *b, const uint64_t *value, uint32_t n)
{
	put_series(b, value, NULL, 0, n);
}

static void put_row(struct bob_buffer *b, const struct bob_content *const *member, uint32_t n,
		    uint32_t number, enum row_kind kind)
{
	if (kind == ROW_PIECES) {
		put_series(b, NULL, member, number, n);
		return;
	}
	bob_buffer_signed(b, member[0]->number[number]);
	if (kind == ROW_AFFINE)
		bob_buffer_signed(b, member[1]->number[number] - member[0]->number[number]);
}

bob_status bob_group_put(struct bob_buffer *b, const struct bob_content *const *member, uint32_t n)
{
	const struct bob_content *first = member[0];

	bob_buffer_varint(b, first->structure.len);
	bob_buffer_put(b, first->structure.at, first->structure.len);
	bob_buffer_varint(b, first->count);
	for (uint32_t i = 0; i < first->count; i += 4) {
		uint8_t kinds = 0;

		for (uint32_t k = 0; k < 4 && i + k < first->count; k++)
			kinds |= (uint8_t)(kind_of(member, n, i + k) << 2 * k);
		bob_buffer_put(b, &kinds, 1);
	}
	for (uint32_t i = 0; i < first->count; i++)
		put_row(b, member, n, i, kind_of(member, n, i));
	return b->failed ? BOB_ERR_NOMEM : BOB_OK;
}

/* --- reading --- */

bob_status bob_group_open(struct bob_group_reader *r, const struct bob_fold_bytes *group,
			  uint32_t member)
{
	const uint8_t *at = group->at, *end = at + group->len;
	uint64_t len, rows;

	if (bob_varint_get(&at, end, &len) || len > (uint64_t)(end - at))
		return BOB_ERR_CORRUPT;
	*r = (struct bob_group_reader){ .structure = at, .structure_end = at + len };
	at += len;
	if (bob_varint_get(&at, end, &rows) || rows > UINT32_MAX ||
	    (rows + 3) / 4 > (uint64_t)(end - at))
		return BOB_ERR_CORRUPT;
	r->kind = at;
	r->row = at + (rows + 3) / 4;
	r->end = end;
	r->rows_left = (uint32_t)rows;
	r->member = member;
	return BOB_OK;
}

static bob_status get_signed(struct bob_group_reader *r, uint64_t *v)
{
	bob_status st = bob_varint_get(&r->row, r->end, v);

	*v = (uint64_t)bob_unzigzag(*v);
	return st;
}

bob_status bob_series_get(const uint8_t **at, const uint8_t *end, uint64_t *value, uint32_t n)
{
	const uint8_t *q = *at;
	uint64_t pieces, before = 0;
	uint32_t have = 0;

	if (bob_varint_get(&q, end, &pieces))
		return BOB_ERR_CORRUPT;
	while (pieces--) {
		struct bob_piece p;
		struct bob_piece_walk w;

		if (bob_piece_get(&q, end, before, &p) != BOB_OK)
			return BOB_ERR_CORRUPT;
		before = p.base;
		bob_status st = bob_piece_begin(&p, 0, 0, &w);
		for (; st == BOB_OK && have < n; st = bob_piece_next(&p, 0, &w))
			value[have++] = w.value;
		if (st == BOB_OK)
			return BOB_ERR_CORRUPT;
	}
	if (have != n)
		return BOB_ERR_CORRUPT;
	*at = q;
	return BOB_OK;
}

/* The member's value of a row of pieces. Work: the members before it. */
static bob_status get_from_pieces(struct bob_group_reader *r, uint64_t *v)
{
	uint64_t pieces, before = 0, left = r->member;
	int found = 0;

	if (bob_varint_get(&r->row, r->end, &pieces))
		return BOB_ERR_CORRUPT;
	while (pieces--) {
		struct bob_piece p;
		struct bob_piece_walk w;

		if (bob_piece_get(&r->row, r->end, before, &p) != BOB_OK)
			return BOB_ERR_CORRUPT;
		before = p.base;
		if (found)
			continue;
		bob_status st = bob_piece_begin(&p, 0, 0, &w);
		for (; st == BOB_OK && left; left--)
			st = bob_piece_next(&p, 0, &w);
		if (st == BOB_OK) {
			*v = w.value;
			found = 1;
		}
	}
	return found ? BOB_OK : BOB_ERR_CORRUPT;
}

static bob_status get_number(struct bob_group_reader *r, uint64_t *v)
{
	uint64_t step = 0;
	bob_status st;

	if (!r->rows_left)
		return BOB_ERR_CORRUPT;
	unsigned kind = *r->kind >> r->shift & 3;
	r->rows_left--;
	r->shift = (r->shift + 2) & 7;
	r->kind += !r->shift;
	if (kind == ROW_PIECES)
		return get_from_pieces(r, v);
	st = get_signed(r, v);
	if (st == BOB_OK && kind == ROW_AFFINE)
		st = get_signed(r, &step);
	*v += r->member * step;
	return kind > ROW_PIECES ? BOB_ERR_CORRUPT : st;
}

bob_status bob_group_piece(struct bob_group_reader *r, struct bob_piece *p, int *given_up)
{
	uint64_t mask = 0, v;
	uint8_t byte;

	*given_up = 0;
	if (r->structure == r->structure_end)
		return BOB_END;
	byte = *r->structure++;
	if (byte == BOB_COLUMN_GIVEN_UP) {
		*given_up = 1;
		return BOB_END;
	}
	if ((byte & 7u) > BOB_PIECE_DIMS || byte > 15)
		return BOB_ERR_CORRUPT;
	memset(p, 0, sizeof(*p));
	p->dims = byte & 7u;
	if (byte & 8 && (bob_varint_get(&r->structure, r->structure_end, &mask) ||
			 mask >> bob_piece_pair(0, p->dims)))
		return BOB_ERR_CORRUPT;
	if (get_number(r, &v) != BOB_OK)
		return BOB_ERR_CORRUPT;
	p->base = r->base += v;
	for (unsigned d = 0; d < p->dims; d++)
		if (get_number(r, &p->count[d]) != BOB_OK || get_number(r, &p->step[d]) != BOB_OK)
			return BOB_ERR_CORRUPT;
	for (unsigned i = 0; mask >> i; i++)
		if (mask >> i & 1 && get_number(r, &p->grow[i]) != BOB_OK)
			return BOB_ERR_CORRUPT;
	return BOB_OK;
}

bob_status bob_group_content(const struct bob_fold_bytes *group, uint32_t member,
			     struct bob_content *c)
{
	struct bob_group_reader r;
	bob_status st = bob_group_open(&r, group, member);
	uint64_t v;

	bob_content_clear(c);
	if (st != BOB_OK)
		return st;
	bob_buffer_put(&c->structure, r.structure, (size_t)(r.structure_end - r.structure));
	while (r.rows_left) {
		st = get_number(&r, &v);
		if (st != BOB_OK)
			return st;
		put_number(c, v);
	}
	return c->structure.failed ? BOB_ERR_NOMEM : BOB_OK;
}
