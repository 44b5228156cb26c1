/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging: the order of the parts. Parts are ordered by participant. The parts of one participant
 * are those of its source, in order, then those of the sources that continue it. The result is a
 * list of runs: consecutive parts of a source that stay consecutive. A heap of the sources finds
 * the next part (k-way merge). */
#include <string.h>

#include "fold/merge.h"

/* --- heap of sources --- */

static uint64_t next_id(const struct bob_merge_source *s)
{
	return bob_list_at(&s->id, s->next);
}

/* Does the next part of source a precede that of b? For equal participants, the source named first
 * precedes. */
static int is_before(const struct bob_merge *m, uint32_t a, uint32_t b)
{
	uint64_t x = next_id(&m->source[a]), y = next_id(&m->source[b]);

	return x != y ? x < y : a < b;
}

/* Restores the heap order from `at` downwards. */
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

/* Computes the ids of a source's parts. Renamed ids live until the merge ends. */
static bob_status find_ids(struct bob_merge *m, struct bob_merge_source *s)
{
	struct bob_lister l = { .alloc = m->alloc };
	struct bob_list_walk w;
	bob_status st;

	s->id = s->f->id;
	if (!s->rename || !s->rename->id)
		return BOB_OK;
	bob_list_begin(&w, &s->f->id, 0);
	for (uint32_t i = 0; i < s->f->part_count; i++)
		bob_lister_put(&l, s->rename->id(s->rename->ctx, bob_list_next(&w)));
	st = bob_lister_end(&l, &m->ids, &s->id);
	bob_lister_free(&l);
	return st;
}

static int may_leave_out(const struct bob_merge_source *s)
{
	return s->skip || (s->rename && s->rename->id);
}

static void step(struct bob_merge_source *s)
{
	uint64_t id = bob_list_at(&s->f->id, s->next);

	s->seen += bob_list_at(&s->f->events, s->next++);
	if (s->next < s->f->part_count && bob_list_at(&s->f->id, s->next) != id) {
		s->seen = 0;
		s->participant++;
	}
}

/* BOB_NONE: the next part is omitted. */
static bob_status is_wanted(const struct bob_merge_source *s)
{
	const uint64_t skip = s->skip ? s->skip[s->participant] : 0;

	if (s->rename && next_id(s) == BOB_FOLD_OMIT)
		return BOB_NONE;
	if (s->seen >= skip)
		return BOB_OK;
	return s->seen + bob_list_at(&s->f->events, s->next) <= skip ? BOB_NONE : BOB_ERR_INVAL;
}

/* Skips omitted parts. BOB_NONE: the source has no more parts. */
static bob_status look_at_next(struct bob_merge_source *s)
{
	for (; s->next < s->f->part_count; step(s)) {
		bob_status st = may_leave_out(s) ? is_wanted(s) : BOB_OK;

		if (st != BOB_NONE)
			return st;
		s->leaves_out = 1;
	}
	return BOB_NONE;
}

static bob_status begin_heap(struct bob_merge *m)
{
	if (!bob_array_grow(&m->alloc, &m->heap, &m->heap_capacity, 0, m->source_count,
			    sizeof(*m->heap)))
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < m->source_count; i++) {
		bob_status st = find_ids(m, &m->source[i]);

		if (st == BOB_OK)
			st = look_at_next(&m->source[i]);
		if (st == BOB_OK)
			m->heap[m->heap_count++] = i;
		else if (st != BOB_NONE)
			return st;
	}
	for (uint32_t i = m->heap_count / 2; i-- > 0;)
		sink(m, i);
	return BOB_OK;
}

/* --- runs --- */

/* The source with the second smallest next part; the heap has at least two. */
static uint32_t second(const struct bob_merge *m)
{
	uint32_t other = 1;

	if (m->heap_count > 2 && is_before(m, m->heap[2], m->heap[1]))
		other = 2;
	return m->heap[other];
}

/* End of the run of the heap's first source, none of whose parts are omitted: its first part that
 * does not precede the next part of another source. */
static uint32_t end_of_run(const struct bob_merge *m)
{
	const struct bob_merge_source *s = &m->source[m->heap[0]];
	uint32_t other, end;
	uint64_t id;

	if (m->heap_count == 1)
		return s->f->part_count;
	other = second(m);
	id = next_id(&m->source[other]);
	end = bob_list_below(&s->id, id);
	while (end < s->f->part_count && m->heap[0] < other && bob_list_at(&s->id, end) == id)
		end++;
	return end > s->next ? end : s->next + 1;
}

/* Does the next part of the heap's first source continue the run? For sources with omitted
 * parts. */
static int goes_with_run(const struct bob_merge *m)
{
	const struct bob_merge_source *s = &m->source[m->heap[0]];

	return s->next < s->f->part_count && is_wanted(s) == BOB_OK &&
	       (m->heap_count == 1 || is_before(m, m->heap[0], second(m)));
}

static bob_status add_run(struct bob_merge *m, struct bob_merge_run **runs, uint32_t *count,
			  uint32_t *capacity, const struct bob_merge_run *run)
{
	if (!bob_array_grow(&m->alloc, runs, capacity, *count, 1, sizeof(**runs)))
		return BOB_ERR_NOMEM;
	(*runs)[(*count)++] = *run;
	return BOB_OK;
}

/* Takes the next run from the heap's first source. */
static bob_status take_run(struct bob_merge *m)
{
	struct bob_merge_source *s = &m->source[m->heap[0]];
	struct bob_merge_run run = { m->heap[0], s->next, 1, m->part_total };

	if (!may_leave_out(s)) {
		s->next = end_of_run(m);
		run.count = s->next - run.first;
	} else {
		for (step(s); goes_with_run(m); step(s))
			run.count++;
	}
	m->part_total += run.count;
	return add_run(m, &m->run, &m->run_count, &m->run_capacity, &run);
}

/* Checks that participants ascend, and that only continuing sources repeat a participant. */
static bob_status check_runs(const struct bob_merge *m)
{
	uint64_t before = 0;

	for (uint32_t i = 0; i < m->run_count; i++) {
		const struct bob_merge_run *run = &m->run[i];
		const struct bob_merge_source *s = &m->source[run->from];
		struct bob_list_walk w;

		bob_list_begin(&w, &s->id, run->first);
		for (uint32_t k = 0; k < run->count; k++) {
			uint64_t id = bob_list_next(&w);
			int same = (i || k) && id == before;

			if (((i || k) && id < before) ||
			    (same && !k && m->run[i - 1].from != run->from && !s->goes_on))
				return BOB_ERR_INVAL;
			before = id;
		}
	}
	return BOB_OK;
}

bob_status bob_merge_parts(struct bob_merge *m)
{
	bob_status st = begin_heap(m);

	while (st == BOB_OK && m->heap_count) {
		st = take_run(m);
		if (st == BOB_OK)
			st = look_at_next(&m->source[m->heap[0]]);
		if (st == BOB_NONE)
			m->heap[0] = m->heap[--m->heap_count];
		sink(m, 0);
		st = st == BOB_NONE ? BOB_OK : st;
	}
	return st == BOB_OK ? check_runs(m) : st;
}

/* --- joining --- */

/* A part of a source. */
struct origin {
	uint32_t from, part;
};

static int has_values(const struct bob_merge *m, struct origin o)
{
	const struct bob_folded *f = m->source[o.from].f;
	uint32_t member;
	const struct bob_fold_sharing *s = bob_folded_find(f, f->values, o.part, &member);

	return s && s->bytes.len;
}

/* Calls `visit` for the mark of each column of `out` that the part has, until it returns 1. Returns
 * whether it did. */
static int any_column(const struct bob_merge *m, struct origin o, uint8_t *mark,
		      int (*visit)(uint8_t *mark))
{
	const struct bob_merge_source *from = &m->source[o.from];
	uint32_t member;

	for (uint32_t k = 0; k < from->maps.column_count; k++)
		if (from->maps.column[k] != BOB_TABLES_NONE &&
		    bob_folded_find(from->f, from->f->column[k], o.part, &member) &&
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

/* State while the parts of `out` are made. The newest part may still grow. */
struct joining {
	struct bob_merge *m;
	struct bob_merge_run *run;	/* replaces m->run */
	uint32_t run_count, run_capacity;
	uint8_t *mark;			/* columns of the newest part; valid if has_mark */
	int has_mark, values;		/* values: the newest part has values */
	struct origin newest;		/* the newest part before others were joined to it */
	uint64_t id, events;
	uint32_t segment, count;	/* count: parts including the newest one */
};

/* Can a part be joined to the newest one? They must have no column in common. */
static int may_join(struct joining *j, struct origin o)
{
	const struct bob_merge *m = j->m;

	if (!j->has_mark) {
		memset(j->mark, 0, m->out->tables.column_count);
		any_column(m, j->newest, j->mark, set_mark);
		j->values = has_values(m, j->newest);
		j->has_mark = 1;
	}
	return !(j->values && has_values(m, o)) && !any_column(m, o, j->mark, is_marked);
}

static bob_status join(struct joining *j, struct origin o, uint64_t events)
{
	const struct bob_merge_run run = { o.from, o.part, 1, j->count - 1 };

	any_column(j->m, o, j->mark, set_mark);
	j->values |= has_values(j->m, o);
	j->events += events;
	return add_run(j->m, &j->m->joined, &j->m->joined_count, &j->m->joined_capacity, &run);
}

static bob_status end_newest(const struct joining *j)
{
	return j->count ? bob_folded_add_part(j->m->out, j->id, j->segment, j->events) : BOB_OK;
}

static bob_status begin_part(struct joining *j, struct origin o, uint64_t id, uint64_t events)
{
	struct bob_merge_run *last = j->run_count ? &j->run[j->run_count - 1] : NULL;
	const struct bob_merge_run run = { o.from, o.part, 1, j->count };
	bob_status st = end_newest(j);

	if (st == BOB_OK && last && last->from == o.from && last->first + last->count == o.part)
		last->count++;
	else if (st == BOB_OK)
		st = add_run(j->m, &j->run, &j->run_count, &j->run_capacity, &run);
	j->segment = j->count && j->id == id ? j->segment + 1 : 0;
	j->id = id;
	j->events = events;
	j->newest = o;
	j->has_mark = 0;
	j->count++;
	return st;
}

static bob_status join_run(struct joining *j, const struct bob_merge_run *run)
{
	const struct bob_merge_source *s = &j->m->source[run->from];
	struct bob_list_walk id, events;
	bob_status st = BOB_OK;

	bob_list_begin(&id, &s->id, run->first);
	bob_list_begin(&events, &s->f->events, run->first);
	for (uint32_t k = 0; k < run->count && st == BOB_OK; k++) {
		const struct origin o = { run->from, run->first + k };
		uint64_t x = bob_list_next(&id), n = bob_list_next(&events);

		if (s->goes_on && j->count && j->id == x && j->newest.from != o.from &&
		    may_join(j, o))
			st = join(j, o, n);
		else
			st = begin_part(j, o, x, n);
	}
	return st;
}

bob_status bob_merge_join(struct bob_merge *m)
{
	size_t columns = m->out->tables.column_count + (size_t)1;
	struct joining j = { .m = m, .mark = m->alloc.resize(m->alloc.ctx, NULL, 0, columns) };
	bob_status st = j.mark ? BOB_OK : BOB_ERR_NOMEM;

	for (uint32_t i = 0; i < m->run_count && st == BOB_OK; i++)
		st = join_run(&j, &m->run[i]);
	if (st == BOB_OK)
		st = end_newest(&j);
	if (j.mark)
		m->alloc.resize(m->alloc.ctx, j.mark, columns, 0);
	bob_array_free(&m->alloc, m->run, m->run_capacity, sizeof(*m->run));
	m->run = j.run;
	m->run_count = j.run_count;
	m->run_capacity = j.run_capacity;
	return st == BOB_OK ? bob_folded_end_parts(m->out) : st;
}
