/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns: pieces that take turns. A column folds what is one loop nest; where rows of other kinds alternate --
 * 1 2 3 .. n, 0, 1 2 3 .. n + 1, 0 -- it gives many pieces, and these progress affinely again. So once the
 * column is complete its pieces are looked at as elements with numbers: where n elements are followed by
 * the same n twice or more, and each of their numbers by the same step, they are one element, a
 * pattern. Patterns are elements too, so this is done until nothing changes.
 *
 * Work: n elements, times BOB_PATTERN_MAX tries that mostly fail at once, times the depth. */
#include <string.h>

#include "fold/columns.h"
#include "fold/group.h"

#define REPEATS_MIN 3u
#define MARK_BYTES 4u

struct element {
	uint64_t mark;			/* of the structure: that of others is another one if this is */
	uint32_t structure, structure_len;
	uint32_t number, number_count;	/* the first one is absolute here */
	uint32_t is_new;		/* was not there at the level before */
};

struct elements {
	struct bob_alloc alloc;
	struct element *element;
	uint64_t *first;		/* number of each */
	uint32_t count, room, first_room;
	const struct bob_content *content;
};

/* Its length and its first bytes: mostly all of it. */
static uint64_t mark_of(const struct bob_content *c, const struct element *x)
{
	uint32_t n = x->structure_len < MARK_BYTES ? x->structure_len : MARK_BYTES;
	uint64_t mark = x->structure_len;

	for (uint32_t i = 0; i < n; i++)
		mark = mark << 8 | c->structure.at[x->structure + i];
	return mark;
}

static inline int same_structure(const struct elements *e, uint32_t a, uint32_t b)
{
	const struct element *p = &e->element[a], *q = &e->element[b];
	const uint8_t *bytes = e->content->structure.at;

	return p->mark == q->mark &&
	       (p->structure_len <= MARK_BYTES ||
		!memcmp(bytes + p->structure, bytes + q->structure, p->structure_len));
}

/* Does each number of c follow b as b follows a? */
static int progress(const struct elements *e, uint32_t a, uint32_t b, uint32_t c)
{
	const uint64_t *n = e->content->number;
	const uint64_t *x = n + e->element[a].number, *y = n + e->element[b].number,
		       *z = n + e->element[c].number;

	for (uint32_t i = 0; i < e->element[a].number_count; i++)
		if (y[i] - x[i] != z[i] - y[i])
			return 0;
	return 1;
}

/* May the `n` elements at `at` come three times, as far as their first one tells? Mostly not: this is asked for each element and each n. */
static inline int may_repeat(const struct elements *e, uint32_t at, uint32_t n)
{
	const uint64_t *v = e->first + at;

	return v[n] - v[0] == v[2 * n] - v[n] && e->element[at].mark == e->element[at + n].mark;
}

/* Does the element follow that of `n` before as that one follows its own? */
static inline int follows(const struct elements *e, uint32_t at, uint32_t n)
{
	return same_structure(e, at - n, at) && progress(e, at - 2 * n, at - n, at);
}

/* How often the `n` elements at `at` come in a row, this time included; 0: fewer times than count. */
static uint32_t repeats(const struct elements *e, uint32_t at, uint32_t n)
{
	uint32_t end = at + 2 * n;

	for (; end < at + REPEATS_MIN * n; end++)
		if (!same_structure(e, end - 2 * n, end) || !follows(e, end, n))
			return 0;
	while (end < e->count && follows(e, end, n))
		end++;
	return (end - at) / n;
}

/* --- making --- */

static int add_element(struct elements *e, const struct element *x, uint64_t first)
{
	if (e->count == e->room &&
	    !bob_array_grow(&e->alloc, &e->element, &e->room, e->count, 1, sizeof(*e->element)))
		return 0;
	if (e->count == e->first_room &&
	    !bob_array_grow(&e->alloc, &e->first, &e->first_room, e->count, 1, sizeof(*e->first)))
		return 0;
	e->first[e->count] = first;
	e->element[e->count++] = *x;
	return 1;
}

/* Those from `at` to `end`, whose bytes and numbers lie behind each other. */
static int copy_elements(const struct elements *from, uint32_t at, uint32_t end,
			 struct elements *to, struct bob_content *out)
{
	const struct element *first = &from->element[at], *last = &from->element[end - 1];
	uint32_t structure = out->structure.len - first->structure;
	uint32_t number = out->count - first->number;

	bob_buffer_put(&out->structure, from->content->structure.at + first->structure,
		       last->structure + last->structure_len - first->structure);
	for (uint32_t i = first->number; i < last->number + last->number_count; i++)
		if (!bob_content_add(out, from->content->number[i]))
			return 0;
	for (uint32_t i = at; i < end; i++) {
		struct element x = from->element[i];

		x.structure += structure;
		x.number += number;
		x.is_new = 0;
		if (!add_element(to, &x, from->first[i]))
			return 0;
	}
	return 1;
}

/* The numbers of `n` elements of a pattern: those at `at`, or, with `back`, how they differ from those so many
 * before. */
static int add_numbers(const struct elements *from, uint32_t at, uint32_t n, uint32_t back,
		       struct bob_content *out)
{
	const uint64_t *number = from->content->number;
	uint64_t first = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct element *x = &from->element[at + i];
		const struct element *y = back ? &from->element[at + i - back] : NULL;

		for (uint32_t k = 0; k < x->number_count; k++) {
			uint64_t v = number[x->number + k] - (y ? number[y->number + k] : 0);

			if (!i && !k)
				first = v;
			if (!bob_content_add(out, i && !k ? v - first : v))
				return 0;
		}
	}
	return 1;
}

static int make_pattern(const struct elements *from, uint32_t at, uint32_t n, uint32_t times,
			struct elements *to, struct bob_content *out)
{
	uint8_t mark = (uint8_t)(BOB_PATTERN_MARK + n);
	struct element y = { .structure = out->structure.len, .number = out->count, .is_new = 1 };

	bob_buffer_put(&out->structure, &mark, 1);
	for (uint32_t i = 0; i < n; i++)
		bob_buffer_put(&out->structure,
			       from->content->structure.at + from->element[at + i].structure,
			       from->element[at + i].structure_len);
	if (!add_numbers(from, at, n, 0, out) || !bob_content_add(out, times) ||
	    !add_numbers(from, at + n, n, n, out))
		return 0;
	y.structure_len = out->structure.len - y.structure;
	y.number_count = out->count - y.number;
	if (out->structure.failed)
		return 0;
	y.mark = mark_of(out, &y);
	return add_element(to, &y, out->number[y.number]);
}

/* A pattern: `n` elements at `at`, so many times. */
struct found {
	uint32_t at, n, times;
	uint32_t fresh;		/* no element between `at` and this is new */
};

/* The next one from f->at on; 0: there is none. What came three times without anything new in it was seen at the level before. */
static int find_next(const struct elements *e, struct found *f)
{
	for (; f->at + REPEATS_MIN <= e->count; f->at++) {
		f->fresh = f->fresh < f->at ? f->at : f->fresh;
		while (f->fresh < e->count && !e->element[f->fresh].is_new)
			f->fresh++;
		f->n = (f->fresh - f->at) / REPEATS_MIN + 1;
		for (; f->n <= BOB_PATTERN_MAX && f->at + REPEATS_MIN * f->n <= e->count; f->n++) {
			f->times = may_repeat(e, f->at, f->n) ? repeats(e, f->at, f->n) : 0;
			if (f->times >= REPEATS_MIN)
				return 1;
		}
	}
	return 0;
}

/* All patterns of one level. *changed is 0 if there are none; then nothing is made. 0: there is no memory. */
static int fold_once(const struct elements *from, struct elements *to, struct bob_content *out,
		     int *changed)
{
	struct found f = { 0 };
	uint32_t done = 0;
	int more;

	*changed = 0;
	while ((more = find_next(from, &f)) || *changed) {
		uint32_t end = more ? f.at : from->count;

		if (end > done && !copy_elements(from, done, end, to, out))
			return 0;
		if (!more)
			break;
		*changed = 1;
		if (!make_pattern(from, f.at, f.n, f.times, to, out))
			return 0;
		done = f.at += f.n * f.times;
	}
	return !out->structure.failed;
}

/* --- a column --- */

/* Its elements; their first numbers become absolute. What is behind them is *tail. */
static int find_elements(struct bob_content *c, struct elements *e, const uint8_t **tail)
{
	const uint8_t *at = c->structure.at, *end = at + c->structure.len;
	uint64_t before = 0;
	uint32_t number = 0, count;

	while (at != end && *at != BOB_COLUMN_GIVEN_UP) {
		struct element x = { .structure = (uint32_t)(at - c->structure.at),
				     .number = number,
				     .is_new = 1 };

		if (bob_element_skip(&at, end, &count) != BOB_OK)
			break;
		x.structure_len = (uint32_t)(at - c->structure.at) - x.structure;
		x.number_count = count;
		x.mark = mark_of(c, &x);
		before = c->number[number] += before;
		number += count;
		if (!add_element(e, &x, before))
			return 0;
	}
	*tail = at;
	return 1;
}

static void make_relative(struct bob_content *c, const struct elements *e)
{
	uint64_t before = 0;

	for (uint32_t i = 0; i < e->count; i++) {
		uint64_t *first = &c->number[e->element[i].number], absolute = *first;

		*first -= before;
		before = absolute;
	}
}

static void exchange(struct bob_content *a, struct bob_content *b)
{
	struct bob_content c = *a;

	*a = *b;
	*b = c;
}

bob_status bob_content_fold(struct bob_content *c)
{
	struct bob_alloc a = c->structure.alloc;
	struct bob_content out = { .structure.alloc = a };
	struct elements from = { .alloc = a }, to = { .alloc = a };
	const uint8_t *tail = NULL;
	int ok = find_elements(c, &from, &tail), changed = ok;

	for (unsigned depth = 0; ok && changed && depth < BOB_PATTERN_DEPTH; depth++) {
		uint32_t tail_len = (uint32_t)(c->structure.at + c->structure.len - tail), tail_at;

		from.content = c;
		bob_content_clear(&out);
		to.count = 0;
		ok = fold_once(&from, &to, &out, &changed);
		if (!ok || !changed)
			break;
		tail_at = out.structure.len;
		bob_buffer_put(&out.structure, tail, tail_len);
		ok = !out.structure.failed;
		exchange(c, &out);
		tail = c->structure.at + tail_at;
		struct elements e = from;
		from = to;
		to = e;
	}
	if (ok)
		make_relative(c, &from);
	bob_array_free(&a, from.element, from.room, sizeof(*from.element));
	bob_array_free(&a, to.element, to.room, sizeof(*to.element));
	bob_array_free(&a, from.first, from.first_room, sizeof(*from.first));
	bob_array_free(&a, to.first, to.first_room, sizeof(*to.first));
	bob_content_free(&out);
	return ok ? BOB_OK : BOB_ERR_NOMEM;
}
