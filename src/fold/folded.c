/* SPDX-License-Identifier: BSD-3-Clause */
/* A folded trace, and how one is made from the entries of a folder. Entries are read twice: first what
 * they name and how many bytes each column has, then the bytes. */
#include "fold/folded.h"

#include <string.h>

#include "base/varint.h"
#include "fold/entries.h"

bob_status bob_folded_init(const struct bob_alloc *alloc, struct bob_folded **out)
{
	struct bob_folded *f = alloc->resize(alloc->ctx, NULL, 0, sizeof(*f));
	bob_status st;

	if (!f)
		return BOB_ERR_NOMEM;
	memset(f, 0, sizeof(*f));
	st = bob_tables_init(&f->tables, alloc);
	if (st != BOB_OK) {
		bob_folded_close(f);
		return st;
	}
	*out = f;
	return BOB_OK;
}

void bob_folded_close(struct bob_folded *f)
{
	struct bob_alloc a;

	if (!f)
		return;
	a = f->tables.blocks.alloc;
	bob_array_free(&a, f->part, f->part_room, sizeof(*f->part));
	bob_array_free(&a, f->first, f->first_room, sizeof(*f->first));
	bob_tables_free(&f->tables);
	a.resize(a.ctx, f, sizeof(*f), 0);
}

struct bob_fold_part *bob_folded_add(struct bob_folded *f)
{
	const struct bob_alloc *a = &f->tables.blocks.alloc;

	if (!bob_array_grow(a, &f->part, &f->part_room, f->part_count, 1, sizeof(*f->part)))
		return NULL;
	memset(&f->part[f->part_count], 0, sizeof(*f->part));
	return &f->part[f->part_count++];
}

static int goes_before(const struct bob_fold_part *a, const struct bob_fold_part *b)
{
	return a->id != b->id ? a->id < b->id : a->segment < b->segment;
}

bob_status bob_folded_complete(struct bob_folded *f)
{
	const struct bob_alloc *a = &f->tables.blocks.alloc;

	for (uint32_t i = 1; i < f->part_count; i++)
		if (!goes_before(&f->part[i - 1], &f->part[i]))
			return BOB_ERR_INVAL;
	for (uint32_t i = 0; i < f->part_count; i++) {
		if (i && f->part[i].id == f->part[i - 1].id)
			continue;
		if (!bob_array_grow(a, &f->first, &f->first_room, f->first_count, 1,
				    sizeof(*f->first)))
			return BOB_ERR_NOMEM;
		f->first[f->first_count++] = i;
	}
	return BOB_OK;
}

/* --- entries --- */

struct entry {
	uint8_t kind;
	const uint8_t *at, *end;
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

/* What a part is read into. */
struct reading {
	struct bob_folded *folded;
	struct bob_fold_maps maps;
	size_t *len;		/* of each of the part's columns */
	uint8_t **to;		/* and where its bytes go next */
	uint32_t len_room, to_room;
	uint32_t *item;		/* of a loop */
	uint32_t item_room;
	uint64_t place;
	struct bob_fold_bytes spine, items, values;
	uint64_t events;
};

static bob_status read_path(struct reading *r, struct entry *e)
{
	uint64_t parent, step;

	if (bob_varint_get(&e->at, e->end, &parent) || bob_varint_get(&e->at, e->end, &step) ||
	    e->at != e->end || parent > UINT32_MAX)
		return BOB_ERR_CORRUPT;
	r->place += (uint64_t)bob_unzigzag(step);
	return bob_maps_path(&r->maps, &r->folded->tables, (uint32_t)parent, r->place);
}

static bob_status read_shape(struct reading *r, struct entry *e)
{
	uint64_t path, words;

	if (bob_varint_get(&e->at, e->end, &path) || bob_varint_get(&e->at, e->end, &words) ||
	    path > UINT32_MAX || words > BOB_FOLD_WORDS_MAX ||
	    e->end - e->at > (ptrdiff_t)BOB_FOLD_KEY_MAX)
		return BOB_ERR_CORRUPT;
	return bob_maps_shape(&r->maps, &r->folded->tables, (uint32_t)path, (uint32_t)words, e->at,
			      (uint32_t)(e->end - e->at));
}

static bob_status read_loop(struct reading *r, struct entry *e)
{
	uint32_t len = 0;
	uint64_t item;

	while (e->at != e->end) {
		if (bob_varint_get(&e->at, e->end, &item) || item > UINT32_MAX)
			return BOB_ERR_CORRUPT;
		if (!bob_array_grow(&r->maps.alloc, &r->item, &r->item_room, len, 1,
				    sizeof(*r->item)))
			return BOB_ERR_NOMEM;
		r->item[len++] = (uint32_t)item;
	}
	return bob_maps_loop(&r->maps, &r->folded->tables, r->item, len);
}

static bob_status grow_columns(struct reading *r, uint32_t before)
{
	if (!bob_array_grow(&r->maps.alloc, &r->len, &r->len_room, r->maps.column_count, 0,
			    sizeof(*r->len)))
		return BOB_ERR_NOMEM;
	memset(r->len + before, 0, (r->maps.column_count - before) * sizeof(*r->len));
	return BOB_OK;
}

static bob_status read_entry(struct reading *r, struct entry *e)
{
	uint32_t before = r->maps.column_count;
	uint64_t number;
	bob_status st;

	switch (e->kind) {
	case BOB_FOLD_PATH:
		return read_path(r, e);
	case BOB_FOLD_SHAPE:
		st = read_shape(r, e);
		return st != BOB_OK ? st : grow_columns(r, before);
	case BOB_FOLD_LOOP:
		st = read_loop(r, e);
		return st != BOB_OK ? st : grow_columns(r, before);
	case BOB_FOLD_COLUMN:
		if (bob_varint_get(&e->at, e->end, &number) || number >= before)
			return BOB_ERR_CORRUPT;
		r->len[number] += (size_t)(e->end - e->at);
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

/* --- a part --- */

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

/* Where the bytes of each kind go next. */
struct copying {
	uint8_t *spine, *items, *values;
};

static void append(uint8_t **to, const struct entry *e)
{
	size_t len = (size_t)(e->end - e->at);

	memcpy(*to, e->at, len);
	*to += len;
}

static void copy_bytes(struct reading *r, struct copying to, const uint8_t *at, const uint8_t *end)
{
	struct entry e;

	while (at != end && get_entry(&at, end, &e) == BOB_OK) {
		uint64_t number;

		if (e.kind == BOB_FOLD_SPINE)
			append(&to.spine, &e);
		else if (e.kind == BOB_FOLD_ITEMS)
			append(&to.items, &e);
		else if (e.kind == BOB_FOLD_VALUES)
			append(&to.values, &e);
		else if (e.kind == BOB_FOLD_COLUMN && !bob_varint_get(&e.at, e.end, &number))
			append(&r->to[number], &e);
	}
}

/* Heap sort: in place, and no bytes make it slow. */
static void sift(struct bob_fold_column *c, uint32_t at, uint32_t n)
{
	struct bob_fold_column x = c[at];

	for (uint32_t k = 2 * at + 1; k < n; k = 2 * at + 1) {
		k += k + 1 < n && c[k + 1].number > c[k].number;
		if (c[k].number <= x.number)
			break;
		c[at] = c[k];
		at = k;
	}
	c[at] = x;
}

static void sort_columns(struct bob_fold_column *c, uint32_t n)
{
	for (uint32_t i = n / 2; i-- > 0;)
		sift(c, i, n);
	while (n > 1) {
		struct bob_fold_column last = c[--n];

		c[n] = c[0];
		c[0] = last;
		sift(c, 0, n);
	}
}

/* Two columns of the part are one of the tables: only what no folder writes has that. */
static int has_twins(const struct bob_fold_column *c, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (c[i].number == c[i - 1].number)
			return 1;
	return 0;
}

static bob_status make_columns(struct reading *r, struct bob_fold_part *p)
{
	struct bob_blocks *b = &r->folded->tables.blocks;
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->maps.column_count; i++)
		n += r->len[i] != 0;
	p->column = bob_blocks_get(b, n * sizeof(*p->column));
	if (!p->column || !bob_array_grow(&r->maps.alloc, &r->to, &r->to_room, 0,
					  r->maps.column_count, sizeof(*r->to)))
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < r->maps.column_count; i++) {
		if (!r->len[i])
			continue;
		r->to[i] = bob_blocks_get(b, r->len[i]);
		if (!r->to[i])
			return BOB_ERR_NOMEM;
		p->column[p->column_count].number = r->maps.column[i];
		p->column[p->column_count].bytes.at = r->to[i];
		p->column[p->column_count++].bytes.len = r->len[i];
	}
	sort_columns(p->column, n);
	return has_twins(p->column, n) ? BOB_ERR_CORRUPT : BOB_OK;
}

static bob_status make_part(struct reading *r, struct bob_fold_part *p, const uint8_t *at,
			    const uint8_t *end)
{
	struct bob_blocks *b = &r->folded->tables.blocks;
	struct copying c;
	bob_status st;

	c.spine = bob_blocks_get(b, r->spine.len);
	c.items = bob_blocks_get(b, r->items.len);
	c.values = bob_blocks_get(b, r->values.len);
	if (!c.spine || !c.items || !c.values)
		return BOB_ERR_NOMEM;
	r->spine.at = c.spine;
	r->items.at = c.items;
	r->values.at = c.values;
	st = make_columns(r, p);
	if (st != BOB_OK)
		return st;
	copy_bytes(r, c, at, end);
	p->values = r->values;
	p->events = r->events;
	return bob_spine_recode(&r->maps, &r->spine, &r->items, &r->folded->tables, &p->spine);
}

static bob_status read_part(struct bob_folded *f, const uint8_t **at, const uint8_t *end,
			    uint64_t id, uint32_t segment)
{
	struct reading r = { .folded = f, .maps.alloc = f->tables.blocks.alloc };
	const uint8_t *begin = *at;
	bob_status st = read_names(&r, at, end);

	if (st == BOB_OK) {
		struct bob_fold_part *p = bob_folded_add(f);

		st = BOB_ERR_NOMEM;
		if (p) {
			p->id = id;
			p->segment = segment;
			st = make_part(&r, p, begin, *at);
		}
	}
	bob_array_free(&r.maps.alloc, r.len, r.len_room, sizeof(*r.len));
	bob_array_free(&r.maps.alloc, r.to, r.to_room, sizeof(*r.to));
	bob_array_free(&r.maps.alloc, r.item, r.item_room, sizeof(*r.item));
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
		st = bob_folded_complete(f);
	if (st != BOB_OK) {
		bob_folded_close(f);
		return st;
	}
	*out = f;
	return BOB_OK;
}

/* --- questions --- */

uint32_t bob_folded_count(const struct bob_folded *f)
{
	return f->first_count;
}

uint64_t bob_folded_id(const struct bob_folded *f, uint32_t participant)
{
	return f->part[f->first[participant]].id;
}

uint64_t bob_folded_events(const struct bob_folded *f, uint32_t participant)
{
	uint64_t id = bob_folded_id(f, participant), events = 0;

	for (uint32_t i = f->first[participant]; i < f->part_count && f->part[i].id == id; i++)
		events += f->part[i].events;
	return events;
}

uint32_t bob_folded_shapes(const struct bob_folded *f)
{
	return f->tables.shape_count;
}

void bob_folded_shape(const struct bob_folded *f, uint32_t shape, struct bob_fold_shape *out)
{
	const struct bob_table_shape *s = &f->tables.shape[shape];

	*out = (struct bob_fold_shape){ s->key, s->key_len, s->path, s->words };
}

int bob_folded_path(const struct bob_folded *f, uint32_t path, uint32_t *parent, uint64_t *place)
{
	if (!path || path >= f->tables.path_count)
		return 0;
	*parent = f->tables.path[path].parent;
	*place = f->tables.path[path].place;
	return 1;
}
