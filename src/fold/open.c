/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a folded trace from the entries of one folder. Entries are read twice: first the names and
 * the size of each column, then the bytes. */
#include <string.h>

#include "base/varint.h"
#include "fold/entries.h"
#include "fold/folded.h"

struct entry {
	uint8_t kind;
	const uint8_t *at, *end;
};

struct column {			/* of the current part */
	size_t len;
	uint8_t *to;		/* destination of its next bytes */
	int in_line;		/* it has trip counts */
};

/* State while one part is read. */
struct reading {
	struct bob_folded *folded;
	struct bob_alloc alloc;
	struct bob_fold_maps maps;
	struct column *column;
	uint32_t *item;			/* items of a loop */
	uint32_t column_count, column_capacity, item_capacity;
	uint64_t place;
	struct bob_fold_bytes spine, items, values;
	uint64_t events;
	uint8_t *raw;			/* buffer for all columns */
	uint32_t raw_capacity;
	struct bob_content content;
	struct bob_buffer out;
};

static bob_status get_entry(const uint8_t **at, const uint8_t *end, struct entry *e)
{
	uint64_t len;

	if (*at == end)
		return BOB_ERR_CORRUPT;
	e->kind = *(*at)++;
	if (bob_varint_get(at, end, &len) || len > (uint64_t)(end - *at))
		return BOB_ERR_CORRUPT;
	e->at = *at;
	e->end = *at += len;
	return BOB_OK;
}

/* --- names --- */

static bob_status read_path(struct reading *r, struct entry *e)
{
	uint64_t parent, step;

	if (bob_varint_get(&e->at, e->end, &parent) || bob_varint_get(&e->at, e->end, &step) ||
	    e->at != e->end || parent > UINT32_MAX)
		return BOB_ERR_CORRUPT;
	r->place += (uint64_t)bob_unzigzag(step);
	return bob_maps_path(&r->maps, &r->folded->tables, (uint32_t)parent, r->place);
}

static bob_status add_columns(struct reading *r, uint64_t n, int in_line)
{
	if (!bob_array_grow(&r->alloc, &r->column, &r->column_capacity, r->column_count, n,
			    sizeof(*r->column)))
		return BOB_ERR_NOMEM;
	while (n--)
		r->column[r->column_count++] = (struct column){ .in_line = in_line };
	return BOB_OK;
}

static bob_status read_shape(struct reading *r, struct entry *e)
{
	uint64_t path, words;
	bob_status st;

	if (bob_varint_get(&e->at, e->end, &path) || bob_varint_get(&e->at, e->end, &words) ||
	    path > UINT32_MAX || words > BOB_FOLD_WORDS_MAX ||
	    e->end - e->at > (ptrdiff_t)BOB_FOLD_KEY_MAX)
		return BOB_ERR_CORRUPT;
	st = bob_maps_shape(&r->maps, &r->folded->tables, (uint32_t)path, (uint32_t)words, e->at,
			    (uint32_t)(e->end - e->at));
	return st != BOB_OK ? st : add_columns(r, words, 0);
}

static bob_status read_loop(struct reading *r, struct entry *e)
{
	uint32_t len = 0;
	uint64_t item;
	bob_status st;

	while (e->at != e->end) {
		if (bob_varint_get(&e->at, e->end, &item) || item > UINT32_MAX)
			return BOB_ERR_CORRUPT;
		if (!bob_array_grow(&r->alloc, &r->item, &r->item_capacity, len, 1,
				    sizeof(*r->item)))
			return BOB_ERR_NOMEM;
		r->item[len++] = (uint32_t)item;
	}
	st = bob_maps_loop(&r->maps, &r->folded->tables, r->item, len);
	return st != BOB_OK ? st : add_columns(r, 1, 1);
}

static bob_status read_entry(struct reading *r, struct entry *e)
{
	uint64_t number;

	switch (e->kind) {
	case BOB_FOLD_PATH:
		return read_path(r, e);
	case BOB_FOLD_SHAPE:
		return read_shape(r, e);
	case BOB_FOLD_LOOP:
		return read_loop(r, e);
	case BOB_FOLD_COLUMN:
		if (bob_varint_get(&e->at, e->end, &number) || number >= r->column_count)
			return BOB_ERR_CORRUPT;
		r->column[number].len += (size_t)(e->end - e->at);
		return BOB_OK;
	case BOB_FOLD_SPINE:
		r->spine.len += (size_t)(e->end - e->at);
		return BOB_OK;
	case BOB_FOLD_ITEMS:
		r->items.len += (size_t)(e->end - e->at);
		return BOB_OK;
	case BOB_FOLD_VALUES:
		r->values.len += (size_t)(e->end - e->at);
		return BOB_OK;
	case BOB_FOLD_END:
		return bob_varint_get(&e->at, e->end, &r->events) || e->at != e->end ?
			       BOB_ERR_CORRUPT :
			       BOB_OK;
	default:
		return BOB_ERR_CORRUPT;
	}
}

static bob_status read_names(struct reading *r, const uint8_t **at, const uint8_t *end)
{
	struct entry e;
	bob_status st;

	do {
		st = get_entry(at, end, &e);
		if (st == BOB_OK)
			st = read_entry(r, &e);
	} while (st == BOB_OK && e.kind != BOB_FOLD_END);
	return st;
}

/* --- bytes --- */

static void append(uint8_t **to, const struct entry *e)
{
	size_t len = (size_t)(e->end - e->at);

	if (len)
		memcpy(*to, e->at, len);
	*to += len;
}

/* Collects the entries of each column, of the spine and of the values. */
static bob_status collect(struct reading *r, const uint8_t *at, const uint8_t *end)
{
	uint8_t *spine, *items, *values;
	struct entry e;

	if (!bob_array_grow(&r->alloc, &r->raw, &r->raw_capacity, 0, (size_t)(end - at) + 1, 1))
		return BOB_ERR_NOMEM;
	spine = r->raw;
	items = spine + r->spine.len;
	values = items + r->items.len;
	r->spine.at = spine;
	r->items.at = items;
	r->values.at = values;
	uint8_t *next = values + r->values.len;
	for (uint32_t i = 0; i < r->column_count; i++) {
		r->column[i].to = next;
		next += r->column[i].len;
	}
	while (at != end && get_entry(&at, end, &e) == BOB_OK) {
		uint64_t number;

		if (e.kind == BOB_FOLD_SPINE)
			append(&spine, &e);
		else if (e.kind == BOB_FOLD_ITEMS)
			append(&items, &e);
		else if (e.kind == BOB_FOLD_VALUES)
			append(&values, &e);
		else if (e.kind == BOB_FOLD_COLUMN && !bob_varint_get(&e.at, e.end, &number))
			append(&r->column[number].to, &e);
	}
	return BOB_OK;
}

static bob_status keep(struct reading *r, uint32_t *list, uint32_t set)
{
	struct bob_fold_bytes bytes;
	bob_status st = bob_buffer_keep(&r->out, &r->folded->tables.blocks, &bytes);

	r->out.len = 0;
	return st != BOB_OK ? st : bob_folded_share(r->folded, list, bytes, set);
}

static bob_status keep_column(struct reading *r, uint32_t i, uint32_t set)
{
	struct bob_folded *f = r->folded;
	const struct column *c = &r->column[i];
	struct bob_fold_bytes bytes = { c->to - c->len, c->len };
	uint32_t *list = &f->column[r->maps.column[i]], place;
	bob_status st;

	if (!c->len)
		return BOB_OK;
	/* corrupt: no folder writes two columns of a part that map to one */
	if (bob_folded_find(f, *list, f->part_count - 1, &place))
		return BOB_ERR_CORRUPT;
	st = bob_content_read(&r->content, &bytes, c->in_line);
	if (st == BOB_OK)
		st = bob_content_fold(&r->content, BOB_PATTERN_MAX);
	if (st == BOB_OK)
		st = bob_content_plain(&r->content);
	if (st == BOB_OK)
		st = bob_group_put_alone(&r->out, &r->content);
	return st != BOB_OK ? st : keep(r, list, set);
}

static bob_status keep_all(struct reading *r, uint32_t set)
{
	struct bob_folded *f = r->folded;
	bob_status st = bob_spine_recode(&r->maps, &r->spine, &r->items, &r->out);

	if (st == BOB_OK)
		st = keep(r, &f->spines, set);
	if (st == BOB_OK && r->values.len) {
		bob_buffer_put(&r->out, r->values.at, r->values.len);
		st = keep(r, &f->values, set);
	}
	for (uint32_t i = 0; i < r->column_count && st == BOB_OK; i++)
		st = keep_column(r, i, set);
	return st;
}

static bob_status make_part(struct reading *r, uint64_t id, uint32_t segment)
{
	struct bob_folded *f = r->folded;
	uint32_t set;
	bob_status st = bob_folded_add_part(f, id, segment, r->events);

	if (st == BOB_OK)
		st = bob_folded_add_member(f, f->part_count - 1);
	if (st == BOB_OK)
		st = bob_folded_end_set(f, &set);
	if (st == BOB_OK)
		st = bob_folded_add_columns(f);
	return st != BOB_OK ? st : keep_all(r, set);
}

static bob_status read_part(struct bob_folded *f, const uint8_t **at, const uint8_t *end,
			    uint64_t id, uint32_t segment)
{
	struct bob_alloc a = f->tables.blocks.alloc;
	struct reading r = { .folded = f, .alloc = a, .maps.alloc = a, .out.alloc = a };
	const uint8_t *begin = *at;
	bob_status st;

	r.content.structure.alloc = a;
	st = read_names(&r, at, end);
	if (st == BOB_OK)
		st = collect(&r, begin, *at);
	if (st == BOB_OK)
		st = make_part(&r, id, segment);
	bob_array_free(&a, r.column, r.column_capacity, sizeof(*r.column));
	bob_array_free(&a, r.item, r.item_capacity, sizeof(*r.item));
	bob_array_free(&a, r.raw, r.raw_capacity, 1);
	bob_content_free(&r.content);
	bob_buffer_free(&r.out);
	bob_maps_free(&r.maps);
	return st;
}

bob_status bob_folded_open(const void *bytes, size_t len, uint64_t id,
			   const struct bob_alloc *alloc, struct bob_folded **out)
{
	const uint8_t *at = bytes, *end = at + len;
	struct bob_folded *f;
	bob_status st = bob_folded_init(alloc, &f);

	if (st != BOB_OK)
		return st;
	for (uint32_t segment = 0; st == BOB_OK && at != end; segment++)
		st = read_part(f, &at, end, id, segment);
	if (st == BOB_OK)
		st = bob_folded_end_parts(f);
	bob_folded_end_making(f);
	f->has_own_groups = 1;
	if (st != BOB_OK) {
		bob_folded_close(f);
		return st;
	}
	*out = f;
	return BOB_OK;
}
