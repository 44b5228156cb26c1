/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging: finds which parts share which spines, values and groups of columns. */
#include <string.h>

#include "base/hash.h"
#include "fold/merge.h"

/* --- stretches --- */

static bob_status add_stretch(struct bob_merge *m, const struct bob_merge_run *run,
			      const struct bob_fold_sharing *s)
{
	const struct bob_list *set = &m->source[run->from].f->set[s->set];
	uint32_t begin = bob_list_below(set, run->first),
		 end = bob_list_below(set, (uint64_t)run->first + run->count);
	struct bob_merge_stretch *x;

	if (begin >= end)
		return BOB_OK;
	if (!bob_array_grow(&m->alloc, &m->stretch, &m->stretch_capacity, m->stretch_count, 1,
			    sizeof(*m->stretch)))
		return BOB_ERR_NOMEM;
	x = &m->stretch[m->stretch_count++];
	x->from = run->from;
	x->set = s->set;
	x->member = begin;
	x->count = end - begin;
	x->part = (uint32_t)bob_list_at(set, begin);
	x->place = x->part - (uint32_t)bob_list_at(set, 0);
	x->part += run->at - run->first;
	x->last = (uint32_t)bob_list_at(set, end - 1) + run->at - run->first;
	x->next = 0;
	x->bytes = s->bytes;
	return BOB_OK;
}

static int is_sorted(const struct bob_merge *m)
{
	for (uint32_t i = 1; i < m->stretch_count; i++)
		if (m->stretch[i].part < m->stretch[i - 1].part)
			return 0;
	return 1;
}

static void sink(struct bob_merge_stretch *s, uint32_t at, uint32_t count)
{
	struct bob_merge_stretch x = s[at];

	for (;;) {
		uint32_t big = 2 * at + 1;

		if (big + 1 < count && s[big + 1].part > s[big].part)
			big++;
		if (big >= count || s[big].part <= x.part)
			break;
		s[at] = s[big];
		at = big;
	}
	s[at] = x;
}

/* Heap sort, unless they are already ordered, which is the common case. */
static void sort(struct bob_merge *m)
{
	struct bob_merge_stretch *s = m->stretch;

	if (is_sorted(m))
		return;
	for (uint32_t i = m->stretch_count / 2; i-- > 0;)
		sink(s, i, m->stretch_count);
	for (uint32_t n = m->stretch_count - 1; n; n--) {
		struct bob_merge_stretch x = s[0];

		s[0] = s[n];
		s[n] = x;
		sink(s, 0, n);
	}
}

static bob_status add_run(struct bob_merge *m, const struct bob_merge_run *run)
{
	const struct bob_folded *f = m->source[run->from].f;
	bob_status st = BOB_OK;

	for (uint32_t s = m->source[run->from].list; s && st == BOB_OK; s = f->sharing[s - 1].next)
		st = add_stretch(m, run, &f->sharing[s - 1]);
	return st;
}

bob_status bob_merge_stretches(struct bob_merge *m)
{
	bob_status st = BOB_OK;

	m->stretch_count = 0;
	for (uint32_t i = 0; i < m->run_count && st == BOB_OK; i++)
		st = add_run(m, &m->run[i]);
	sort(m);
	return st;
}

/* Makes a stretch of each part, because joined parts interleave with others. */
static bob_status single_out(struct bob_merge *m)
{
	bob_status st = BOB_OK;

	m->stretch_count = 0;
	for (uint32_t i = 0; i < m->run_count; i++)
		for (uint32_t k = 0; k < m->run[i].count && st == BOB_OK; k++) {
			const struct bob_merge_run *r = &m->run[i];
			const struct bob_merge_run one = { r->from, r->first + k, 1, r->at + k };

			st = add_run(m, &one);
		}
	sort(m);
	return st;
}

/* If a part has two stretches, one is empty: of two joined parts, only one had values. */
static void drop_nothing(struct bob_merge *m)
{
	struct bob_merge_stretch *s = m->stretch;
	uint32_t to = 0;

	for (uint32_t i = 0; i < m->stretch_count; i++) {
		int twice = to && s[to - 1].part == s[i].part;

		if (twice && !s[i].bytes.len)
			continue;
		if (twice && !s[to - 1].bytes.len)
			to--;
		s[to++] = s[i];
	}
	m->stretch_count = to;
}

/* Adds the stretches of joined parts. No part gets two stretches of a column. */
static bob_status add_joined(struct bob_merge *m)
{
	bob_status st = single_out(m);

	for (uint32_t i = 0; i < m->joined_count && st == BOB_OK; i++)
		st = add_run(m, &m->joined[i]);
	sort(m);
	drop_nothing(m);
	return st;
}

/* --- contents --- */

static bob_status recode_spine(struct bob_merge *m, struct bob_merge_stretch *x)
{
	static const uint8_t nothing[1];
	const struct bob_fold_bytes none = { nothing, 0 };
	bob_status st;

	if (m->source[x->from].is_same)
		return BOB_OK;
	m->buffer.len = 0;
	st = bob_spine_recode(&m->source[x->from].maps, &x->bytes, &none, &m->buffer);
	return st == BOB_OK ? bob_buffer_keep(&m->buffer, &m->passing, &x->bytes) : st;
}

static bob_status look_at(struct bob_merge *m, struct bob_merge_stretch *x,
			  enum bob_merge_kind kind)
{
	bob_status st = BOB_OK;

	if (kind == BOB_MERGE_COLUMNS)
		return bob_group_split(&x->bytes, &x->structure, &x->rows);
	if (kind == BOB_MERGE_SPINES && !m->joined_count) /* else join_spines did it */
		st = recode_spine(m, x);
	x->structure = x->bytes;
	x->rows.left = 0;
	return st;
}

/* --- joined spines --- */

static bob_status append_spine(struct bob_merge *m, const struct bob_merge_run *joined)
{
	const struct bob_merge_source *s = &m->source[joined->from];
	struct bob_merge_stretch *x = &m->stretch[joined->at];
	uint32_t member;
	const struct bob_fold_sharing *more =
		bob_folded_find(s->f, s->list, joined->first, &member);
	bob_status st;

	if (!more)
		return BOB_ERR_CORRUPT;
	m->buffer.len = 0;
	bob_buffer_put(&m->buffer, x->bytes.at, x->bytes.len);
	st = bob_spine_append(&s->maps, &more->bytes, &m->buffer);
	return st == BOB_OK ? bob_buffer_keep(&m->buffer, &m->passing, &x->bytes) : st;
}

/* Makes one stretch per part, with the spines of all parts that are joined to it appended. */
static bob_status join_spines(struct bob_merge *m)
{
	bob_status st = single_out(m);

	if (st == BOB_OK && m->stretch_count != m->out->part_count)
		st = BOB_ERR_CORRUPT;
	for (uint32_t i = 0; i < m->stretch_count && st == BOB_OK; i++)
		st = recode_spine(m, &m->stretch[i]);
	for (uint32_t i = 0; i < m->joined_count && st == BOB_OK; i++)
		st = append_spine(m, &m->joined[i]);
	return st;
}

/* --- groups --- */

static int is_like(const struct bob_merge_stretch *a, const struct bob_merge_stretch *b)
{
	return a->rows.left == b->rows.left && a->structure.len == b->structure.len &&
	       bob_bytes_same(a->structure.at, b->structure.at, a->structure.len);
}

static bob_status find_group(struct bob_merge *m, uint32_t number, uint32_t slots)
{
	struct bob_merge_stretch *x = &m->stretch[number];
	uint64_t hash = bob_hash64(x->rows.left, x->structure.at, x->structure.len);
	uint32_t *slot = &m->slot[hash % slots], i = *slot;
	struct bob_merge_group *g;

	while (i &&
	       (m->group[i - 1].hash != hash || !is_like(x, &m->stretch[m->group[i - 1].first])))
		i = m->group[i - 1].next;
	if (!i) {
		if (!bob_array_grow(&m->alloc, &m->group, &m->group_capacity, m->group_count, 1,
				    sizeof(*m->group)))
			return BOB_ERR_NOMEM;
		m->group[m->group_count] =
			(struct bob_merge_group){ hash, number, number, 0, 0, *slot };
		*slot = i = ++m->group_count;
	}
	g = &m->group[i - 1];
	if (g->count && m->stretch[g->last].last >= x->part)
		return BOB_ERR_CORRUPT;
	if (g->count)
		m->stretch[g->last].next = number + 1;
	g->last = number;
	g->count += x->count;
	g->stretches++;
	return BOB_OK;
}

/* Groups stretches with equal contents, in the order of their first members. */
static bob_status find_groups(struct bob_merge *m, enum bob_merge_kind kind)
{
	uint32_t slots = m->stretch_count;
	bob_status st =
		bob_array_grow(&m->alloc, &m->slot, &m->slot_capacity, 0, slots, sizeof(*m->slot)) ?
			BOB_OK :
			BOB_ERR_NOMEM;

	m->group_count = 0;
	if (st == BOB_OK && slots)
		memset(m->slot, 0, slots * sizeof(*m->slot));
	for (uint32_t i = 0; i < slots && st == BOB_OK; i++) {
		st = look_at(m, &m->stretch[i], kind);
		if (st == BOB_OK)
			st = find_group(m, i, slots);
	}
	return st;
}

/* --- sets --- */

/* The memo key of a group's set of parts: three words per stretch. */
static bob_status make_key(struct bob_merge *m, const struct bob_merge_group *g)
{
	uint32_t n = 0;

	if (!bob_array_grow(&m->alloc, &m->key, &m->key_capacity, 0, 3 * (size_t)g->stretches,
			    sizeof(*m->key)))
		return BOB_ERR_NOMEM;
	for (uint32_t i = g->first + 1; i; i = m->stretch[i - 1].next) {
		const struct bob_merge_stretch *x = &m->stretch[i - 1];

		m->key[n++] = (uint64_t)x->from << 32 | x->set;
		m->key[n++] = (uint64_t)x->member << 32 | x->count;
		m->key[n++] = x->part;
	}
	return BOB_OK;
}

static bob_status make_set(struct bob_merge *m, const struct bob_merge_group *g, uint32_t *set)
{
	bob_status st = BOB_OK;

	for (uint32_t i = g->first + 1; i; i = m->stretch[i - 1].next) {
		const struct bob_merge_stretch *x = &m->stretch[i - 1];
		const struct bob_list *from = &m->source[x->from].f->set[x->set];
		uint64_t shift = x->part - bob_list_at(from, x->member);
		struct bob_list_walk w;

		bob_list_begin(&w, from, x->member);
		for (uint32_t k = 0; k < x->count && st == BOB_OK; k++)
			st = bob_folded_add_member(m->out, (uint32_t)(bob_list_next(&w) + shift));
	}
	return st == BOB_OK ? bob_folded_find_set(m->out, set) : st;
}

static bob_status find_set(struct bob_merge *m, const struct bob_merge_group *g, uint32_t *set)
{
	bob_status st = make_key(m, g);

	if (st != BOB_OK || bob_memo_find(&m->sets, m->key, 3 * g->stretches, set))
		return st;
	st = make_set(m, g, set);
	return st == BOB_OK ? bob_memo_add(&m->sets, m->key, 3 * g->stretches, *set) : st;
}

/* --- sharing --- */

/* A column that only one part has, in its source too, is copied unchanged. */
static int is_kept(const struct bob_merge *m, const struct bob_merge_group *g)
{
	const struct bob_merge_stretch *x = &m->stretch[g->first];
	const struct bob_folded *f = m->source[x->from].f;

	return g->count == 1 && f->has_own_groups && f->set[x->set].count == 1;
}

static bob_status share_group(struct bob_merge *m, const struct bob_merge_group *g,
			      enum bob_merge_kind kind, uint32_t *list)
{
	const struct bob_merge_stretch *x = &m->stretch[g->first];
	struct bob_fold_bytes bytes;
	bob_status st = find_set(m, g, &m->profiles.set);

	m->buffer.len = 0;
	if (st == BOB_OK && kind == BOB_MERGE_COLUMNS && !is_kept(m, g))
		st = bob_merge_rows(m, g);
	else if (st == BOB_OK)
		bob_buffer_put(&m->buffer, x->bytes.at, x->bytes.len);
	if (st == BOB_OK)
		st = bob_buffer_keep(&m->buffer, &m->out->tables.blocks, &bytes);
	return st != BOB_OK ? st : bob_folded_share(m->out, list, bytes, m->profiles.set);
}

bob_status bob_merge_list(struct bob_merge *m, enum bob_merge_kind kind, uint32_t *list)
{
	bob_status st;

	if (!m->joined_count)
		st = bob_merge_stretches(m);
	else
		st = kind == BOB_MERGE_SPINES ? join_spines(m) : add_joined(m);
	if (st == BOB_OK)
		st = find_groups(m, kind);
	for (uint32_t g = m->group_count;
	     g-- > 0 && st == BOB_OK;) /* share_group prepends to the list */
		st = share_group(m, &m->group[g], kind, list);
	bob_blocks_free(&m->passing);
	return st;
}
