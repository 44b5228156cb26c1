/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging, as one pure function. The tables become the union of what the parts use, in the order of the parts
 * and, for each, of its own tables: an order that no sequence of merges changes. Then spines, values and each
 * column are made anew: the contents of all parts are laid side by side, and those that are equal, or
 * have the same structure, are shared. One column's contents are in memory at a time. */
#include <string.h>

#include "base/hash.h"
#include "fold/entries.h"
#include "fold/folded.h"
#include "fold/values.h"

#define FROM_MAX 2u
#define PROFILES_SEARCHED 64u

struct origin {			/* of a part */
	uint32_t from;		/* which trace */
	uint32_t part;		/* its number there */
	uint32_t content;	/* + 1; 0: it has none */
	uint32_t group;		/* + 1 */
};

struct group {
	uint64_t hash;
	uint32_t content;	/* of the first member */
	uint32_t count;		/* members */
	uint32_t begin;		/* of them, in `member` */
	uint32_t next;		/* of the same slot, + 1 */
};

struct merge {
	const struct bob_folded *const *from;
	uint32_t from_count;
	struct bob_alloc alloc;
	struct bob_folded *out;
	struct bob_fold_maps maps[FROM_MAX];
	uint32_t *column[FROM_MAX];	/* of a trace, by column of `out` */
	uint32_t column_room[FROM_MAX];
	struct origin *origin;		/* one a part of `out` */
	uint32_t *slot;			/* of groups by hash; as many as parts */
	uint32_t *member;		/* parts, group by group ... */
	const struct bob_content **members; /* ... and what they have */
	struct bob_content *content;
	struct group *group;
	uint32_t *item;			/* of a loop */
	struct bob_buffer buffer, series;
	uint64_t *scratch;
	uint32_t scratch_room, part_room, content_count, content_room, group_count, group_room;
	uint32_t slot_room, member_room, members_room, item_room;
};

/* --- parts --- */

static int is_before(const struct bob_fold_part *a, const struct bob_fold_part *b)
{
	return a->id != b->id ? a->id < b->id : a->segment < b->segment;
}

static bob_status add_parts(struct merge *m)
{
	uint32_t next[FROM_MAX] = { 0 };

	for (;;) {
		const struct bob_fold_part *best = NULL;
		uint32_t from = 0;

		for (uint32_t i = 0; i < m->from_count; i++) {
			const struct bob_folded *f = m->from[i];

			if (next[i] < f->part_count &&
			    (!best || is_before(&f->part[next[i]], best))) {
				best = &f->part[next[i]];
				from = i;
			}
		}
		if (!best)
			return bob_folded_end_parts(m->out);
		struct bob_fold_part *p = bob_folded_add_part(m->out);
		uint32_t at = m->out->part_count - 1;
		if (!p || !bob_array_grow(&m->alloc, &m->origin, &m->part_room, at, 1,
					  sizeof(*m->origin)))
			return BOB_ERR_NOMEM;
		*p = *best;
		m->origin[at] = (struct origin){ .from = from, .part = next[from]++ };
	}
}

/* --- tables --- */

static bob_status begin_map(struct bob_fold_maps *m, uint32_t **array, uint32_t *count,
			    uint32_t *room, uint32_t n)
{
	if (!bob_array_grow(&m->alloc, array, room, 0, (size_t)n + 1, sizeof(**array)))
		return BOB_ERR_NOMEM;
	memset(*array, 0xff, n * sizeof(**array));
	*count = n;
	return BOB_OK;
}

static bob_status begin_maps(struct bob_fold_maps *m, const struct bob_tables *t)
{
	bob_status st = begin_map(m, &m->path, &m->path_count, &m->path_room, t->path_count);

	if (st == BOB_OK)
		st = begin_map(m, &m->shape, &m->shape_count, &m->shape_room, t->shape_count);
	if (st == BOB_OK)
		st = begin_map(m, &m->loop, &m->loop_count, &m->loop_room, t->loop_count);
	if (st == BOB_OK)
		st = begin_map(m, &m->column, &m->column_count, &m->column_room, t->column_count);
	if (st == BOB_OK)
		m->path[0] = 0;
	return st;
}

/* Which shapes and loops a spine comes to; by item. */
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
	for (uint32_t i = t->loop_count; i-- > 0;) /* bodies have earlier loops only */
		for (uint32_t k = 0; loop[i] && k < t->loop[i].len; k++)
			(t->loop[i].item[k] & 1 ? loop : shape)[t->loop[i].item[k] >> 1] = 1;
	return st == BOB_END ? BOB_OK : st;
}

static bob_status add_path(struct merge *m, struct bob_fold_maps *maps, const struct bob_tables *t,
			   uint32_t path)
{
	/* parents have smaller numbers: go up to a known one, and come back down */
	while (maps->path[path] == BOB_TABLES_NONE) {
		uint32_t p = path;
		bob_status st;

		while (maps->path[t->path[p].parent] == BOB_TABLES_NONE)
			p = t->path[p].parent;
		st = bob_tables_path(&m->out->tables, maps->path[t->path[p].parent],
				     t->path[p].place, &maps->path[p]);
		if (st != BOB_OK)
			return st;
	}
	return BOB_OK;
}

static bob_status add_shape(struct merge *m, struct bob_fold_maps *maps, const struct bob_tables *t,
			    uint32_t i)
{
	const struct bob_table_shape *s = &t->shape[i];
	bob_status st = add_path(m, maps, t, s->path);

	if (st == BOB_OK)
		st = bob_tables_shape(&m->out->tables, maps->path[s->path], s->words, s->key,
				      s->key_len, &maps->shape[i]);
	for (uint32_t w = 0; w < s->words && st == BOB_OK; w++)
		maps->column[s->column + w] = m->out->tables.shape[maps->shape[i]].column + w;
	return st;
}

static bob_status add_loop(struct merge *m, struct bob_fold_maps *maps, const struct bob_tables *t,
			   uint32_t i)
{
	const struct bob_table_loop *l = &t->loop[i];
	bob_status st = BOB_OK;

	if (!bob_array_grow(&m->alloc, &m->item, &m->item_room, 0, l->len, sizeof(*m->item)))
		return BOB_ERR_NOMEM;
	for (uint32_t k = 0; k < l->len && st == BOB_OK; k++)
		st = bob_maps_item(maps, l->item[k], &m->item[k]);
	if (st == BOB_OK)
		st = bob_tables_loop(&m->out->tables, m->item, l->len, &maps->loop[i]);
	if (st == BOB_OK)
		maps->column[l->column] = m->out->tables.loop[maps->loop[i]].column;
	return st;
}

/* The shapes, or the loops, that one spine comes to. */
static bob_status add_used(struct merge *m, uint32_t from, const struct bob_fold_bytes *spine,
			   int loops)
{
	const struct bob_tables *t = &m->from[from]->tables;
	struct bob_fold_maps *maps = &m->maps[from];
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
			st = add_shape(m, maps, t, i);
	for (uint32_t i = 0; loops && i < t->loop_count && st == BOB_OK; i++)
		if (loop[i] && maps->loop[i] == BOB_TABLES_NONE)
			st = add_loop(m, maps, t, i);
	m->alloc.resize(m->alloc.ctx, mem, size, 0);
	return st;
}

static bob_status add_of_parts(struct merge *m, int loops)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < m->out->part_count && st == BOB_OK; i++) {
		const struct origin *o = &m->origin[i];
		uint32_t member;
		const struct bob_fold_sharing *s = bob_folded_find(
			m->from[o->from], m->from[o->from]->spines, o->part, &member);

		if (!s)
			st = BOB_ERR_CORRUPT;
		else if (!member) /* the others come to the same */
			st = add_used(m, o->from, &s->bytes, loops);
	}
	return st;
}

/* All shapes before all loops: then the numbers of the columns follow from the tables. */
static bob_status add_tables(struct merge *m)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < m->from_count && st == BOB_OK; i++)
		st = begin_maps(&m->maps[i], &m->from[i]->tables);
	if (st == BOB_OK)
		st = add_of_parts(m, 0);
	if (st == BOB_OK)
		st = add_of_parts(m, 1);
	return st != BOB_OK ? st : bob_folded_add_columns(m->out);
}

/* --- contents --- */

static struct bob_content *add_content(struct merge *m)
{
	if (m->content_count == m->content_room) {
		uint32_t before = m->content_room;

		if (!bob_array_grow(&m->alloc, &m->content, &m->content_room, m->content_count, 1,
				    sizeof(*m->content)))
			return NULL;
		memset(m->content + before, 0, (m->content_room - before) * sizeof(*m->content));
	}
	struct bob_content *c = &m->content[m->content_count++];
	c->structure.alloc = m->alloc;
	bob_content_clear(c);
	return c;
}

/* What `member` of a sharing has, into *c. */
typedef bob_status (*content_fn)(struct merge *m, uint32_t from,
				 const struct bob_fold_sharing *sharing, uint32_t member,
				 struct bob_content *c);

static bob_status take_spine(struct merge *m, uint32_t from, const struct bob_fold_sharing *sharing,
			     uint32_t member, struct bob_content *c)
{
	static const uint8_t nothing[1];
	const struct bob_fold_bytes none = { nothing, 0 };

	(void)member;
	return bob_spine_recode(&m->maps[from], &sharing->bytes, &none, &c->structure);
}

static bob_status take_values(struct merge *m, uint32_t from,
			      const struct bob_fold_sharing *sharing, uint32_t member,
			      struct bob_content *c)
{
	(void)m, (void)from, (void)member;
	bob_buffer_put(&c->structure, sharing->bytes.at, sharing->bytes.len);
	return c->structure.failed ? BOB_ERR_NOMEM : BOB_OK;
}

static bob_status take_column(struct merge *m, uint32_t from,
			      const struct bob_fold_sharing *sharing, uint32_t member,
			      struct bob_content *c)
{
	return bob_group_content(m->from[from], sharing, member, c);
}

/* Contents of all parts that have one in `list[from]`. */
static bob_status collect(struct merge *m, const uint32_t *list, content_fn take)
{
	m->content_count = 0;
	for (uint32_t i = 0; i < m->out->part_count; i++) {
		struct origin *o = &m->origin[i];
		uint32_t member;
		const struct bob_fold_sharing *s =
			bob_folded_find(m->from[o->from], list[o->from], o->part, &member);

		o->content = 0;
		if (!s)
			continue;
		struct bob_content *c = add_content(m);
		bob_status st = c ? take(m, o->from, s, member, c) : BOB_ERR_NOMEM;
		if (st != BOB_OK)
			return st;
		o->content = m->content_count;
	}
	return BOB_OK;
}

/* --- groups --- */

static uint64_t hash_of(const struct bob_content *c)
{
	return bob_hash64(c->count, c->structure.at, c->structure.len);
}

static int is_like(const struct bob_content *a, const struct bob_content *b)
{
	return a->count == b->count && a->structure.len == b->structure.len &&
	       bob_bytes_same(a->structure.at, b->structure.at, a->structure.len);
}

static bob_status find_group(struct merge *m, struct origin *o, uint32_t slots)
{
	const struct bob_content *c = &m->content[o->content - 1];
	uint64_t hash = hash_of(c);
	uint32_t *slot = &m->slot[hash % slots], g = *slot;

	while (g &&
	       (m->group[g - 1].hash != hash || !is_like(c, &m->content[m->group[g - 1].content])))
		g = m->group[g - 1].next;
	if (!g) {
		if (!bob_array_grow(&m->alloc, &m->group, &m->group_room, m->group_count, 1,
				    sizeof(*m->group)))
			return BOB_ERR_NOMEM;
		m->group[m->group_count] =
			(struct group){ .hash = hash, .content = o->content - 1, .next = *slot };
		*slot = g = ++m->group_count;
	}
	m->group[g - 1].count++;
	o->group = g;
	return BOB_OK;
}

/* Groups in the order of their first members, their members in order. */
static bob_status find_groups(struct merge *m)
{
	uint32_t parts = m->out->part_count, begin = 0;

	m->group_count = 0;
	if (!bob_array_grow(&m->alloc, &m->slot, &m->slot_room, 0, parts, sizeof(*m->slot)) ||
	    !bob_array_grow(&m->alloc, &m->member, &m->member_room, 0, parts, sizeof(*m->member)) ||
	    !bob_array_grow(&m->alloc, &m->members, &m->members_room, 0, parts,
			    sizeof(*m->members)))
		return BOB_ERR_NOMEM;
	if (parts)
		memset(m->slot, 0, parts * sizeof(*m->slot));
	for (uint32_t i = 0; i < parts; i++) {
		m->origin[i].group = 0;
		if (m->origin[i].content && find_group(m, &m->origin[i], parts) != BOB_OK)
			return BOB_ERR_NOMEM;
	}
	for (uint32_t g = 0; g < m->group_count; g++) {
		m->group[g].begin = begin;
		begin += m->group[g].count;
		m->group[g].count = 0;
	}
	for (uint32_t i = 0; i < parts; i++) {
		const struct origin *o = &m->origin[i];

		if (o->group) {
			struct group *g = &m->group[o->group - 1];

			m->member[g->begin + g->count] = i;
			m->members[g->begin + g->count++] = &m->content[o->content - 1];
		}
	}
	return BOB_OK;
}

/* --- sharing --- */

/* Is this what the profile says? */
static int is_profile(const struct bob_fold_profile *p, uint32_t set,
		      const struct bob_buffer *series)
{
	return p->set == set && p->series.len == series->len &&
	       !memcmp(p->series.at, series->at, series->len);
}

struct profiling {
	struct merge *m;
	uint32_t set;
};

static bob_status find_profile(void *ctx, const uint64_t *value, uint32_t n, uint32_t *number)
{
	struct profiling *p = ctx;
	struct merge *m = p->m;
	struct bob_folded *f = m->out;
	struct bob_fold_bytes bytes;
	bob_status st;

	m->series.len = 0;
	bob_series_put(&m->series, value, n);
	if (m->series.failed)
		return BOB_ERR_NOMEM;
	/* there are few: regions of the address space, mostly */
	for (uint32_t i = f->profile_count; i-- > 0 && f->profile_count - i <= PROFILES_SEARCHED;)
		if (is_profile(&f->profile[i], p->set, &m->series)) {
			*number = i;
			return BOB_OK;
		}
	st = bob_buffer_keep(&m->series, &f->tables.blocks, &bytes);
	*number = f->profile_count;
	return st != BOB_OK ? st : bob_folded_add_profile(f, bytes, p->set);
}

static bob_status share_group(struct merge *m, const struct group *g, int is_column, uint32_t *list)
{
	const struct bob_content *first = m->members[g->begin];
	struct profiling p = { .m = m };
	struct bob_fold_bytes bytes;
	bob_status st = bob_folded_add_set(m->out, m->member + g->begin, g->count, &p.set);

	m->buffer.len = 0;
	if (st == BOB_OK && !bob_array_grow(&m->alloc, &m->scratch, &m->scratch_room, 0, g->count,
					    sizeof(*m->scratch)))
		st = BOB_ERR_NOMEM;
	if (st == BOB_OK && is_column)
		st = bob_group_put(&m->buffer, m->members + g->begin, m->member + g->begin,
				   g->count, find_profile, &p, m->scratch);
	else if (st == BOB_OK)
		bob_buffer_put(&m->buffer, first->structure.at, first->structure.len);
	if (st == BOB_OK)
		st = bob_buffer_keep(&m->buffer, &m->out->tables.blocks, &bytes);
	return st != BOB_OK ? st : bob_folded_share(m->out, list, bytes, p.set);
}

static bob_status share(struct merge *m, const uint32_t *from_list, content_fn take, uint32_t *list)
{
	bob_status st = collect(m, from_list, take);

	if (st == BOB_OK)
		st = find_groups(m);
	for (uint32_t g = m->group_count;
	     g-- > 0 && st == BOB_OK;) /* the last is first in a list */
		st = share_group(m, &m->group[g], take == take_column, list);
	return st;
}

/* Columns of the traces by those of `out`. */
static bob_status invert_columns(struct merge *m)
{
	uint32_t n = m->out->tables.column_count;

	for (uint32_t i = 0; i < m->from_count; i++) {
		const struct bob_fold_maps *maps = &m->maps[i];

		if (!bob_array_grow(&m->alloc, &m->column[i], &m->column_room[i], 0, (size_t)n + 1,
				    sizeof(uint32_t)))
			return BOB_ERR_NOMEM;
		memset(m->column[i], 0xff, n * sizeof(uint32_t));
		for (uint32_t k = 0; k < maps->column_count; k++)
			if (maps->column[k] != BOB_TABLES_NONE)
				m->column[i][maps->column[k]] = k;
	}
	return BOB_OK;
}

static bob_status share_columns(struct merge *m)
{
	bob_status st = invert_columns(m);
	uint32_t list[FROM_MAX];

	for (uint32_t c = 0; c < m->out->column_count && st == BOB_OK; c++) {
		for (uint32_t i = 0; i < m->from_count; i++) {
			uint32_t k = m->column[i][c];

			list[i] = k == BOB_TABLES_NONE ? 0 : m->from[i]->column[k];
		}
		st = share(m, list, take_column, &m->out->column[c]);
	}
	return st;
}

static bob_status unite(struct merge *m)
{
	uint32_t spines[FROM_MAX], values[FROM_MAX];
	bob_status st = add_parts(m);

	for (uint32_t i = 0; i < m->from_count; i++) {
		spines[i] = m->from[i]->spines;
		values[i] = m->from[i]->values;
	}
	if (st == BOB_OK)
		st = add_tables(m);
	if (st == BOB_OK)
		st = share(m, spines, take_spine, &m->out->spines);
	if (st == BOB_OK)
		st = share(m, values, take_values, &m->out->values);
	return st != BOB_OK ? st : share_columns(m);
}

static void free_merge(struct merge *m)
{
	const struct bob_alloc *a = &m->alloc;

	for (uint32_t i = 0; i < FROM_MAX; i++) {
		bob_maps_free(&m->maps[i]);
		bob_array_free(a, m->column[i], m->column_room[i], sizeof(uint32_t));
	}
	for (uint32_t i = 0; i < m->content_room; i++)
		bob_content_free(&m->content[i]);
	bob_array_free(a, m->content, m->content_room, sizeof(*m->content));
	bob_array_free(a, m->origin, m->part_room, sizeof(*m->origin));
	bob_array_free(a, m->group, m->group_room, sizeof(*m->group));
	bob_array_free(a, m->slot, m->slot_room, sizeof(*m->slot));
	bob_array_free(a, m->member, m->member_room, sizeof(*m->member));
	bob_array_free(a, m->members, m->members_room, sizeof(*m->members));
	bob_array_free(a, m->item, m->item_room, sizeof(*m->item));
	bob_array_free(a, m->scratch, m->scratch_room, sizeof(*m->scratch));
	bob_buffer_free(&m->buffer);
	bob_buffer_free(&m->series);
}

bob_status bob_folded_unite(const struct bob_folded *const *from, uint32_t count,
			    const struct bob_alloc *alloc, struct bob_folded **out)
{
	struct merge m = { .from = from, .from_count = count, .alloc = *alloc };
	bob_status st = bob_folded_init(alloc, &m.out);

	if (st != BOB_OK)
		return st;
	for (uint32_t i = 0; i < FROM_MAX; i++)
		m.maps[i].alloc = *alloc;
	m.buffer.alloc = m.series.alloc = *alloc;
	st = unite(&m);
	free_merge(&m);
	if (st != BOB_OK) {
		bob_folded_close(m.out);
		return st;
	}
	*out = m.out;
	return BOB_OK;
}

bob_status bob_folded_merge(const struct bob_folded *a, const struct bob_folded *b,
			    const struct bob_alloc *alloc, struct bob_folded **out)
{
	const struct bob_folded *from[FROM_MAX] = { a, b };

	return bob_folded_unite(from, FROM_MAX, alloc, out);
}

bob_status bob_folded_copy(const struct bob_folded *f, uint64_t id, const struct bob_alloc *alloc,
			   struct bob_folded **out)
{
	bob_status st;

	if (f->first_count > 1)
		return BOB_ERR_INVAL;
	st = bob_folded_unite(&f, 1, alloc, out);
	for (uint32_t i = 0; st == BOB_OK && i < (*out)->part_count; i++)
		(*out)->part[i].id = id;
	return st;
}
