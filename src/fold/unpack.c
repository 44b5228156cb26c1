/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes a folded trace from its bytes (pack.c). The bytes are not trusted. */
#include <string.h>

#include "base/varint.h"
#include "fold/folded.h"
#include "fold/series.h"
#include "fold/signatures.h"

#define MEMBERS_MAX (1u << 28) /* of all sets together */

struct unpacking {
	const uint8_t *at, *end;
	const uint8_t *apart, *apart_end; /* profiles in separate bytes */
	const struct bob_fold_tree *tree; /* NULL: paths are included */
	struct bob_folded *f;
	struct bob_alloc alloc;
	uint32_t *item;			/* items of a loop */
	uint32_t item_capacity;
	struct bob_lister list;
	uint64_t least;			/* lower bound of the next member of a set */
};

/* Reads a number up to `most`. */
static bob_status get(struct unpacking *u, uint64_t most, uint32_t *v)
{
	uint64_t x;

	if (bob_varint_get(&u->at, u->end, &x) || x > most)
		return BOB_ERR_CORRUPT;
	*v = (uint32_t)x;
	return BOB_OK;
}

/* Reads a count of objects that take at least a byte each. */
static bob_status get_count(struct unpacking *u, uint32_t *n)
{
	size_t left = (size_t)(u->end - u->at);

	return get(u, left < UINT32_MAX ? left : UINT32_MAX, n);
}

static bob_status get_paths(struct unpacking *u)
{
	uint64_t place = 0, step;
	uint32_t n, parent, number;
	bob_status st = get_count(u, &n);

	for (uint32_t i = 1; i <= n && st == BOB_OK; i++) {
		st = get(u, UINT32_MAX, &parent);
		if (st == BOB_OK)
			st = bob_varint_get(&u->at, u->end, &step);
		if (st != BOB_OK)
			break;
		place += (uint64_t)bob_unzigzag(step);
		st = bob_tables_path(&u->f->tables, parent, place, &number);
		if (st == BOB_OK && number != i) /* duplicate */
			st = BOB_ERR_CORRUPT;
	}
	return st;
}

static bob_status get_shape(struct unpacking *u, uint32_t i)
{
	uint32_t path, words, len, number;
	bob_status st = get(u, UINT32_MAX, &path);

	if (st == BOB_OK)
		st = get(u, BOB_FOLD_WORDS_MAX, &words);
	if (st == BOB_OK)
		st = get(u, BOB_FOLD_KEY_MAX, &len);
	if (st != BOB_OK || len > (size_t)(u->end - u->at))
		return BOB_ERR_CORRUPT;
	st = bob_tables_shape(&u->f->tables, path, words, u->at, len, &number);
	u->at += len;
	return st == BOB_OK && number != i ? BOB_ERR_CORRUPT : st;
}

static bob_status get_loop(struct unpacking *u, uint32_t i)
{
	uint32_t n, number;
	bob_status st = get_count(u, &n);

	if (st == BOB_OK &&
	    !bob_array_grow(&u->alloc, &u->item, &u->item_capacity, 0, n, sizeof(*u->item)))
		return BOB_ERR_NOMEM;
	for (uint32_t k = 0; k < n && st == BOB_OK; k++)
		st = get(u, UINT32_MAX, &u->item[k]);
	if (st == BOB_OK)
		st = bob_tables_loop(&u->f->tables, u->item, n, &number);
	return st == BOB_OK && number != i ? BOB_ERR_CORRUPT : st;
}

static bob_status get_tables(struct unpacking *u)
{
	uint32_t n;
	bob_status st = u->tree ? bob_tree_get_paths(u->tree, &u->at, u->end, &u->f->tables) :
				  get_paths(u);

	if (st == BOB_OK)
		st = get_count(u, &n);
	for (uint32_t i = 0; st == BOB_OK && i < n; i++)
		st = get_shape(u, i);
	if (st == BOB_OK)
		st = get_count(u, &n);
	for (uint32_t i = 0; st == BOB_OK && i < n; i++)
		st = get_loop(u, i);
	return st != BOB_OK ? st : bob_folded_add_columns(u->f);
}

typedef bob_status (*take_fn)(struct unpacking *u, uint64_t v);

/* Reads a series of `n` numbers. */
static bob_status get_numbers(struct unpacking *u, uint32_t n, take_fn take)
{
	struct bob_series_reader r;
	uint64_t v = 0;
	bob_status st;

	if (!n) /* an empty series has no pieces */
		return bob_varint_get(&u->at, u->end, &v) == BOB_OK && !v ? BOB_OK :
									    BOB_ERR_CORRUPT;
	st = bob_series_open(&r, &u->alloc, u->at, u->end);
	for (uint32_t i = 0; i < n && st == BOB_OK; i++) {
		st = bob_series_next(&r, &v);
		if (st == BOB_OK)
			st = take(u, v);
	}
	if (st == BOB_OK) {
		st = bob_series_next(&r, &v);
		st = st == BOB_END ? BOB_OK : st == BOB_OK ? BOB_ERR_CORRUPT : st;
	} else if (st == BOB_END) {
		st = BOB_ERR_CORRUPT;
	}
	u->at = r.at;
	bob_series_close(&r);
	return st;
}

static bob_status take_number(struct unpacking *u, uint64_t v)
{
	bob_lister_put(&u->list, v);
	return BOB_OK;
}

static bob_status take_small(struct unpacking *u, uint64_t v)
{
	return v <= UINT32_MAX ? take_number(u, v) : BOB_ERR_CORRUPT;
}

static bob_status get_list_of(struct unpacking *u, uint32_t n, take_fn take, struct bob_list *out)
{
	bob_status st = get_numbers(u, n, take);

	return st == BOB_OK ? bob_lister_end(&u->list, &u->f->tables.blocks, out) : st;
}

static bob_status get_parts(struct unpacking *u)
{
	struct bob_folded *f = u->f;
	bob_status st = get(u, BOB_PARTS_MAX, &f->part_count);

	if (st == BOB_OK)
		st = get_list_of(u, f->part_count, take_number, &f->id);
	if (st == BOB_OK)
		st = get_list_of(u, f->part_count, take_small, &f->segment);
	if (st == BOB_OK)
		st = get_list_of(u, f->part_count, take_number, &f->events);
	if (st == BOB_OK)
		st = bob_folded_end_parts(f);
	return st == BOB_ERR_INVAL ? BOB_ERR_CORRUPT : st;
}

/* Members must ascend. */
static bob_status take_member(struct unpacking *u, uint64_t v)
{
	if (v < u->least || v >= u->f->part_count)
		return BOB_ERR_CORRUPT;
	u->least = v + 1;
	return bob_folded_add_member(u->f, (uint32_t)v);
}

static bob_status get_set(struct unpacking *u, uint32_t *members)
{
	uint32_t n, number;
	bob_status st = get(u, u->f->part_count, &n);

	if (st == BOB_OK && (!n || n > MEMBERS_MAX - *members))
		st = BOB_ERR_CORRUPT;
	u->least = 0;
	if (st == BOB_OK)
		st = get_numbers(u, n, take_member);
	if (st != BOB_OK)
		return st;
	*members += n;
	return bob_folded_end_set(u->f, &number);
}

static bob_status get_bytes_at(struct unpacking *u, const uint8_t **at, const uint8_t *end,
			       struct bob_fold_bytes *bytes)
{
	uint64_t len;
	uint8_t *copy;

	if (bob_varint_get(at, end, &len) || len > (size_t)(end - *at) || len > UINT32_MAX)
		return BOB_ERR_CORRUPT;
	copy = bob_blocks_get(&u->f->tables.blocks, len);
	if (!copy)
		return BOB_ERR_NOMEM;
	memcpy(copy, *at, len);
	*at += len;
	*bytes = (struct bob_fold_bytes){ copy, (size_t)len };
	return BOB_OK;
}

static bob_status get_bytes(struct unpacking *u, struct bob_fold_bytes *bytes)
{
	return get_bytes_at(u, &u->at, u->end, bytes);
}

/* Reads the number of a set and the bytes shared by it. */
static bob_status get_shared(struct unpacking *u, uint32_t *set, struct bob_fold_bytes *bytes)
{
	bob_status st = get(u, UINT32_MAX, set);

	if (st != BOB_OK || *set >= u->f->set_count)
		return BOB_ERR_CORRUPT;
	return get_bytes(u, bytes);
}

static bob_status get_profile(struct unpacking *u, struct bob_fold_profile *p, uint32_t number)
{
	bob_status st = get(u, UINT32_MAX, &p->set);

	if (st == BOB_OK)
		st = get(u, number, &p->base);
	if (st != BOB_OK || p->set >= u->f->set_count ||
	    (p->base && u->f->profile[p->base - 1].base))
		return BOB_ERR_CORRUPT;
	st = get_bytes(u, &p->series);
	if (st == BOB_OK && !p->series.len)
		st = get_bytes_at(u, &u->apart, u->apart_end, &p->series);
	return st;
}

static bob_status get_profiles(struct unpacking *u)
{
	uint32_t n;
	bob_status st = get_count(u, &n);

	for (uint32_t i = 0; i < n && st == BOB_OK; i++) {
		struct bob_fold_profile p = { .set = UINT32_MAX };

		st = get_profile(u, &p, i);
		if (st == BOB_OK)
			st = bob_folded_add_profile(u->f, &p);
	}
	return st;
}

/* Each sharing is linked to the next one after that was read. */
static bob_status get_list(struct unpacking *u, uint32_t *list)
{
	uint32_t n, before = u->f->sharing_count;
	bob_status st = get_count(u, &n);

	for (uint32_t i = 0; i < n && st == BOB_OK; i++) {
		struct bob_fold_bytes bytes;
		uint32_t set, alone = 0;

		st = get_shared(u, &set, &bytes);
		if (st == BOB_OK)
			st = bob_folded_share(u->f, &alone, bytes, set);
	}
	for (uint32_t i = before; st == BOB_OK && i + 1 < u->f->sharing_count; i++)
		u->f->sharing[i].next = i + 2;
	if (st == BOB_OK && n)
		*list = before + 1;
	return st;
}

/* Reads the single sharing of a column, of set 0. */
static bob_status get_plain(struct unpacking *u, uint32_t *list)
{
	struct bob_fold_bytes bytes;
	bob_status st = u->f->set_count ? get_bytes(u, &bytes) : BOB_ERR_CORRUPT;

	return st != BOB_OK ? st : bob_folded_share(u->f, list, bytes, 0);
}

static bob_status get_columns(struct unpacking *u)
{
	uint32_t number = 0, step;

	for (;;) {
		uint64_t most = (uint64_t)(u->f->column_count - number) * 2 + 1;
		bob_status st = get(u, most < UINT32_MAX ? most : UINT32_MAX, &step);

		if (st != BOB_OK || !step)
			return st;
		number += step / 2;
		if (step == 1) /* duplicate column */
			return BOB_ERR_CORRUPT;
		st = step & 1 ? get_plain(u, &u->f->column[number - 1]) :
				get_list(u, &u->f->column[number - 1]);
		if (st != BOB_OK)
			return st;
	}
}

static bob_status unpack(struct unpacking *u)
{
	uint32_t version, n = 0, members = 0;
	bob_status st = get(u, UINT32_MAX, &version);

	if (st == BOB_OK && version != (u->tree ? BOB_PACK_UNDER : BOB_PACK_VERSION))
		st = BOB_ERR_VERSION;
	if (st == BOB_OK)
		st = get_tables(u);
	if (st == BOB_OK)
		st = get_parts(u);
	if (st == BOB_OK)
		st = get_count(u, &n);
	for (uint32_t i = 0; i < n && st == BOB_OK; i++)
		st = get_set(u, &members);
	if (st == BOB_OK)
		st = get_profiles(u);
	if (st == BOB_OK)
		st = get_list(u, &u->f->spines);
	if (st == BOB_OK)
		st = get_list(u, &u->f->values);
	if (st == BOB_OK)
		st = get_columns(u);
	return st == BOB_OK && (u->at != u->end || u->apart != u->apart_end) ? BOB_ERR_CORRUPT : st;
}

static bob_status unpack_all(struct unpacking *u, const struct bob_alloc *alloc,
			     struct bob_folded **out)
{
	bob_status st = bob_folded_init(alloc, &u->f);

	if (st != BOB_OK)
		return st;
	u->alloc = u->list.alloc = *alloc;
	st = unpack(u);
	bob_folded_end_making(u->f);
	bob_array_free(alloc, u->item, u->item_capacity, sizeof(*u->item));
	bob_lister_free(&u->list);
	if (st != BOB_OK) {
		bob_folded_close(u->f);
		return st;
	}
	*out = u->f;
	return BOB_OK;
}

bob_status bob_folded_unpack(const void *bytes, size_t len, const struct bob_alloc *alloc,
			     struct bob_folded **out)
{
	return bob_folded_unpack_apart(bytes, len, bytes, 0, alloc, out);
}

bob_status bob_folded_unpack_apart(const void *bytes, size_t len, const void *apart,
				   size_t apart_len, const struct bob_alloc *alloc,
				   struct bob_folded **out)
{
	struct unpacking u = { .at = bytes, .end = (const uint8_t *)bytes + len, .apart = apart,
			       .apart_end = (const uint8_t *)apart + apart_len };

	return unpack_all(&u, alloc, out);
}

bob_status bob_folded_unpack_under(const void *bytes, size_t len, const struct bob_fold_tree *tree,
				   const struct bob_alloc *alloc, struct bob_folded **out)
{
	struct unpacking u = { .at = bytes, .end = (const uint8_t *)bytes + len, .apart = bytes,
			       .apart_end = bytes, .tree = tree };

	return unpack_all(&u, alloc, out);
}
