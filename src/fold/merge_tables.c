/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging: unites the tables. All shapes are added before all loops, because the numbers of columns
 * follow from this order. */
#include <string.h>

#include "fold/entries.h"
#include "fold/merge.h"
#include "fold/values.h"

static bob_status begin_map(struct bob_fold_maps *m, uint32_t **array, uint32_t *count,
			    uint32_t *capacity, uint32_t n)
{
	if (!bob_array_grow(&m->alloc, array, capacity, 0, (size_t)n + 1, sizeof(**array)))
		return BOB_ERR_NOMEM;
	memset(*array, 0xff, n * sizeof(**array));
	*count = n;
	return BOB_OK;
}

static bob_status begin_maps(struct bob_fold_maps *m, const struct bob_tables *t)
{
	bob_status st = begin_map(m, &m->path, &m->path_count, &m->path_capacity, t->path_count);

	if (st == BOB_OK)
		st = begin_map(m, &m->shape, &m->shape_count, &m->shape_capacity, t->shape_count);
	if (st == BOB_OK)
		st = begin_map(m, &m->loop, &m->loop_count, &m->loop_capacity, t->loop_count);
	if (st == BOB_OK)
		st = begin_map(m, &m->column, &m->column_count, &m->column_capacity,
			       t->column_count);
	if (st == BOB_OK)
		m->path[0] = 0;
	return st;
}

/* Marks the shapes and loops that a spine uses, including those in bodies of loops. */
static bob_status mark_used(const struct bob_tables *t, const struct bob_fold_bytes *spine,
			    uint8_t *shape, uint8_t *loop, void *mem)
{
	struct bob_values_dec d;
	uint64_t item = 0;
	bob_status st;

	memset(shape, 0, t->shape_count);
	memset(loop, 0, t->loop_count);
	memset(mem, 0, bob_values_size(BOB_FOLD_SPINE_BITS));
	bob_values_dec_init(&d, mem, BOB_FOLD_SPINE_BITS, spine->at, spine->len);
	while ((st = bob_values_get(&d, &item)) == BOB_OK) {
		if (!bob_tables_has(t, item))
			return BOB_ERR_CORRUPT;
		(item & 1 ? loop : shape)[item >> 1] = 1;
	}
	for (uint32_t i = t->loop_count; i-- > 0;) /* bodies refer only to earlier loops */
		for (uint32_t k = 0; loop[i] && k < t->loop[i].len; k++)
			(t->loop[i].item[k] & 1 ? loop : shape)[t->loop[i].item[k] >> 1] = 1;
	return st == BOB_END ? BOB_OK : st;
}

static bob_status add_path(struct bob_merge *m, struct bob_merge_source *from, uint32_t path)
{
	const struct bob_fold_rename *r = from->rename;
	const struct bob_tables *t = &from->f->tables;
	struct bob_fold_maps *maps = &from->maps;

	/* parents have smaller numbers: find the nearest known ancestor, then add its
	 * descendants */
	while (maps->path[path] == BOB_TABLES_NONE) {
		uint32_t p = path;
		uint64_t place;
		bob_status st;

		while (maps->path[t->path[p].parent] == BOB_TABLES_NONE)
			p = t->path[p].parent;
		place = r && r->place ? r->place(r->ctx, t->path[p].place) : t->path[p].place;
		st = bob_tables_path(&m->out->tables, maps->path[t->path[p].parent], place,
				     &maps->path[p]);
		if (st != BOB_OK)
			return st;
	}
	return BOB_OK;
}

static bob_status put_shape(struct bob_merge *m, const struct bob_fold_rename *r,
			    const struct bob_table_shape *s, uint32_t path, uint32_t *number)
{
	uint8_t key[BOB_FOLD_KEY_MAX];
	size_t len = s->key_len;
	bob_status st;

	if (!r || !r->key)
		return bob_tables_shape(&m->out->tables, path, s->words, s->key, s->key_len,
					number);
	st = r->key(r->ctx, s->key, s->key_len, key, &len);
	if (st == BOB_OK && len > sizeof(key))
		st = BOB_ERR_INVAL;
	return st != BOB_OK ? st :
			      bob_tables_shape(&m->out->tables, path, s->words, key, (uint32_t)len,
					       number);
}

static bob_status add_shape(struct bob_merge *m, struct bob_merge_source *from, uint32_t i)
{
	const struct bob_table_shape *s = &from->f->tables.shape[i];
	struct bob_fold_maps *maps = &from->maps;
	bob_status st = add_path(m, from, s->path);

	if (st == BOB_OK)
		st = put_shape(m, from->rename, s, maps->path[s->path], &maps->shape[i]);
	for (uint32_t w = 0; w < s->words && st == BOB_OK; w++)
		maps->column[s->column + w] = m->out->tables.shape[maps->shape[i]].column + w;
	return st;
}

static bob_status add_loop(struct bob_merge *m, struct bob_merge_source *from, uint32_t i)
{
	const struct bob_table_loop *l = &from->f->tables.loop[i];
	struct bob_fold_maps *maps = &from->maps;
	bob_status st = BOB_OK;

	if (!bob_array_grow(&m->alloc, &m->item, &m->item_capacity, 0, l->len, sizeof(*m->item)))
		return BOB_ERR_NOMEM;
	for (uint32_t k = 0; k < l->len && st == BOB_OK; k++)
		st = bob_maps_item(maps, l->item[k], &m->item[k]);
	if (st == BOB_OK)
		st = bob_tables_loop(&m->out->tables, m->item, l->len, &maps->loop[i]);
	if (st == BOB_OK)
		maps->column[l->column] = m->out->tables.loop[maps->loop[i]].column;
	return st;
}

/* Adds the shapes, or the loops, that one spine uses. */
static bob_status add_used(struct bob_merge *m, struct bob_merge_source *from,
			   const struct bob_fold_bytes *spine, int loops)
{
	const struct bob_tables *t = &from->f->tables;
	const struct bob_fold_maps *maps = &from->maps;
	size_t values = bob_values_size(BOB_FOLD_SPINE_BITS);
	size_t size = values + t->shape_count + t->loop_count;
	uint8_t *mem = m->alloc.resize(m->alloc.ctx, NULL, 0, size);
	bob_status st;

	if (!mem)
		return BOB_ERR_NOMEM;
	uint8_t *shape = mem + values, *loop = shape + t->shape_count;
	st = mark_used(t, spine, shape, loop, mem);
	for (uint32_t i = 0; !loops && i < t->shape_count && st == BOB_OK; i++)
		if (shape[i] && maps->shape[i] == BOB_TABLES_NONE)
			st = add_shape(m, from, i);
	for (uint32_t i = 0; loops && i < t->loop_count && st == BOB_OK; i++)
		if (loop[i] && maps->loop[i] == BOB_TABLES_NONE)
			st = add_loop(m, from, i);
	m->alloc.resize(m->alloc.ctx, mem, size, 0);
	return st;
}

/* Adds in the order of the parts; parts that share a spine use the same. */
static bob_status add_of_parts(struct bob_merge *m, int loops)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < m->stretch_count && st == BOB_OK; i++) {
		const struct bob_merge_stretch *x = &m->stretch[i];

		if (!x->member || m->source[x->from].leaves_out)
			st = add_used(m, &m->source[x->from], &x->bytes, loops);
	}
	return st;
}

/* Finds the spine of each part. */
static bob_status find_spines(struct bob_merge *m)
{
	bob_status st = bob_merge_stretches(m);
	uint64_t parts = 0;

	for (uint32_t i = 0; i < m->stretch_count; i++)
		parts += m->stretch[i].count;
	return st == BOB_OK && parts != m->part_total ? BOB_ERR_CORRUPT : st;
}

/* Is the map the identity? */
static int is_same(const uint32_t *map, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (map[i] != i)
			return 0;
	return 1;
}

/* --- names --- */

/* Checks that a map is injective, so that renaming does not identify two objects. `map` has `count`
 * numbers below `all`. */
static bob_status is_one_to_one(struct bob_merge *m, const uint32_t *map, uint32_t count,
				uint32_t all)
{
	bob_status st = BOB_OK;

	if (!bob_array_grow(&m->alloc, &m->item, &m->item_capacity, 0, (size_t)all + 1,
			    sizeof(*m->item)))
		return BOB_ERR_NOMEM;
	memset(m->item, 0, all * sizeof(*m->item));
	for (uint32_t i = 0; i < count; i++)
		if (map[i] != BOB_TABLES_NONE && m->item[map[i]]++)
			st = BOB_ERR_INVAL;
	return st;
}

static bob_status check_names(struct bob_merge *m, const struct bob_fold_maps *maps)
{
	const struct bob_tables *t = &m->out->tables;
	bob_status st = is_one_to_one(m, maps->path, maps->path_count, t->path_count);

	return st != BOB_OK ? st : is_one_to_one(m, maps->shape, maps->shape_count, t->shape_count);
}

bob_status bob_merge_tables(struct bob_merge *m)
{
	bob_status st = find_spines(m);

	for (uint32_t i = 0; i < m->source_count && st == BOB_OK; i++)
		st = begin_maps(&m->source[i].maps, &m->source[i].f->tables);
	if (st == BOB_OK)
		st = add_of_parts(m, 0);
	for (uint32_t i = 0; i < m->source_count && st == BOB_OK; i++)
		if (m->source[i].rename)
			st = check_names(m, &m->source[i].maps);
	if (st == BOB_OK)
		st = add_of_parts(m, 1);
	for (uint32_t i = 0; i < m->source_count && st == BOB_OK; i++) {
		const struct bob_fold_maps *maps = &m->source[i].maps;

		m->source[i].is_same = is_same(maps->shape, maps->shape_count) &&
				       is_same(maps->loop, maps->loop_count);
	}
	return st != BOB_OK ? st : bob_folded_add_columns(m->out);
}
