/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging, as one pure function. The tables become the union of what the parts use, in the order of the parts
 * and, for each, of its own tables: an order that no sequence of merges changes. Then spines, values and each
 * column are made anew: the contents of all parts are laid side by side, and those that are equal, or
 * have the same structure, are shared. One column's contents are in memory at a time. */
#include <string.h>

#include "base/hash.h"
#include "fold/merge.h"

/* --- contents --- */

static struct bob_content *add_content(struct bob_merge *m)
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
typedef bob_status (*content_fn)(const struct bob_merge_source *s,
				 const struct bob_fold_sharing *sharing, uint32_t member,
				 struct bob_content *c);

static bob_status take_spine(const struct bob_merge_source *s,
			     const struct bob_fold_sharing *sharing, uint32_t member,
			     struct bob_content *c)
{
	static const uint8_t nothing[1];
	const struct bob_fold_bytes none = { nothing, 0 };

	(void)member;
	return bob_spine_recode(&s->maps, &sharing->bytes, &none, &c->structure);
}

static bob_status take_values(const struct bob_merge_source *s,
			      const struct bob_fold_sharing *sharing, uint32_t member,
			      struct bob_content *c)
{
	(void)s, (void)member;
	bob_buffer_put(&c->structure, sharing->bytes.at, sharing->bytes.len);
	return c->structure.failed ? BOB_ERR_NOMEM : BOB_OK;
}

static bob_status take_column(const struct bob_merge_source *s,
			      const struct bob_fold_sharing *sharing, uint32_t member,
			      struct bob_content *c)
{
	return bob_group_content(s->f, sharing, member, c);
}

/* The content of one origin in its source's list, of the part whose content was *number before. */
static bob_status collect_of(struct bob_merge *m, const struct bob_merge_origin *o, content_fn take,
			     uint32_t *number)
{
	const struct bob_merge_source *from = &m->source[o->from];
	uint32_t member;
	const struct bob_fold_sharing *s = bob_folded_find(from->f, from->list, o->part, &member);
	struct bob_content *c;

	if (!s)
		return BOB_OK;
	if (*number && take == take_spine)
		return bob_spine_append(&from->maps, &s->bytes, &m->content[*number - 1].structure);
	if (*number && !s->bytes.len)
		return BOB_OK;
	if (*number) /* values of one of them only: bob_merge_join */
		bob_content_clear(&m->content[*number - 1]);
	c = *number ? &m->content[*number - 1] : add_content(m);
	if (!c)
		return BOB_ERR_NOMEM;
	*number = (uint32_t)(c - m->content) + 1;
	return take(from, s, member, c);
}

/* Contents of all parts that have one in their source's list. */
static bob_status collect(struct bob_merge *m, content_fn take)
{
	bob_status st = BOB_OK;

	m->content_count = 0;
	for (uint32_t i = 0; i < m->out->part_count && st == BOB_OK; i++) {
		struct bob_merge_origin *o = &m->origin[i];

		o->content = 0;
		st = collect_of(m, o, take, &o->content);
		for (uint32_t k = o->also; k && st == BOB_OK; k = m->joined[k - 1].also)
			st = collect_of(m, &m->joined[k - 1], take, &o->content);
	}
	return st;
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

static bob_status find_group(struct bob_merge *m, struct bob_merge_origin *o, uint32_t slots)
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
		m->group[m->group_count] = (struct bob_merge_group){ .hash = hash,
								     .content = o->content - 1,
								     .next = *slot };
		*slot = g = ++m->group_count;
	}
	m->group[g - 1].count++;
	o->group = g;
	return BOB_OK;
}

/* Groups in the order of their first members, their members in order. */
static bob_status find_groups(struct bob_merge *m)
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
		const struct bob_merge_origin *o = &m->origin[i];

		if (o->group) {
			struct bob_merge_group *g = &m->group[o->group - 1];

			m->member[g->begin + g->count] = i;
			m->members[g->begin + g->count++] = &m->content[o->content - 1];
		}
	}
	return BOB_OK;
}

/* --- sharing --- */

static bob_status share_group(struct bob_merge *m, const struct bob_merge_group *g, int is_column,
			      uint32_t *list)
{
	const struct bob_content *first = m->members[g->begin];
	struct bob_fold_bytes bytes;
	bob_status st =
		bob_folded_add_set(m->out, m->member + g->begin, g->count, &m->profiles.set);

	m->buffer.len = 0;
	if (st == BOB_OK && !bob_array_grow(&m->alloc, &m->scratch, &m->scratch_room, 0, g->count,
					    sizeof(*m->scratch)))
		st = BOB_ERR_NOMEM;
	if (st == BOB_OK && is_column)
		st = bob_group_put(&m->buffer, m->members + g->begin, m->member + g->begin,
				   g->count, bob_profiles_find, &m->profiles, m->scratch);
	else if (st == BOB_OK)
		bob_buffer_put(&m->buffer, first->structure.at, first->structure.len);
	if (st == BOB_OK)
		st = bob_buffer_keep(&m->buffer, &m->out->tables.blocks, &bytes);
	return st != BOB_OK ? st : bob_folded_share(m->out, list, bytes, m->profiles.set);
}

static bob_status share(struct bob_merge *m, content_fn take, uint32_t *list)
{
	bob_status st = collect(m, take);

	if (st == BOB_OK)
		st = find_groups(m);
	for (uint32_t g = m->group_count;
	     g-- > 0 && st == BOB_OK;) /* the last is first in a list */
		st = share_group(m, &m->group[g], take == take_column, list);
	return st;
}

/* A column that one part has, and had alone, stays as it is. BOB_NONE: it is not so. */
static bob_status keep_column(struct bob_merge *m, uint32_t *list)
{
	const struct bob_fold_sharing *only = NULL;
	struct bob_fold_bytes bytes;
	uint32_t part = 0, member, set;
	bob_status st;

	for (uint32_t i = 0; i < m->out->part_count; i++) {
		const struct bob_merge_source *from = &m->source[m->origin[i].from];
		const struct bob_fold_sharing *s =
			bob_folded_find(from->f, from->list, m->origin[i].part, &member);

		if (m->origin[i].also)
			return BOB_NONE;
		if (!s)
			continue;
		if (only || !from->f->has_own_groups || from->f->set[s->set].count != 1)
			return BOB_NONE;
		only = s;
		part = i;
	}
	if (!only)
		return BOB_OK;
	m->buffer.len = 0;
	bob_buffer_put(&m->buffer, only->bytes.at, only->bytes.len);
	st = bob_folded_add_set(m->out, &part, 1, &set);
	if (st == BOB_OK)
		st = bob_buffer_keep(&m->buffer, &m->out->tables.blocks, &bytes);
	return st != BOB_OK ? st : bob_folded_share(m->out, list, bytes, set);
}

/* Columns of the sources by those of `out`. */
static bob_status invert_columns(struct bob_merge *m)
{
	uint32_t n = m->out->tables.column_count;

	for (uint32_t i = 0; i < m->source_count; i++) {
		struct bob_merge_source *s = &m->source[i];

		if (!bob_array_grow(&m->alloc, &s->column, &s->column_room, 0, (size_t)n + 1,
				    sizeof(*s->column)))
			return BOB_ERR_NOMEM;
		memset(s->column, 0xff, n * sizeof(*s->column));
		for (uint32_t k = 0; k < s->maps.column_count; k++)
			if (s->maps.column[k] != BOB_TABLES_NONE)
				s->column[s->maps.column[k]] = k;
	}
	return BOB_OK;
}

static bob_status share_columns(struct bob_merge *m)
{
	const struct bob_tables *loops = &m->out->tables;
	bob_status st = invert_columns(m);

	for (uint32_t c = 0; c < m->out->column_count && st == BOB_OK; c++) {
		m->profiles.of_trips = loops->loop_count && c >= loops->loop[0].column;
		for (uint32_t i = 0; i < m->source_count; i++) {
			struct bob_merge_source *s = &m->source[i];
			uint32_t k = s->column[c];

			s->list = k == BOB_TABLES_NONE ? 0 : s->f->column[k];
		}
		st = keep_column(m, &m->out->column[c]);
		if (st == BOB_NONE)
			st = share(m, take_column, &m->out->column[c]);
	}
	return st;
}

static bob_status unite(struct bob_merge *m)
{
	bob_status st = bob_merge_parts(m);

	if (st == BOB_OK)
		st = bob_merge_tables(m);
	if (st == BOB_OK)
		st = bob_merge_join(m);
	for (uint32_t i = 0; i < m->source_count; i++)
		m->source[i].list = m->source[i].f->spines;
	if (st == BOB_OK)
		st = share(m, take_spine, &m->out->spines);
	for (uint32_t i = 0; i < m->source_count; i++)
		m->source[i].list = m->source[i].f->values;
	if (st == BOB_OK)
		st = share(m, take_values, &m->out->values);
	return st != BOB_OK ? st : share_columns(m);
}

static void free_merge(struct bob_merge *m)
{
	const struct bob_alloc *a = &m->alloc;

	for (uint32_t i = 0; i < m->source_count; i++) {
		bob_maps_free(&m->source[i].maps);
		bob_array_free(a, m->source[i].column, m->source[i].column_room, sizeof(uint32_t));
	}
	for (uint32_t i = 0; i < m->content_room; i++)
		bob_content_free(&m->content[i]);
	bob_array_free(a, m->source, m->source_room, sizeof(*m->source));
	bob_array_free(a, m->heap, m->heap_room, sizeof(*m->heap));
	bob_array_free(a, m->content, m->content_room, sizeof(*m->content));
	bob_array_free(a, m->origin, m->part_room, sizeof(*m->origin));
	bob_array_free(a, m->joined, m->joined_room, sizeof(*m->joined));
	bob_array_free(a, m->group, m->group_room, sizeof(*m->group));
	bob_array_free(a, m->slot, m->slot_room, sizeof(*m->slot));
	bob_array_free(a, m->member, m->member_room, sizeof(*m->member));
	bob_array_free(a, m->members, m->members_room, sizeof(*m->members));
	bob_array_free(a, m->item, m->item_room, sizeof(*m->item));
	bob_array_free(a, m->scratch, m->scratch_room, sizeof(*m->scratch));
	bob_buffer_free(&m->buffer);
	bob_profiles_free(&m->profiles);
}

static bob_status add_sources(struct bob_merge *m, const struct bob_fold_source *from,
			      uint32_t count)
{
	if (!bob_array_grow(&m->alloc, &m->source, &m->source_room, 0, (size_t)count + 1,
			    sizeof(*m->source)))
		return BOB_ERR_NOMEM;
	memset(m->source, 0, m->source_room * sizeof(*m->source));
	for (uint32_t i = 0; i < count; i++) {
		m->source[i].f = from[i].folded;
		m->source[i].rename = from[i].rename;
		m->source[i].behind = from[i].behind;
		m->source[i].goes_on = from[i].goes_on;
		m->source[i].maps.alloc = m->alloc;
	}
	m->source_count = count;
	return BOB_OK;
}

bob_status bob_folded_merge_all(const struct bob_fold_source *from, uint32_t count,
				const struct bob_alloc *alloc, struct bob_folded **out)
{
	struct bob_merge m = { .alloc = *alloc };
	bob_status st = bob_folded_init(alloc, &m.out);

	if (st != BOB_OK)
		return st;
	m.buffer.alloc = *alloc;
	bob_profiles_init(&m.profiles, alloc, m.out);
	st = add_sources(&m, from, count);
	if (st == BOB_OK)
		st = unite(&m);
	free_merge(&m);
	if (st != BOB_OK) {
		bob_folded_close(m.out);
		return st;
	}
	m.out->is_merged = m.out->has_own_groups = 1;
	*out = m.out;
	return BOB_OK;
}

bob_status bob_folded_merge(const struct bob_folded *a, const struct bob_folded *b,
			    const struct bob_alloc *alloc, struct bob_folded **out)
{
	const struct bob_fold_source from[2] = { { .folded = a }, { .folded = b } };

	return bob_folded_merge_all(from, 2, alloc, out);
}

bob_status bob_folded_rename(const struct bob_folded *f, const struct bob_fold_rename *rename,
			     const struct bob_alloc *alloc, struct bob_folded **out)
{
	const struct bob_fold_source from = { .folded = f, .rename = rename };

	return bob_folded_merge_all(&from, 1, alloc, out);
}

static uint64_t id_of(void *ctx, uint64_t id)
{
	(void)id;
	return *(const uint64_t *)ctx;
}

bob_status bob_folded_copy(const struct bob_folded *f, uint64_t id, const struct bob_alloc *alloc,
			   struct bob_folded **out)
{
	const struct bob_fold_rename rename = { .id = id_of, .ctx = &id };

	return f->first_count > 1 ? BOB_ERR_INVAL : bob_folded_rename(f, &rename, alloc, out);
}
