/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps the numbers of paths, shapes and loops of one folded sequence to those of shared tables, and
 * re-encodes spines with them. */
#include <string.h>

#include "base/varint.h"
#include "fold/entries.h"
#include "fold/folded.h"
#include "fold/values.h"

static bob_status add(struct bob_fold_maps *m, uint32_t **array, uint32_t *count,
		      uint32_t *capacity, uint32_t number)
{
	if (!bob_array_grow(&m->alloc, array, capacity, *count, 1, sizeof(**array)))
		return BOB_ERR_NOMEM;
	(*array)[(*count)++] = number;
	return BOB_OK;
}

void bob_maps_free(struct bob_fold_maps *m)
{
	bob_array_free(&m->alloc, m->path, m->path_capacity, sizeof(uint32_t));
	bob_array_free(&m->alloc, m->shape, m->shape_capacity, sizeof(uint32_t));
	bob_array_free(&m->alloc, m->loop, m->loop_capacity, sizeof(uint32_t));
	bob_array_free(&m->alloc, m->column, m->column_capacity, sizeof(uint32_t));
}

bob_status bob_maps_path(struct bob_fold_maps *m, struct bob_tables *to, uint32_t parent,
			 uint64_t place)
{
	uint32_t number = 0;
	bob_status st = BOB_OK;

	if (!m->path_count) /* the empty path maps to itself */
		st = add(m, &m->path, &m->path_count, &m->path_capacity, 0);
	if (st != BOB_OK)
		return st;
	if (parent >= m->path_count)
		return BOB_ERR_CORRUPT;
	st = bob_tables_path(to, m->path[parent], place, &number);
	return st != BOB_OK ? st : add(m, &m->path, &m->path_count, &m->path_capacity, number);
}

bob_status bob_maps_shape(struct bob_fold_maps *m, struct bob_tables *to, uint32_t path,
			  uint32_t words, const uint8_t *key, uint32_t key_len)
{
	uint32_t number;
	bob_status st;

	if (path && path >= m->path_count)
		return BOB_ERR_CORRUPT;
	st = bob_tables_shape(to, path ? m->path[path] : 0, words, key, key_len, &number);
	for (uint32_t i = 0; i < words && st == BOB_OK; i++)
		st = add(m, &m->column, &m->column_count, &m->column_capacity,
			 to->shape[number].column + i);
	return st != BOB_OK ? st : add(m, &m->shape, &m->shape_count, &m->shape_capacity, number);
}

bob_status bob_maps_item(const struct bob_fold_maps *m, uint64_t item, uint32_t *out)
{
	uint64_t number = item >> 1;

	if (number >= (item & 1 ? m->loop_count : m->shape_count))
		return BOB_ERR_CORRUPT;
	uint32_t to = (item & 1 ? m->loop : m->shape)[number];
	*out = to * 2 + (uint32_t)(item & 1);
	return to == BOB_TABLES_NONE ? BOB_ERR_CORRUPT : BOB_OK;
}

bob_status bob_maps_loop(struct bob_fold_maps *m, struct bob_tables *to, uint32_t *item,
			 uint32_t len)
{
	uint32_t number;
	bob_status st;

	for (uint32_t i = 0; i < len; i++)
		if (bob_maps_item(m, item[i], &item[i]) != BOB_OK)
			return BOB_ERR_CORRUPT;
	st = bob_tables_loop(to, item, len, &number);
	if (st == BOB_OK)
		st = add(m, &m->column, &m->column_count, &m->column_capacity,
			 to->loop[number].column);
	return st != BOB_OK ? st : add(m, &m->loop, &m->loop_count, &m->loop_capacity, number);
}

/* --- the spine --- */

struct recode {
	struct bob_values_enc enc;
	uint64_t out_last;
	struct bob_buffer *out;
	uint8_t *mem;		/* history of the coder, then that of a decoder */
	size_t size;		/* of each history */
};

static void take(void *ctx, const uint8_t *bytes, size_t len)
{
	bob_buffer_put(((struct recode *)ctx)->out, bytes, len);
}

static bob_status recode_begin(struct recode *r, const struct bob_alloc *a, struct bob_buffer *out)
{
	r->out = out;
	r->out_last = 0;
	r->size = bob_values_size(BOB_FOLD_SPINE_BITS);
	r->mem = a->resize(a->ctx, NULL, 0, 2 * r->size);
	if (!r->mem)
		return BOB_ERR_NOMEM;
	memset(r->mem, 0, r->size);
	bob_values_enc_init(&r->enc, r->mem, BOB_FOLD_SPINE_BITS, take, r);
	return BOB_OK;
}

static bob_status recode_end(struct recode *r, const struct bob_alloc *a, bob_status st)
{
	if (st == BOB_OK)
		bob_values_flush(&r->enc);
	a->resize(a->ctx, r->mem, 2 * r->size, 0);
	return st == BOB_OK && r->out->failed ? BOB_ERR_NOMEM : st;
}

/* `maps` is NULL: `item` is a new number. */
static bob_status recode_item(struct recode *r, const struct bob_fold_maps *maps, uint64_t item)
{
	uint32_t out = (uint32_t)item;
	bob_status st = maps ? bob_maps_item(maps, item, &out) : BOB_OK;

	if (st == BOB_OK)
		bob_values_put(&r->enc, &r->out_last, out);
	return st != BOB_OK ? st : r->out->failed ? BOB_ERR_NOMEM : BOB_OK;
}

static bob_status recode_spine(struct recode *r, const struct bob_fold_maps *maps,
			       const struct bob_fold_bytes *spine)
{
	struct bob_values_dec dec;
	uint64_t item = 0;
	bob_status st;

	memset(r->mem + r->size, 0, r->size);
	bob_values_dec_init(&dec, r->mem + r->size, BOB_FOLD_SPINE_BITS, spine->at, spine->len);
	while ((st = bob_values_get(&dec, &item)) == BOB_OK) {
		st = recode_item(r, maps, item);
		if (st != BOB_OK)
			return st;
	}
	return st == BOB_END ? BOB_OK : st;
}

bob_status bob_spine_recode(const struct bob_fold_maps *maps, const struct bob_fold_bytes *spine,
			    const struct bob_fold_bytes *items, struct bob_buffer *out)
{
	const uint8_t *at = items->at, *end = items->at + items->len;
	struct recode r;
	uint64_t item;
	bob_status st = recode_begin(&r, &maps->alloc, out);

	if (st != BOB_OK)
		return st;
	st = recode_spine(&r, maps, spine);
	while (st == BOB_OK && at != end) {
		st = bob_varint_get(&at, end, &item);
		if (st == BOB_OK)
			st = recode_item(&r, maps, item);
	}
	return recode_end(&r, &maps->alloc, st);
}

bob_status bob_spine_append(const struct bob_fold_maps *maps, const struct bob_fold_bytes *spine,
			    struct bob_buffer *to)
{
	struct bob_buffer both = { .alloc = maps->alloc };
	const struct bob_fold_bytes before = { to->at, to->len };
	struct recode r;
	bob_status st = recode_begin(&r, &maps->alloc, &both);

	if (st == BOB_OK)
		st = recode_spine(&r, NULL, &before);
	if (st == BOB_OK)
		st = recode_spine(&r, maps, spine);
	if (r.mem)
		st = recode_end(&r, &maps->alloc, st);
	if (st == BOB_OK) {
		to->len = 0;
		bob_buffer_put(to, both.at, both.len);
		st = to->failed ? BOB_ERR_NOMEM : BOB_OK;
	}
	bob_buffer_free(&both);
	return st;
}
