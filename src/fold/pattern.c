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
};

struct elements {
	struct bob_alloc alloc;
	struct element *element;
	uint32_t count, room;
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

/* Do the `n` elements at `at` come three times, as far as their first one tells? Mostly not. */
static int may_repeat(const struct elements *e, uint32_t at, uint32_t n)
{
	return same_structure(e, at, at + n) && same_structure(e, at, at + 2 * n) &&
	       progress(e, at, at + n, at + 2 * n);
}

/* How often the `n` elements at `at` come in a row, this time included. */
static uint32_t repeats(const struct elements *e, uint32_t at, uint32_t n)
{
	uint32_t end = at + n;

	for (; end < e->count; end++)
		if (!same_structure(e, end - n, end) ||
		    (end - at >= 2 * n && !progress(e, end - 2 * n, end - n, end)))
			break;
	return (end - at) / n;
}

/* --- making --- */

static int add_element(struct elements *e, const struct element *x)
{
	if (!bob_array_grow(&e->alloc, &e->element, &e->room, e->count, 1, sizeof(*e->element)))
		return 0;
	e->element[e->count++] = *x;
	return 1;
}

static int copy_element(const struct elements *from, uint32_t at, struct elements *to,
			struct bob_content *out)
{
	const struct element *x = &from->element[at];
	struct element y = { x->mark, out->structure.len, x->structure_len, out->count,
			     x->number_count };

	bob_buffer_put(&out->structure, from->content->structure.at + x->structure,
		       x->structure_len);
	for (uint32_t i = 0; i < x->number_count; i++)
		if (!bob_content_add(out, from->content->number[x->number + i]))
			return 0;
	return add_element(to, &y);
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
	struct element y = { .structure = out->structure.len, .number = out->count };

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
	y.mark = out->structure.failed ? 0 : mark_of(out, &y);
	return add_element(to, &y);
}

/* All patterns of one level. 0: there is no memory. */
static int fold_once(const struct elements *from, struct elements *to, struct bob_content *out)
{
	for (uint32_t at = 0; at < from->count;) {
		uint32_t n = 1, times = 0;

		for (; n <= BOB_PATTERN_MAX && at + REPEATS_MIN * n <= from->count; n++) {
			times = may_repeat(from, at, n) ? repeats(from, at, n) : 0;
			if (times >= REPEATS_MIN)
				break;
		}
		if (times >= REPEATS_MIN) {
			if (!make_pattern(from, at, n, times, to, out))
				return 0;
			at += n * times;
		} else if (!copy_element(from, at++, to, out)) {
			return 0;
		}
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
		struct element x = { 0, (uint32_t)(at - c->structure.at), 0, number, 0 };

		if (bob_element_skip(&at, end, &count) != BOB_OK)
			break;
		x.structure_len = (uint32_t)(at - c->structure.at) - x.structure;
		x.number_count = count;
		x.mark = mark_of(c, &x);
		before = c->number[number] += before;
		number += count;
		if (!add_element(e, &x))
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
		ok = fold_once(&from, &to, &out);
		changed = ok && to.count < from.count;
		if (!changed)
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
	bob_content_free(&out);
	return ok ? BOB_OK : BOB_ERR_NOMEM;
}
