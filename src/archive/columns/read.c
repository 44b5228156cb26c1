/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of tables: the descriptions first, which bound the sizes; then the columns of the caller's
 * schema. Columns are identified by position, because schemas only grow at the end. */
#include "archive/columns/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/reader.h"

static struct bob_cell_bytes get_span(struct bob_reader *r)
{
	struct bob_cell_bytes s;

	s.at = bob_reader_text(r, &s.len);
	return s;
}

/* --- descriptions --- */

static int is_bytes(uint32_t type)
{
	return type == BOB_STORED_BYTES || type == BOB_STORED_TEXT;
}

/* Sets data.len; data.at follows when all lengths are known. */
static void get_column(struct bob_reader *r, int has_names, struct bob_stored_column *c)
{
	const uint32_t how = (uint32_t)bob_reader_up_to(r, UINT32_MAX);

	memset(c, 0, sizeof(*c));
	c->type = how % 8;
	c->coding = how / 8;
	if (c->type == BOB_STORED_COUNT || c->type == BOB_STORED_REFERENCE)
		c->target = (uint32_t)bob_reader_up_to(r, UINT32_MAX);
	if (has_names)
		c->name = get_span(r);
	c->data.len = (size_t)bob_reader_up_to(r, SIZE_MAX);
}

bob_status bob_stored_next(const uint8_t **at, const uint8_t *end, struct bob_stored_table *out)
{
	struct bob_reader r = { *at, end, 0 };
	uint32_t columns;

	if (r.at == end)
		return BOB_END;
	out->number = (uint32_t)bob_reader_up_to(&r, UINT32_MAX);
	out->rows = bob_reader_varint(&r);
	columns = (uint32_t)bob_reader_up_to(&r, 2 * BOB_STORED_COLUMNS_MAX + 1);
	out->columns = columns / 2;
	out->name = columns % 2 ? get_span(&r) : (struct bob_cell_bytes){ r.at, 0 };
	for (uint32_t i = 0; i < out->columns && !r.bad; i++)
		get_column(&r, (int)(columns % 2), &out->column[i]);
	for (uint32_t i = 0; i < out->columns && !r.bad; i++)
		out->column[i].data.at = bob_reader_bytes(&r, out->column[i].data.len);
	if (r.bad || out->rows > (size_t)(r.at - *at)) /* keeps memory proportional to the file */
		return BOB_ERR_CORRUPT;
	*at = r.at;
	return BOB_OK;
}

/* --- values --- */

struct filling {
	const struct bob_schema_column *c;
	uint8_t *rows;
	size_t row_bytes, count;
};

/* BOB_ERR_CORRUPT: the value is invalid for the field. */
static bob_status set_number(const struct filling *f, size_t i, uint64_t v)
{
	uint8_t *to = f->rows + i * f->row_bytes + f->c->at;
	const int is_reference = f->c->type == BOB_STORED_REFERENCE;
	const int is_missing = is_reference && !v;
	uint32_t half;

	v -= (uint64_t)is_reference;
	half = (uint32_t)v;
	if (f->c->width == sizeof(v)) {
		memcpy(to, &v, sizeof(v));
		return BOB_OK;
	}
	if (f->c->type == BOB_STORED_SIGNED ? (uint64_t)(int32_t)half != v :
					      !is_missing && v > UINT32_MAX)
		return BOB_ERR_CORRUPT;
	memcpy(to, &half, sizeof(half));
	return BOB_OK;
}

static uint64_t of_plain(const struct filling *f, uint64_t v)
{
	return f->c->type == BOB_STORED_SIGNED ? (uint64_t)bob_unzigzag(v) : v;
}

static bob_status read_numbers(struct bob_reader *r, const struct filling *f, uint32_t coding)
{
	uint64_t v = 0, more = 0;
	bob_status st = BOB_OK;

	for (size_t i = 0; i < f->count && st == BOB_OK && !r->bad; i++) {
		if (coding == BOB_CODING_WIDE) {
			bob_reader_copy(r, &v, sizeof(v));
		} else if (more) {
			more--;
		} else if (coding == BOB_CODING_DELTA) {
			v += (uint64_t)bob_reader_signed(r);
		} else if (coding != BOB_CODING_ZERO) {
			v = of_plain(f, bob_reader_varint(r));
			if (coding == BOB_CODING_RUNS)
				more = bob_reader_varint(r);
		}
		st = set_number(f, i, v);
	}
	return more ? BOB_ERR_CORRUPT : st;
}

static void read_spans(struct bob_reader *r, const struct filling *f, uint32_t coding)
{
	for (size_t i = 0; i < f->count && !r->bad; i++) {
		uint8_t *to = f->rows + i * f->row_bytes + f->c->at;
		struct bob_cell_bytes s = { r->at, 0 };
		const uint64_t back = coding == BOB_CODING_BACK ? bob_reader_up_to(r, i) : 0;

		if (back)
			memcpy(&s, to - back * f->row_bytes, sizeof(s));
		else if (coding != BOB_CODING_ZERO)
			s = get_span(r);
		memcpy(to, &s, sizeof(s));
	}
}

static int is_coding(uint32_t type, uint32_t coding)
{
	if (is_bytes(type))
		return coding == BOB_CODING_ZERO || coding == BOB_CODING_PLAIN ||
		       coding == BOB_CODING_BACK;
	return coding <= BOB_CODING_WIDE;
}

static bob_status read_column(const struct bob_stored_column *said, const struct filling *f)
{
	struct bob_reader r = bob_reader_of(said->data.at, said->data.len);
	bob_status st = BOB_OK;

	if (said->type != f->c->type || !is_coding(said->type, said->coding))
		return BOB_ERR_VERSION;
	if (is_bytes(said->type))
		read_spans(&r, f, said->coding);
	else
		st = read_numbers(&r, f, said->coding);
	return st == BOB_OK && !bob_reader_is_done(&r) ? BOB_ERR_CORRUPT : st;
}

/* --- rows --- */

/* Fills a missing column: 0, references none. */
static bob_status fill_absent(const struct filling *f)
{
	const struct bob_stored_column none = { .type = f->c->type, .data = { f->rows, 0 } };

	return read_column(&none, f);
}

static bob_status read_rows(const struct bob_stored_table *said, const struct bob_schema *t,
			    void **rows, size_t *count)
{
	struct filling f = { .row_bytes = t->row_bytes, .count = (size_t)said->rows };
	bob_status st = BOB_OK;

	if (said->rows > SIZE_MAX / 2 / t->row_bytes)
		return BOB_ERR_NOMEM;
	f.rows = calloc(f.count + 1, t->row_bytes);
	if (!f.rows)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < t->columns && st == BOB_OK; i++) {
		f.c = &t->column[i];
		st = i < said->columns ? read_column(&said->column[i], &f) : fill_absent(&f);
	}
	if (st != BOB_OK) {
		free(f.rows);
		return st;
	}
	*rows = f.rows;
	*count = f.count;
	return BOB_OK;
}

bob_status bob_rows_read(const uint8_t *bytes, size_t len, const struct bob_schema *t, void **rows,
			 size_t *count)
{
	const uint8_t *at = bytes, *end = len ? bytes + len : bytes;
	struct bob_stored_table said;
	bob_status st = BOB_OK;
	void *found = NULL;

	while (st == BOB_OK && (st = bob_stored_next(&at, end, &said)) == BOB_OK)
		if (!found && said.number == t->number)
			st = read_rows(&said, t, &found, count);
	if (st == BOB_END && found) {
		*rows = found;
		return BOB_OK;
	}
	free(found);
	return st == BOB_END ? BOB_NONE : st;
}
