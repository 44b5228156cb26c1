/* SPDX-License-Identifier: BSD-3-Clause */
/* A folded trace as bytes, and back.
 *
 *     packed:   version (1 byte)
 *               varint paths, per path: parent, zigzag (place - place of the path before)
 *               varint shapes, per shape: path, words, bytes of the key, key
 *               varint loops, per loop: items, item ...
 *               varint parts; series of ids, of segments, of events
 *               varint sets, per set: members, series of them
 *               varint profiles, per profile: set, bytes, series (group.h)
 *               list of spines, list of values
 *               per column that has any: 2 * (number - number of the one before), list; or, + 1, just the bytes of the one
 *               sharing that there is, of set 0; at the end a 0 byte
 *     list:     varint sharings, per sharing: set, bytes, the bytes
 *
 * Columns are counted from 1 here. Series and groups: group.h. Integers are varints. */
#include <string.h>

#include "base/varint.h"
#include "fold/folded.h"

#define VERSION 1u
#define MEMBERS_MAX (1u << 24) /* of all sets together */

/* --- writing --- */

static void put_paths(struct bob_buffer *b, const struct bob_tables *t)
{
	uint64_t before = 0;

	bob_buffer_varint(b, t->path_count - 1);
	for (uint32_t i = 1; i < t->path_count; i++) {
		bob_buffer_varint(b, t->path[i].parent);
		bob_buffer_signed(b, t->path[i].place - before);
		before = t->path[i].place;
	}
}

static void put_tables(struct bob_buffer *b, const struct bob_tables *t)
{
	put_paths(b, t);
	bob_buffer_varint(b, t->shape_count);
	for (uint32_t i = 0; i < t->shape_count; i++) {
		bob_buffer_varint(b, t->shape[i].path);
		bob_buffer_varint(b, t->shape[i].words);
		bob_buffer_varint(b, t->shape[i].key_len);
		bob_buffer_put(b, t->shape[i].key, t->shape[i].key_len);
	}
	bob_buffer_varint(b, t->loop_count);
	for (uint32_t i = 0; i < t->loop_count; i++) {
		bob_buffer_varint(b, t->loop[i].len);
		for (uint32_t k = 0; k < t->loop[i].len; k++)
			bob_buffer_varint(b, t->loop[i].item[k]);
	}
}

static uint64_t *numbers(const struct bob_buffer *b, uint32_t n)
{
	return b->alloc.resize(b->alloc.ctx, NULL, 0, ((size_t)n + 1) * sizeof(uint64_t));
}

static void free_numbers(const struct bob_buffer *b, uint64_t *v, uint32_t n)
{
	b->alloc.resize(b->alloc.ctx, v, ((size_t)n + 1) * sizeof(uint64_t), 0);
}

static void put_parts(struct bob_buffer *b, const struct bob_folded *f)
{
	uint32_t n = f->part_count;
	uint64_t *v = numbers(b, n);

	if (!v) {
		b->failed = 1;
		return;
	}
	bob_buffer_varint(b, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = f->part[i].id;
	bob_series_put(b, v, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = f->part[i].segment;
	bob_series_put(b, v, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = f->part[i].events;
	bob_series_put(b, v, n);
	bob_buffer_varint(b, f->set_count);
	for (uint32_t i = 0; i < f->set_count; i++) {
		for (uint32_t k = 0; k < f->set[i].count; k++)
			v[k] = f->set[i].member[k];
		bob_buffer_varint(b, f->set[i].count);
		bob_series_put(b, v, f->set[i].count);
	}
	free_numbers(b, v, n);
}

static void put_profiles(struct bob_buffer *b, const struct bob_folded *f)
{
	bob_buffer_varint(b, f->profile_count);
	for (uint32_t i = 0; i < f->profile_count; i++) {
		bob_buffer_varint(b, f->profile[i].set);
		bob_buffer_varint(b, f->profile[i].series.len);
		bob_buffer_put(b, f->profile[i].series.at, f->profile[i].series.len);
	}
}

static void put_list(struct bob_buffer *b, const struct bob_folded *f, uint32_t list)
{
	uint32_t n = 0;

	for (uint32_t s = list; s; s = f->sharing[s - 1].next)
		n++;
	bob_buffer_varint(b, n);
	for (uint32_t s = list; s; s = f->sharing[s - 1].next) {
		bob_buffer_varint(b, f->sharing[s - 1].set);
		bob_buffer_varint(b, f->sharing[s - 1].bytes.len);
		bob_buffer_put(b, f->sharing[s - 1].bytes.at, f->sharing[s - 1].bytes.len);
	}
}

static void put_column(struct bob_buffer *b, const struct bob_folded *f, uint32_t list,
		       uint32_t step)
{
	const struct bob_fold_sharing *s = &f->sharing[list - 1];

	if (s->next || s->set) {
		bob_buffer_varint(b, (uint64_t)step * 2);
		put_list(b, f, list);
		return;
	}
	bob_buffer_varint(b, (uint64_t)step * 2 + 1);
	bob_buffer_varint(b, s->bytes.len);
	bob_buffer_put(b, s->bytes.at, s->bytes.len);
}

static void put_columns(struct bob_buffer *b, const struct bob_folded *f)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < f->column_count; i++)
		if (f->column[i]) {
			put_column(b, f, f->column[i], i + 1 - before);
			before = i + 1;
		}
	bob_buffer_varint(b, 0);
}

bob_status bob_folded_pack(const struct bob_folded *f, bob_fold_write_fn write, void *ctx)
{
	struct bob_buffer b = { .alloc = f->tables.blocks.alloc };
	struct bob_folded *u;
	bob_status st = bob_folded_unite(&f, 1, &b.alloc, &u);

	if (st != BOB_OK)
		return st;
	bob_buffer_varint(&b, VERSION);
	put_tables(&b, &u->tables);
	put_parts(&b, u);
	put_profiles(&b, u);
	put_list(&b, u, u->spines);
	put_list(&b, u, u->values);
	put_columns(&b, u);
	st = b.failed ? BOB_ERR_NOMEM : BOB_OK;
	if (st == BOB_OK)
		write(ctx, b.at, b.len);
	bob_buffer_free(&b);
	bob_folded_close(u);
	return st;
}

/* --- reading --- */

struct unpacking {
	const uint8_t *at, *end;
	struct bob_folded *f;
	struct bob_alloc alloc;
	uint32_t *item;			/* of a loop; members of a set */
	uint64_t *number;
	uint32_t item_room, number_room;
};

/* A number up to `most`. */
static bob_status get(struct unpacking *u, uint64_t most, uint32_t *v)
{
	uint64_t x;

	if (bob_varint_get(&u->at, u->end, &x) || x > most)
		return BOB_ERR_CORRUPT;
	*v = (uint32_t)x;
	return BOB_OK;
}

/* A count of things that take a byte each or more. */
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
		if (st == BOB_OK && number != i) /* it was there already */
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
	    !bob_array_grow(&u->alloc, &u->item, &u->item_room, 0, n, sizeof(*u->item)))
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
	bob_status st = get_paths(u);

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

static bob_status get_numbers(struct unpacking *u, uint32_t n)
{
	if (!bob_array_grow(&u->alloc, &u->number, &u->number_room, 0, (size_t)n + 1,
			    sizeof(*u->number)))
		return BOB_ERR_NOMEM;
	return bob_series_get(&u->at, u->end, u->number, n);
}

static bob_status get_parts(struct unpacking *u)
{
	struct bob_folded *f = u->f;
	uint32_t n;
	bob_status st = get(u, BOB_PARTS_MAX, &n);

	for (uint32_t i = 0; i < n && st == BOB_OK; i++)
		if (!bob_folded_add_part(f))
			st = BOB_ERR_NOMEM;
	if (st == BOB_OK)
		st = get_numbers(u, n);
	for (uint32_t i = 0; i < n && st == BOB_OK; i++)
		f->part[i].id = u->number[i];
	if (st == BOB_OK)
		st = get_numbers(u, n);
	for (uint32_t i = 0; i < n && st == BOB_OK; i++)
		f->part[i].segment = (uint32_t)u->number[i];
	if (st == BOB_OK)
		st = get_numbers(u, n);
	for (uint32_t i = 0; i < n && st == BOB_OK; i++)
		f->part[i].events = u->number[i];
	if (st == BOB_OK)
		st = bob_folded_end_parts(f);
	return st == BOB_ERR_INVAL ? BOB_ERR_CORRUPT : st;
}

static bob_status get_set(struct unpacking *u, uint32_t *members)
{
	uint32_t n, number;
	bob_status st = get(u, u->f->part_count, &n);

	if (st == BOB_OK && (!n || n > MEMBERS_MAX - *members))
		st = BOB_ERR_CORRUPT;
	if (st == BOB_OK)
		st = get_numbers(u, n);
	if (st == BOB_OK &&
	    !bob_array_grow(&u->alloc, &u->item, &u->item_room, 0, n, sizeof(*u->item)))
		st = BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < n && st == BOB_OK; i++) {
		if (u->number[i] >= u->f->part_count || (i && u->number[i] <= u->number[i - 1]))
			st = BOB_ERR_CORRUPT;
		else
			u->item[i] = (uint32_t)u->number[i];
	}
	if (st != BOB_OK)
		return st;
	*members += n;
	return bob_folded_add_set(u->f, u->item, n, &number);
}

static bob_status get_bytes(struct unpacking *u, struct bob_fold_bytes *bytes)
{
	uint32_t len;
	uint8_t *copy;

	if (get_count(u, &len) != BOB_OK || len > (size_t)(u->end - u->at))
		return BOB_ERR_CORRUPT;
	copy = bob_blocks_get(&u->f->tables.blocks, len);
	if (!copy)
		return BOB_ERR_NOMEM;
	memcpy(copy, u->at, len);
	u->at += len;
	*bytes = (struct bob_fold_bytes){ copy, len };
	return BOB_OK;
}

/* A set and bytes that go with it. */
static bob_status get_shared(struct unpacking *u, uint32_t *set, struct bob_fold_bytes *bytes)
{
	bob_status st = get(u, UINT32_MAX, set);

	if (st != BOB_OK || *set >= u->f->set_count)
		return BOB_ERR_CORRUPT;
	return get_bytes(u, bytes);
}

static bob_status get_profiles(struct unpacking *u)
{
	struct bob_fold_bytes bytes;
	uint32_t n, set;
	bob_status st = get_count(u, &n);

	for (uint32_t i = 0; i < n && st == BOB_OK; i++) {
		st = get_shared(u, &set, &bytes);
		if (st == BOB_OK)
			st = bob_folded_add_profile(u->f, bytes, set);
	}
	return st;
}

/* Lists are built from their ends: each is linked to the one behind it once that is there. */
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

/* The one sharing of a column, of set 0. */
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
		if (step == 1) /* the same column again */
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

	if (st == BOB_OK && version != VERSION)
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
	return st == BOB_OK && u->at != u->end ? BOB_ERR_CORRUPT : st;
}

bob_status bob_folded_unpack(const void *bytes, size_t len, const struct bob_alloc *alloc,
			     struct bob_folded **out)
{
	struct unpacking u = { .at = bytes, .end = (const uint8_t *)bytes + len, .alloc = *alloc };
	bob_status st = bob_folded_init(alloc, &u.f);

	if (st != BOB_OK)
		return st;
	st = unpack(&u);
	bob_array_free(alloc, u.item, u.item_room, sizeof(*u.item));
	bob_array_free(alloc, u.number, u.number_room, sizeof(*u.number));
	if (st != BOB_OK) {
		bob_folded_close(u.f);
		return st;
	}
	*out = u.f;
	return BOB_OK;
}
