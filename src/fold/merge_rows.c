/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging: aligns the numbers of columns of equal structure. Each number is a row over the members
 * of a group; a row of a source becomes a stretch of it. Chooses the kind of each row: constant,
 * affine or profile. */
#include <string.h>

#include "base/varint.h"
#include "fold/merge.h"

#define FAR (1u << 16)
#define KEY_WORDS 5u		/* words per stretch */

/* --- rows of stretches --- */

static const struct bob_folded *source_of(const struct bob_merge *m,
					  const struct bob_merge_stretch *x)
{
	return m->source[x->from].f;
}

/* Positions a profile reader at the stretch's first member, whose value is *first. Close it in any
 * case. */
static bob_status open_profile(const struct bob_merge *m, const struct bob_merge_stretch *x,
			       struct bob_profile_reader *r, uint64_t *first)
{
	bob_status st = bob_profile_open(r, source_of(m, x), x->row.profile);

	for (uint64_t left = (uint64_t)x->member + 1; left && st == BOB_OK; left--)
		st = bob_profile_next(r, first);
	return st;
}

static bob_status next_row(struct bob_merge *m, struct bob_merge_stretch *x)
{
	const struct bob_folded *f = source_of(m, x);
	struct bob_profile_reader r;
	uint64_t first;
	bob_status st = bob_row_next(&x->rows, &x->row);

	if (st != BOB_OK)
		return st;
	x->row.first += x->place * x->row.step;
	if (x->row.kind != BOB_ROW_PROFILE)
		return BOB_OK;
	if (x->row.profile >= f->profile_count || f->profile[x->row.profile].set != x->set)
		return BOB_ERR_CORRUPT;
	st = open_profile(m, x, &r, &first);
	bob_profile_close(&r);
	x->row.first += st == BOB_OK ? first : 0;
	return st;
}

/* Calls `take` for each value of a stretch until it returns 0. */
static bob_status each_value(const struct bob_merge *m, const struct bob_merge_stretch *x,
			     int (*take)(void *ctx, uint64_t part, uint64_t value), void *ctx)
{
	const struct bob_list *set = &source_of(m, x)->set[x->set];
	uint64_t before = bob_list_at(set, x->member), base = 0, v = 0;
	struct bob_list_walk w;
	struct bob_profile_reader r;
	const int is_profile = x->row.kind == BOB_ROW_PROFILE;
	bob_status st = is_profile ? open_profile(m, x, &r, &base) : BOB_OK;

	bob_list_begin(&w, set, x->member);
	v = base;
	for (uint32_t i = 0; i < x->count && st == BOB_OK; i++) {
		uint64_t place = bob_list_next(&w) - before;

		if (is_profile && i)
			st = bob_profile_next(&r, &v);
		if (st == BOB_OK &&
		    !take(ctx, x->part + place, x->row.first + v - base + place * x->row.step))
			break;
	}
	if (is_profile)
		bob_profile_close(&r);
	return st;
}

/* --- kinds --- */

/* Any two numbers are affine, so distant ones are a profile instead: the distance of two address
 * spaces recurs in many rows, and equal profiles are stored once. */
static int is_far(uint64_t step)
{
	return step + FAR > 2 * FAR;
}

struct line {
	uint64_t first, part, step;
	int is_on, second;		/* second: index of the value that determines the step */
	uint64_t second_part, second_value;
};

static int take_second(void *ctx, uint64_t part, uint64_t value)
{
	struct line *l = ctx;

	l->second_part = part;
	l->second_value = value;
	return l->second++ < 1;
}

static int take_on_line(void *ctx, uint64_t part, uint64_t value)
{
	struct line *l = ctx;

	l->is_on = value == l->first + (part - l->part) * l->step;
	return l->is_on;
}

/* The value of the second member. */
static bob_status find_second(const struct bob_merge *m, const struct bob_merge_stretch *x,
			      struct line *l)
{
	if (x->count > 1)
		return each_value(m, x, take_second, l);
	x = &m->stretch[x->next - 1];
	l->second_part = x->part;
	l->second_value = x->row.first;
	return BOB_OK;
}

/* Are all values of the stretch on the line? */
static bob_status is_on_line(const struct bob_merge *m, const struct bob_merge_stretch *x,
			     struct line *l)
{
	if (!take_on_line(l, x->part, x->row.first) || x->count == 1)
		return BOB_OK;
	if (x->row.kind == BOB_ROW_PROFILE)
		return each_value(m, x, take_on_line, l);
	l->is_on = x->row.step == l->step; /* step is 0 for constant rows */
	return BOB_OK;
}

/* Determines the kind of the row and, if it is affine, its step per part. */
static bob_status kind_of(const struct bob_merge *m, const struct bob_merge_group *g,
			  enum bob_row_kind *kind, uint64_t *step)
{
	const struct bob_merge_stretch *x = &m->stretch[g->first];
	struct line l = { .first = x->row.first, .part = x->part, .is_on = 1 };
	int64_t grows, places;
	bob_status st;

	*kind = BOB_ROW_SAME;
	*step = 0;
	if (g->count == 1)
		return BOB_OK;
	st = find_second(m, x, &l);
	if (st != BOB_OK)
		return st;
	*kind = BOB_ROW_PROFILE;
	grows = (int64_t)(l.second_value - l.first);
	places = (int64_t)(l.second_part - l.part);
	if (grows % places)
		return BOB_OK;
	l.step = (uint64_t)(grows / places);
	if (g->count == 2 && is_far(l.step))
		return BOB_OK;
	for (uint32_t i = g->first + 1; i && l.is_on && st == BOB_OK; i = m->stretch[i - 1].next)
		st = is_on_line(m, &m->stretch[i - 1], &l);
	if (l.is_on)
		*kind = l.step ? BOB_ROW_AFFINE : BOB_ROW_SAME;
	*step = l.step;
	return st;
}

/* --- profiles --- */

struct values {
	uint64_t *at, first;
};

static int take_value(void *ctx, uint64_t part, uint64_t value)
{
	struct values *v = ctx;

	(void)part;
	*v->at++ = value - v->first;
	return 1;
}

static bob_status new_profile(struct bob_merge *m, const struct bob_merge_group *g,
			      uint32_t *number)
{
	struct values v = { .first = m->stretch[g->first].row.first };
	bob_status st = BOB_OK;

	if (!m->value && !bob_array_grow(&m->alloc, &m->value, &m->value_capacity, 0,
					 m->out->part_count, sizeof(*m->value)))
		return BOB_ERR_NOMEM;
	v.at = m->value;
	for (uint32_t i = g->first + 1; i && st == BOB_OK; i = m->stretch[i - 1].next)
		st = each_value(m, &m->stretch[i - 1], take_value, &v);
	return st == BOB_OK ? bob_profiles_find(&m->profiles, m->value, number) : st;
}

/* The memo key of a row's profile: the values relative to the first one. */
static bob_status make_key(struct bob_merge *m, const struct bob_merge_group *g)
{
	uint64_t first = m->stretch[g->first].row.first;
	uint32_t n = 0;

	if (!bob_array_grow(&m->alloc, &m->key, &m->key_capacity, 0,
			    KEY_WORDS * (size_t)g->stretches, sizeof(*m->key)))
		return BOB_ERR_NOMEM;
	for (uint32_t i = g->first + 1; i; i = m->stretch[i - 1].next) {
		const struct bob_merge_stretch *x = &m->stretch[i - 1];
		uint64_t profile = x->row.kind == BOB_ROW_PROFILE ? x->row.profile + 1ull : 0;

		m->key[n++] = (uint64_t)x->from << 32 | x->set;
		m->key[n++] = (uint64_t)x->member << 32 | x->count;
		m->key[n++] = (uint64_t)x->part << 32 | profile;
		m->key[n++] = x->row.first - first;
		m->key[n++] = x->row.step;
	}
	return BOB_OK;
}

static bob_status find_profile(struct bob_merge *m, const struct bob_merge_group *g,
			       uint32_t *number)
{
	uint32_t len = KEY_WORDS * g->stretches;
	bob_status st = make_key(m, g);

	if (st != BOB_OK || bob_memo_find(&m->rows, m->key, len, number))
		return st;
	st = new_profile(m, g, number);
	return st == BOB_OK ? bob_memo_add(&m->rows, m->key, len, *number) : st;
}

/* --- rows --- */

static bob_status put_row(struct bob_merge *m, const struct bob_merge_group *g,
			  enum bob_row_kind *kind)
{
	uint64_t step;
	uint32_t profile;
	bob_status st = BOB_OK;

	for (uint32_t i = g->first + 1; i && st == BOB_OK; i = m->stretch[i - 1].next)
		st = next_row(m, &m->stretch[i - 1]);
	if (st == BOB_OK)
		st = kind_of(m, g, kind, &step);
	if (st == BOB_OK && *kind == BOB_ROW_PROFILE) {
		st = find_profile(m, g, &profile);
		if (st != BOB_OK)
			return st;
		bob_profiles_use(&m->profiles, profile);
		bob_buffer_varint(&m->buffer, profile);
	}
	if (st != BOB_OK)
		return st;
	bob_buffer_signed(&m->buffer, m->stretch[g->first].row.first);
	if (*kind == BOB_ROW_AFFINE)
		bob_buffer_signed(&m->buffer, step);
	return m->buffer.failed ? BOB_ERR_NOMEM : BOB_OK;
}

bob_status bob_merge_rows(struct bob_merge *m, const struct bob_merge_group *g)
{
	static const uint8_t zero[64];
	const struct bob_merge_stretch *first = &m->stretch[g->first];
	struct bob_buffer *b = &m->buffer;
	uint32_t rows = first->rows.left, kinds;
	bob_status st = BOB_OK;

	bob_buffer_varint(b, first->structure.len);
	bob_buffer_put(b, first->structure.at, first->structure.len);
	bob_buffer_varint(b, rows);
	kinds = b->len;
	for (uint32_t left = rows / 4 + (rows % 4 != 0), n; left; left -= n) {
		n = left < sizeof(zero) ? left : (uint32_t)sizeof(zero);
		bob_buffer_put(b, zero, n);
	}
	for (uint32_t i = 0; i < rows && st == BOB_OK && !b->failed; i++) {
		enum bob_row_kind kind;

		st = put_row(m, g, &kind);
		if (st == BOB_OK)
			b->at[kinds + i / 4] |= (uint8_t)(kind << 2 * (i % 4));
	}
	return st == BOB_OK && b->failed ? BOB_ERR_NOMEM : st;
}
