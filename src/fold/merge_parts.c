/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging: the parts. All of them, by participant; of one participant those of its source, in order, and behind them those of
 * the sources that go on from there. */
#include <string.h>

#include "fold/merge.h"

/* Does source a's next part come before b's? Of one participant, those of the source that was named first do. */
static int is_before(const struct bob_merge *m, uint32_t a, uint32_t b)
{
	const struct bob_merge_source *x = &m->source[a], *y = &m->source[b];

	return x->id != y->id ? x->id < y->id : a < b;
}

/* What is at `at` of the heap goes down to its place. */
static void sink(struct bob_merge *m, uint32_t at)
{
	for (;;) {
		uint32_t best = 2 * at + 1, source = m->heap[at];

		if (best >= m->heap_count)
			return;
		if (best + 1 < m->heap_count && is_before(m, m->heap[best + 1], m->heap[best]))
			best++;
		if (!is_before(m, m->heap[best], source))
			return;
		m->heap[at] = m->heap[best];
		m->heap[best] = source;
		at = best;
	}
}

static void step(struct bob_merge_source *s)
{
	const struct bob_fold_part *p = &s->f->part[s->next++];

	s->seen += p->events;
	if (s->next < s->f->part_count && s->f->part[s->next].id != p->id) {
		s->seen = 0;
		s->participant++;
	}
}

/* BOB_NONE: the next part is left out. */
static bob_status is_wanted(struct bob_merge_source *s)
{
	const struct bob_fold_part *p = &s->f->part[s->next];
	uint64_t behind = s->behind ? s->behind[s->participant] : 0;

	s->id = p->id;
	if (s->rename && s->rename->id)
		s->id = s->rename->id(s->rename->ctx, p->id);
	if (s->id == BOB_FOLD_NOBODY && s->rename)
		return BOB_NONE;
	if (s->seen >= behind)
		return BOB_OK;
	return s->seen + p->events <= behind ? BOB_NONE : BOB_ERR_INVAL;
}

/* BOB_NONE: the source has no parts left. */
static bob_status look_at_next(struct bob_merge_source *s)
{
	for (; s->next < s->f->part_count; step(s)) {
		bob_status st = is_wanted(s);

		if (st != BOB_NONE)
			return st;
		s->leaves_out = 1;
	}
	return BOB_NONE;
}

static bob_status begin_heap(struct bob_merge *m)
{
	if (!bob_array_grow(&m->alloc, &m->heap, &m->heap_room, 0, m->source_count,
			    sizeof(*m->heap)))
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < m->source_count; i++) {
		bob_status st = look_at_next(&m->source[i]);

		if (st == BOB_OK)
			m->heap[m->heap_count++] = i;
		else if (st != BOB_NONE)
			return st;
	}
	for (uint32_t i = m->heap_count / 2; i-- > 0;)
		sink(m, i);
	return BOB_OK;
}

/* The next part of the source that is first in the heap. */
static bob_status add_part(struct bob_merge *m)
{
	struct bob_merge_source *s = &m->source[m->heap[0]];
	struct bob_fold_part *p = bob_folded_add_part(m->out);
	uint32_t at = m->out->part_count - 1;

	if (!p || !bob_array_grow(&m->alloc, &m->origin, &m->part_room, at, 1, sizeof(*m->origin)))
		return BOB_ERR_NOMEM;
	*p = s->f->part[s->next];
	p->id = s->id;
	p->segment = 0;
	m->origin[at] = (struct bob_merge_origin){ .from = m->heap[0], .part = s->next };
	if (at && p[-1].id == p->id) {
		if (m->origin[at - 1].from != m->heap[0] && !s->goes_on)
			return BOB_ERR_INVAL;
		p->segment = p[-1].segment + 1;
	}
	step(s);
	return BOB_OK;
}

bob_status bob_merge_parts(struct bob_merge *m)
{
	bob_status st = begin_heap(m);

	while (st == BOB_OK && m->heap_count) {
		struct bob_merge_source *s = &m->source[m->heap[0]];

		st = add_part(m);
		if (st != BOB_OK)
			break;
		st = look_at_next(s);
		if (st == BOB_NONE)
			m->heap[0] = m->heap[--m->heap_count];
		sink(m, 0);
		st = st == BOB_NONE ? BOB_OK : st;
	}
	for (uint32_t i = 1; i < m->out->part_count && st == BOB_OK; i++)
		if (m->out->part[i - 1].id > m->out->part[i].id)
			st = BOB_ERR_INVAL;
	return st;
}

/* --- joining --- */

static int has_values(const struct bob_merge *m, const struct bob_merge_origin *o)
{
	const struct bob_folded *f = m->source[o->from].f;
	uint32_t member;
	const struct bob_fold_sharing *s = bob_folded_find(f, f->values, o->part, &member);

	return s && s->bytes.len;
}

/* Columns of `out` that the origin has: `visit` returns 1 to stop, and then it is 1. */
static int any_column(const struct bob_merge *m, const struct bob_merge_origin *o, uint8_t *mark,
		      int (*visit)(uint8_t *mark))
{
	const struct bob_merge_source *from = &m->source[o->from];
	uint32_t member;

	for (uint32_t k = 0; k < from->maps.column_count; k++)
		if (from->maps.column[k] != BOB_TABLES_NONE &&
		    bob_folded_find(from->f, from->f->column[k], o->part, &member) &&
		    visit(&mark[from->maps.column[k]]))
			return 1;
	return 0;
}

static int set_mark(uint8_t *mark)
{
	*mark = 1;
	return 0;
}

static int is_marked(uint8_t *mark)
{
	return *mark;
}

/* `mark` has a byte for each column, which are 0. */
static int may_join(const struct bob_merge *m, const struct bob_merge_origin *a,
		    const struct bob_merge_origin *b, uint8_t *mark)
{
	int values = has_values(m, a);

	any_column(m, a, mark, set_mark);
	for (uint32_t i = a->also; i; i = m->joined[i - 1].also) {
		values |= has_values(m, &m->joined[i - 1]);
		any_column(m, &m->joined[i - 1], mark, set_mark);
	}
	return !(values && has_values(m, b)) && !any_column(m, b, mark, is_marked);
}

static bob_status join(struct bob_merge *m, struct bob_merge_origin *a,
		       const struct bob_merge_origin *b)
{
	uint32_t *last = &a->also;

	if (!bob_array_grow(&m->alloc, &m->joined, &m->joined_room, m->joined_count, 1,
			    sizeof(*m->joined)))
		return BOB_ERR_NOMEM;
	while (*last)
		last = &m->joined[*last - 1].also;
	m->joined[m->joined_count] = *b;
	*last = ++m->joined_count;
	return BOB_OK;
}

bob_status bob_merge_join(struct bob_merge *m)
{
	struct bob_folded *f = m->out;
	uint32_t columns = f->tables.column_count, to = 0;
	uint8_t *mark = m->alloc.resize(m->alloc.ctx, NULL, 0, (size_t)columns + 1);
	bob_status st = mark ? BOB_OK : BOB_ERR_NOMEM;

	for (uint32_t i = 0; i < f->part_count && st == BOB_OK; i++) {
		const struct bob_merge_origin o = m->origin[i];
		struct bob_fold_part *before = to ? &f->part[to - 1] : NULL;

		if (before && before->id == f->part[i].id && m->source[o.from].goes_on &&
		    m->origin[to - 1].from != o.from) {
			memset(mark, 0, columns);
			if (may_join(m, &m->origin[to - 1], &o, mark)) {
				st = join(m, &m->origin[to - 1], &o);
				before->events += f->part[i].events;
				continue;
			}
		}
		f->part[to] = f->part[i];
		f->part[to].segment = before && before->id == f->part[i].id ? before->segment + 1 :
									      0;
		m->origin[to++] = o;
	}
	if (mark)
		m->alloc.resize(m->alloc.ctx, mark, (size_t)columns + 1, 0);
	if (st == BOB_OK)
		f->part_count = to;
	return st == BOB_OK ? bob_folded_end_parts(f) : st;
}
