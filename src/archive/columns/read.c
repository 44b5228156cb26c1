/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading tables: descriptions first, which bound what follows; then the columns that the caller's
 * schema has, each by its coding. Columns are known by their place: a schema only grows at its
 * end. */
#include "archive/columns/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/varint.h"

struct input {
	const uint8_t *at, *end;
};

static bob_status get(struct input *in, uint64_t *v)
{
	return bob_varint_get(&in->at, in->end, v);
}

static bob_status get_span(struct input *in, struct bob_cell_bytes *s)
{
	uint64_t len;

	if (get(in, &len) != BOB_OK || len > (size_t)(in->end - in->at))
		return BOB_ERR_CORRUPT;
	*s = (struct bob_cell_bytes){ in->at, (size_t)len };
	in->at += len;
	return BOB_OK;
}

/* --- descriptions --- */

static int is_bytes(uint32_t type)
{
	return type == BOB_COLUMN_BYTES || type == BOB_COLUMN_TEXT;
}

/* Its length is in data.len; where it is follows when all are known. */
static bob_status get_column(struct input *in, int has_names, struct bob_column_said *c)
{
	uint64_t how, target = 0, len;

	memset(c, 0, sizeof(*c));
	if (get(in, &how) != BOB_OK || how > UINT32_MAX)
		return BOB_ERR_CORRUPT;
	c->type = (uint32_t)how % 8;
	c->coding = (uint32_t)how / 8;
	if ((c->type == BOB_COLUMN_COUNT || c->type == BOB_COLUMN_REFERENCE) &&
	    (get(in, &target) != BOB_OK || target > UINT32_MAX))
		return BOB_ERR_CORRUPT;
	c->target = (uint32_t)target;
	if (has_names && get_span(in, &c->name) != BOB_OK)
		return BOB_ERR_CORRUPT;
	if (get(in, &len) != BOB_OK || len > SIZE_MAX)
		return BOB_ERR_CORRUPT;
	c->data.len = (size_t)len;
	return BOB_OK;
}

bob_status bob_table_next(const uint8_t **at, const uint8_t *end, struct bob_table_said *out)
{
	struct input in = { *at, end };
	uint64_t number, columns;

	if (in.at == end)
		return BOB_END;
	if (get(&in, &number) != BOB_OK || number > UINT32_MAX || get(&in, &out->rows) != BOB_OK ||
	    get(&in, &columns) != BOB_OK || columns / 2 > BOB_COLUMNS_MAX)
		return BOB_ERR_CORRUPT;
	out->number = (uint32_t)number;
	out->columns = (uint32_t)columns / 2;
	out->name = (struct bob_cell_bytes){ in.at, 0 };
	if (columns % 2 && get_span(&in, &out->name) != BOB_OK)
		return BOB_ERR_CORRUPT;
	for (uint32_t i = 0; i < out->columns; i++)
		if (get_column(&in, (int)(columns % 2), &out->column[i]) != BOB_OK)
			return BOB_ERR_CORRUPT;
	for (uint32_t i = 0; i < out->columns; i++) {
		if (out->column[i].data.len > (size_t)(in.end - in.at))
			return BOB_ERR_CORRUPT;
		out->column[i].data.at = in.at;
		in.at += out->column[i].data.len;
	}
	if (out->rows > (size_t)(in.at - *at)) /* so memory is in proportion to the file */
		return BOB_ERR_CORRUPT;
	*at = in.at;
	return BOB_OK;
}

/* --- values --- */

struct filling {
	const struct bob_column *c;
	uint8_t *rows;
	size_t row_bytes, count;
};

/* BOB_ERR_CORRUPT: the field cannot have it. */
static bob_status set_number(const struct filling *f, size_t i, uint64_t v)
{
	uint8_t *to = f->rows + i * f->row_bytes + f->c->at;
	const int is_reference = f->c->type == BOB_COLUMN_REFERENCE;
	const int is_none = is_reference && !v;
	uint32_t half;

	v -= (uint64_t)is_reference;
	half = (uint32_t)v;
	if (f->c->width == sizeof(v)) {
		memcpy(to, &v, sizeof(v));
		return BOB_OK;
	}
	if (f->c->type == BOB_COLUMN_SIGNED ? (uint64_t)(int32_t)half != v :
					      !is_none && v > UINT32_MAX)
		return BOB_ERR_CORRUPT;
	memcpy(to, &half, sizeof(half));
	return BOB_OK;
}

static uint64_t of_plain(const struct filling *f, uint64_t v)
{
	return f->c->type == BOB_COLUMN_SIGNED ? (uint64_t)bob_unzigzag(v) : v;
}

static bob_status get_wide(struct input *in, uint64_t *v)
{
	if ((size_t)(in->end - in->at) < sizeof(*v))
		return BOB_ERR_CORRUPT;
	memcpy(v, in->at, sizeof(*v));
	in->at += sizeof(*v);
	return BOB_OK;
}

static bob_status read_numbers(struct input *in, const struct filling *f, uint32_t coding)
{
	uint64_t v = 0, more = 0;
	bob_status st = BOB_OK;

	for (size_t i = 0; i < f->count && st == BOB_OK; i++) {
		uint64_t x = 0;

		if (coding == BOB_CODING_WIDE) {
			st = get_wide(in, &v);
		} else if (more) {
			more--;
		} else if (coding != BOB_CODING_ZERO) {
			st = get(in, &x);
			v = coding == BOB_CODING_DELTA ? v + (uint64_t)bob_unzigzag(x) :
							 of_plain(f, x);
			if (st == BOB_OK && coding == BOB_CODING_RUNS)
				st = get(in, &more);
		}
		if (st == BOB_OK)
			st = set_number(f, i, v);
	}
	return st == BOB_OK && more ? BOB_ERR_CORRUPT : st;
}

static bob_status read_spans(struct input *in, const struct filling *f, uint32_t coding)
{
	bob_status st = BOB_OK;

	for (size_t i = 0; i < f->count && st == BOB_OK; i++) {
		uint8_t *to = f->rows + i * f->row_bytes + f->c->at;
		struct bob_cell_bytes s = { in->at, 0 };
		uint64_t back = 0;

		if (coding == BOB_CODING_BACK)
			st = get(in, &back);
		if (st == BOB_OK && back > i)
			st = BOB_ERR_CORRUPT;
		if (st == BOB_OK && back)
			memcpy(&s, to - back * f->row_bytes, sizeof(s));
		else if (st == BOB_OK && coding != BOB_CODING_ZERO)
			st = get_span(in, &s);
		memcpy(to, &s, sizeof(s));
	}
	return st;
}

static int is_coding(uint32_t type, uint32_t coding)
{
	if (is_bytes(type))
		return coding == BOB_CODING_ZERO || coding == BOB_CODING_PLAIN ||
		       coding == BOB_CODING_BACK;
	return coding <= BOB_CODING_WIDE;
}

static bob_status read_column(const struct bob_column_said *said, const struct filling *f)
{
	struct input in = { said->data.at, said->data.at + said->data.len };
	bob_status st;

	if (said->type != f->c->type || !is_coding(said->type, said->coding))
		return BOB_ERR_VERSION;
	st = is_bytes(said->type) ? read_spans(&in, f, said->coding) :
				    read_numbers(&in, f, said->coding);
	return st == BOB_OK && in.at != in.end ? BOB_ERR_CORRUPT : st;
}

/* --- rows --- */

/* A column that was not written: 0, of references none. */
static bob_status fill_absent(const struct filling *f)
{
	const struct bob_column_said none = { .type = f->c->type, .data = { f->rows, 0 } };

	return read_column(&none, f);
}

static bob_status read_rows(const struct bob_table_said *said, const struct bob_table *t,
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

bob_status bob_table_read(const uint8_t *bytes, size_t len, const struct bob_table *t, void **rows,
			  size_t *count)
{
	const uint8_t *at = bytes, *end = len ? bytes + len : bytes;
	struct bob_table_said said;
	bob_status st = BOB_OK;
	void *found = NULL;

	while (st == BOB_OK && (st = bob_table_next(&at, end, &said)) == BOB_OK)
		if (!found && said.number == t->number)
			st = read_rows(&said, t, &found, count);
	if (st == BOB_END && found) {
		*rows = found;
		return BOB_OK;
	}
	free(found);
	return st == BOB_END ? BOB_NONE : st;
}
