/* SPDX-License-Identifier: BSD-3-Clause */
/* Writer of tables. One function encodes a column to a sink; with a counting sink it computes the
 * length of each coding. */
#include "archive/columns/columns.h"

#include <string.h>

#include "base/varint.h"

#define NAMES_SHARE 64u		/* names are at most this share of the rest */
#define BACK_ROWS 64u		/* search distance of BACK */

struct sink {
	bob_rows_fn put;	/* NULL: only count bytes */
	void *ctx;
	uint64_t len;
};

struct rows {
	const uint8_t *at;
	size_t count, bytes;
};

static void put_bytes(struct sink *s, const void *bytes, size_t len)
{
	s->len += len;
	if (s->put && len)
		s->put(s->ctx, bytes, len);
}

static void put_number(struct sink *s, uint64_t v)
{
	uint8_t bytes[BOB_VARINT_MAX];

	put_bytes(s, bytes, bob_varint_put(bytes, v));
}

static void put_text(struct sink *s, const char *text)
{
	put_number(s, strlen(text));
	put_bytes(s, text, strlen(text));
}

static int is_bytes(const struct bob_schema_column *c)
{
	return c->type == BOB_STORED_BYTES || c->type == BOB_STORED_TEXT;
}

/* --- values --- */

/* The field as a 64-bit number. */
static uint64_t value_at(const struct rows *r, const struct bob_schema_column *c, size_t i)
{
	const uint8_t *at = r->at + i * r->bytes + c->at;
	uint64_t v = 0;
	uint32_t half;

	if (c->width == sizeof(v)) {
		memcpy(&v, at, sizeof(v));
	} else {
		memcpy(&half, at, sizeof(half));
		v = c->type == BOB_STORED_SIGNED ? (uint64_t)(int32_t)half : half;
	}
	if (c->type != BOB_STORED_REFERENCE)
		return v;
	return c->width == sizeof(v) ? v + 1 : (uint32_t)(v + 1);
}

static struct bob_cell_bytes span_at(const struct rows *r, const struct bob_schema_column *c,
				     size_t i)
{
	struct bob_cell_bytes s;

	memcpy(&s, r->at + i * r->bytes + c->at, sizeof(s));
	return s;
}

static int same_spans(struct bob_cell_bytes a, struct bob_cell_bytes b)
{
	return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

static uint64_t plain_of(const struct bob_schema_column *c, uint64_t v)
{
	return c->type == BOB_STORED_SIGNED ? bob_zigzag((int64_t)v) : v;
}

/* --- columns --- */

static void put_runs(struct sink *s, const struct rows *r, const struct bob_schema_column *c)
{
	for (size_t i = 0, n; i < r->count; i += n) {
		const uint64_t v = value_at(r, c, i);

		for (n = 1; i + n < r->count && value_at(r, c, i + n) == v;)
			n++;
		put_number(s, plain_of(c, v));
		put_number(s, n - 1);
	}
}

static void put_numbers(struct sink *s, const struct rows *r, const struct bob_schema_column *c,
			uint32_t coding)
{
	uint64_t before = 0;

	if (coding == BOB_CODING_RUNS) {
		put_runs(s, r, c);
		return;
	}
	for (size_t i = 0; i < r->count; i++) {
		const uint64_t v = value_at(r, c, i);

		if (coding == BOB_CODING_PLAIN)
			put_number(s, plain_of(c, v));
		else if (coding == BOB_CODING_DELTA)
			put_number(s, bob_zigzag((int64_t)(v - before)));
		else if (coding == BOB_CODING_WIDE)
			put_bytes(s, &v, sizeof(v));
		before = v;
	}
}

/* Distance in rows to the last equal value before row `i`; 0: none within the search distance. */
static size_t rows_back(const struct rows *r, const struct bob_schema_column *c, size_t i)
{
	const struct bob_cell_bytes v = span_at(r, c, i);

	for (size_t n = 1; n <= i && n <= BACK_ROWS; n++)
		if (same_spans(v, span_at(r, c, i - n)))
			return n;
	return 0;
}

static void put_spans(struct sink *s, const struct rows *r, const struct bob_schema_column *c,
		      uint32_t coding)
{
	for (size_t i = 0; i < r->count && coding != BOB_CODING_ZERO; i++) {
		const struct bob_cell_bytes v = span_at(r, c, i);
		const size_t back = coding == BOB_CODING_BACK ? rows_back(r, c, i) : 0;

		if (coding == BOB_CODING_BACK)
			put_number(s, back);
		if (back)
			continue;
		put_number(s, v.len);
		put_bytes(s, v.at, v.len);
	}
}

static void put_column(struct sink *s, const struct rows *r, const struct bob_schema_column *c,
		       uint32_t coding)
{
	if (is_bytes(c))
		put_spans(s, r, c, coding);
	else
		put_numbers(s, r, c, coding);
}

static int is_zero(const struct rows *r, const struct bob_schema_column *c)
{
	for (size_t i = 0; i < r->count; i++)
		if (is_bytes(c) ? span_at(r, c, i).len != 0 : value_at(r, c, i) != 0)
			return 0;
	return 1;
}

/* Selects the shortest coding; the first one in case of a tie. */
static uint32_t choose(const struct rows *r, const struct bob_schema_column *c, uint64_t *len)
{
	static const uint8_t numbers[] = { BOB_CODING_PLAIN, BOB_CODING_DELTA, BOB_CODING_RUNS,
					   BOB_CODING_WIDE };
	static const uint8_t spans[] = { BOB_CODING_PLAIN, BOB_CODING_BACK };
	const uint8_t *of = is_bytes(c) ? spans : numbers;
	const size_t count = is_bytes(c) ? sizeof(spans) : sizeof(numbers);
	uint32_t best = BOB_CODING_ZERO;

	*len = 0;
	if (is_zero(r, c))
		return best;
	for (size_t i = 0; i < count; i++) {
		struct sink s = { .len = 0 };

		put_column(&s, r, c, of[i]);
		if (best == BOB_CODING_ZERO || s.len < *len) {
			best = of[i];
			*len = s.len;
		}
	}
	return best;
}

/* --- the table --- */

struct chosen {
	uint32_t coding[BOB_STORED_COLUMNS_MAX];
	uint64_t len[BOB_STORED_COLUMNS_MAX];
	int has_names;
};

static void put_description(struct sink *s, const struct bob_schema *t, size_t rows,
			    const struct chosen *how)
{
	put_number(s, t->number);
	put_number(s, rows);
	put_number(s, 2ull * t->columns + (how->has_names != 0));
	if (how->has_names)
		put_text(s, t->name);
	for (uint32_t i = 0; i < t->columns; i++) {
		const struct bob_schema_column *c = &t->column[i];

		put_number(s, c->type + 8ull * how->coding[i]);
		if (c->type == BOB_STORED_COUNT || c->type == BOB_STORED_REFERENCE)
			put_number(s, c->target);
		if (how->has_names)
			put_text(s, c->name);
		put_number(s, how->len[i]);
	}
}

static uint64_t bytes_of_names(const struct bob_schema *t)
{
	uint64_t n = strlen(t->name) + 1;

	for (uint32_t i = 0; i < t->columns; i++)
		n += strlen(t->column[i].name) + 1;
	return n;
}

uint64_t bob_rows_write(const struct bob_schema *t, const void *rows, size_t count, bob_rows_fn put,
			void *ctx)
{
	const struct rows r = { rows, count, t->row_bytes };
	struct sink s = { .put = put, .ctx = ctx };
	struct chosen how;
	uint64_t all = 0;

	for (uint32_t i = 0; i < t->columns; i++) {
		how.coding[i] = choose(&r, &t->column[i], &how.len[i]);
		all += how.len[i];
	}
	if (count > all) { /* readers reject more rows than bytes */
		struct sink measure = { .len = 0 };

		how.coding[0] = BOB_CODING_PLAIN;
		put_column(&measure, &r, &t->column[0], BOB_CODING_PLAIN);
		how.len[0] = measure.len;
	}
	how.has_names = bytes_of_names(t) <= all / NAMES_SHARE;
	put_description(&s, t, count, &how);
	for (uint32_t i = 0; i < t->columns; i++)
		put_column(&s, &r, &t->column[i], how.coding[i]);
	return s.len;
}
