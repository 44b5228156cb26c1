/* SPDX-License-Identifier: BSD-3-Clause */
/* Detection of periodic pieces. Elements are processed one by one. While a pattern is open, a
 * matching element is only counted. A mismatch closes the pattern; the counted elements of the
 * incomplete repetition are processed again, before the mismatching one. A closed pattern or a
 * piece is *settled*: if the newest n elements are the next repetition of a pattern before them, it
 * opens again; if the newest 3 n elements are periodic, they become a pattern; otherwise they stay.
 * So only the newest end is searched.
 *
 * Memory always suffices: three repetitions take more than their pattern, and counted elements have
 * been removed. */
#include "fold/pattern.h"

#include <string.h>

#include "fold/columns.h"

#define REPEATS_MIN 3u

/* --- elements --- */

static uint32_t depth_at(const uint8_t **at, const uint8_t *end)
{
	uint32_t deepest = 0, numbers;

	if (at[0][0] <= BOB_PATTERN_MARK) {
		(void)bob_element_skip(at, end, &numbers);
		return 0;
	}
	for (uint32_t n = *(*at)++ - BOB_PATTERN_MARK; n; n--) {
		uint32_t depth = depth_at(at, end);

		deepest = deepest < depth ? depth : deepest;
	}
	return deepest + 1;
}

/* The first pending element. */
static struct bob_element_view view_next(const struct bob_patterns *t)
{
	const struct bob_element *x = &t->element[t->next];
	int last = t->next + 1 == t->capacity;

	return (struct bob_element_view){
		.structure = t->structure + x->structure,
		.number = t->number + x->number,
		.structure_len = (last ? t->structure_capacity : x[1].structure) - x->structure,
		.number_count = (last ? t->number_capacity : x[1].number) - x->number,
	};
}

static int same_structure(const struct bob_element_view *a, const struct bob_element_view *b)
{
	return a->structure_len == b->structure_len &&
	       !memcmp(a->structure, b->structure, a->structure_len);
}

/* --- expectations of a pattern --- */

/* Count of numbers per repetition; the count of repetitions follows them. */
static uint32_t half_of(const struct bob_element_view *pattern)
{
	return (pattern->number_count - 1) / 2;
}

/* Number `at` of the pattern's next repetition. The first number of each element except the first
 * is relative; see expected_first. */
static uint64_t expected(const struct bob_element_view *pattern, uint32_t at)
{
	uint32_t half = half_of(pattern);

	return pattern->number[at] + pattern->number[half] * pattern->number[half + 1 + at];
}

/* The child at this offset, without its numbers. */
static struct bob_element_view child_at(const struct bob_element_view *pattern, uint32_t structure)
{
	const uint8_t *at = pattern->structure + structure;
	struct bob_element_view v = { .structure = at };

	(void)bob_element_skip(&at, pattern->structure + pattern->structure_len, &v.number_count);
	v.structure_len = (uint32_t)(at - v.structure);
	return v;
}

static uint64_t expected_first(const struct bob_element_view *pattern, uint32_t at)
{
	return expected(pattern, at) + (at ? expected(pattern, 0) : 0);
}

/* Is `v` the child at these offsets of the pattern? If so, advances them. */
static int is_expected(const struct bob_element_view *pattern, const struct bob_element_view *v,
		       uint32_t *structure, uint32_t *number)
{
	uint32_t at = *number;

	if (v->number[0] != expected_first(pattern, at))
		return 0;
	struct bob_element_view child = child_at(pattern, *structure);
	if (!same_structure(&child, v))
		return 0;
	for (uint32_t i = 1; i < v->number_count; i++)
		if (v->number[i] != expected(pattern, at + i))
			return 0;
	*structure += child.structure_len;
	*number += child.number_count;
	return 1;
}

static void open_pattern(struct bob_patterns *t)
{
	t->is_open = 1;
	t->matched = 0;
	t->child = 1; /* after the pattern's mark */
	t->child_number = 0;
}

/* Does the first pending element match the open pattern? */
static int goes_on(struct bob_patterns *t)
{
	struct bob_element_view pattern = bob_patterns_at(t, t->count - 1), x = view_next(t);

	if (!is_expected(&pattern, &x, &t->child, &t->child_number))
		return 0;
	if (++t->matched == pattern.structure[0] - BOB_PATTERN_MARK) {
		t->number[t->element[t->count - 1].number + half_of(&pattern)]++;
		open_pattern(t);
	}
	return 1;
}

/* --- settling --- */

/* Are the elements after the pattern at `at` its next repetition? Their number is correct. */
static int continues(const struct bob_patterns *t, uint32_t at)
{
	struct bob_element_view pattern = bob_patterns_at(t, at);
	uint32_t structure = 1, number = 0;

	while (++at < t->count) {
		struct bob_element_view v = bob_patterns_at(t, at);

		if (!is_expected(&pattern, &v, &structure, &number))
			return 0;
	}
	return 1;
}

static void drop(struct bob_patterns *t, uint32_t from)
{
	t->structure_count = t->element[from].structure;
	t->number_count = t->element[from].number;
	t->count = from;
}

/* Reopens an earlier pattern if the newest elements are its next repetition. */
static int absorb(struct bob_patterns *t)
{
	if (!t->has_depth)
		return 0;
	for (uint32_t n = 1; n <= BOB_PATTERN_MAX && n < t->count; n++) {
		uint32_t at = t->count - 1 - n;

		if (!t->element[at].depth ||
		    t->structure[t->element[at].structure] != BOB_PATTERN_MARK + n ||
		    !continues(t, at))
			continue;
		struct bob_element_view pattern = bob_patterns_at(t, at);
		t->number[t->element[at].number + half_of(&pattern)]++;
		drop(t, at + 1);
		open_pattern(t);
		return 1;
	}
	return 0;
}

/* Quick check: do element `at` and those `n` and 2 n before it have equal marks and first numbers
 * in arithmetic progression? Mostly not. */
static inline int may_progress(const struct bob_patterns *t, uint32_t at, uint32_t n)
{
	const struct bob_element *z = &t->element[at], *y = z - n, *x = y - n;
	uint64_t middle = t->number[y->number];

	return z->mark == y->mark && y->mark == x->mark &&
	       t->number[z->number] - middle == middle - t->number[x->number];
}

/* Full check after may_progress. */
static int progress(const struct bob_patterns *t, uint32_t at, uint32_t n)
{
	struct bob_element_view x, y, z;

	if (t->element[at].depth >= BOB_PATTERN_DEPTH)
		return 0;
	x = bob_patterns_at(t, at - 2 * n);
	y = bob_patterns_at(t, at - n);
	z = bob_patterns_at(t, at);
	if (!same_structure(&x, &y) || !same_structure(&y, &z))
		return 0;
	for (uint32_t i = 1; i < z.number_count; i++)
		if (y.number[i] - x.number[i] != z.number[i] - y.number[i])
			return 0;
	return 1;
}

static int repeats(const struct bob_patterns *t, uint32_t n)
{
	for (uint32_t k = 1; k <= n; k++)
		if (!may_progress(t, t->count - k, n))
			return 0;
	for (uint32_t k = 1; k <= n; k++)
		if (!progress(t, t->count - k, n))
			return 0;
	return 1;
}

/* Makes the first numbers of `n` elements, from `from` on, relative to that of the first element.
 * The numbers are `back` places after their recorded offsets. */
static void make_relative(struct bob_patterns *t, uint32_t from, uint32_t n, uint32_t back)
{
	uint64_t *number = t->number + back, first = number[t->element[from].number];

	for (uint32_t i = 1; i < n; i++)
		number[t->element[from + i].number] -= first;
}

/* Replaces the newest 3 n elements by a pattern. */
static void collapse(struct bob_patterns *t, uint32_t n)
{
	uint32_t from = t->count - REPEATS_MIN * n, depth = 0;
	struct bob_element *first = &t->element[from];
	uint32_t numbers = t->element[from + n].number - first->number;
	uint32_t bytes = t->element[from + n].structure - first->structure;
	uint64_t *now = t->number + first->number, *step = now + numbers;
	uint8_t *structure = t->structure + first->structure;

	for (uint32_t i = 0; i < n; i++)
		depth = first[i].depth > depth ? first[i].depth : depth;
	for (uint32_t i = 0; i < numbers; i++)
		step[i] -= now[i];
	make_relative(t, from, n, 0);
	make_relative(t, from, n, numbers);
	memmove(step + 1, step, numbers * sizeof(*step));
	*step = REPEATS_MIN;
	memmove(structure + 1, structure, bytes);
	structure[0] = (uint8_t)(BOB_PATTERN_MARK + n);
	first->depth = depth + 1;
	t->has_depth = 1;
	first->mark = bob_element_mark(structure, bytes + 1);
	t->count = from + 1;
	t->number_count = first->number + 2 * numbers + 1;
	t->structure_count = first->structure + bytes + 1;
	open_pattern(t);
}

/* Handles a new piece, or a pattern that no longer matches. */
static void settle(struct bob_patterns *t)
{
	const struct bob_element *z = &t->element[t->count - 1];
	const uint64_t *number = t->number, last = number[z->number];
	uint32_t most = t->most;

	if (absorb(t))
		return;
	if (most > t->count / REPEATS_MIN)
		most = t->count / REPEATS_MIN;
	for (uint32_t n = 1; n <= most; n++) {
		const struct bob_element *y = z - n;

		/* most candidates fail here */
		if (2 * number[y->number] - number[(y - n)->number] == last && repeats(t, n)) {
			collapse(t, n);
			return;
		}
	}
}

/* --- closing --- */

void bob_element_child(const struct bob_element_view *pattern, struct bob_element_view *v,
		       uint32_t *structure, uint32_t *at, uint64_t *number)
{
	*v = child_at(pattern, *structure);
	number[0] = expected_first(pattern, *at);
	for (uint32_t i = 1; i < v->number_count; i++)
		number[i] = expected(pattern, *at + i);
	v->number = number;
	*structure += v->structure_len;
	*at += v->number_count;
}

void bob_patterns_close(struct bob_patterns *t)
{
	struct bob_element_view pattern = bob_patterns_at(t, t->count - 1), v;
	uint32_t structure = 1, number = 0, at, bytes;

	t->is_open = 0;
	t->next -= t->matched;
	t->structure_next -= t->child - 1;
	t->number_next -= t->child_number;
	at = t->number_next;
	bytes = t->structure_next;
	for (uint32_t i = 0; i < t->matched; i++) {
		bob_element_child(&pattern, &v, &structure, &number, t->number + at);
		const uint8_t *depth = v.structure;
		t->element[t->next + i] = (struct bob_element){
			.structure = bytes,
			.number = at,
			.mark = bob_element_mark(v.structure, v.structure_len),
			.depth = depth_at(&depth, v.structure + v.structure_len),
		};
		memcpy(t->structure + bytes, v.structure, v.structure_len);
		at += v.number_count;
		bytes += v.structure_len;
	}
	t->matched = t->child_number = 0;
	t->child = 1;
	settle(t);
}

/* --- processing --- */

static void pass(struct bob_patterns *t, const struct bob_element_view *x)
{
	t->next++;
	t->number_next += x->number_count;
	t->structure_next += x->structure_len;
}

/* Moves the first pending element to the processed ones. */
static void move(struct bob_patterns *t)
{
	struct bob_element_view x = view_next(t);
	struct bob_element moved = t->element[t->next];

	moved.structure = t->structure_count;
	moved.number = t->number_count;
	pass(t, &x);
	memmove(t->structure + t->structure_count, x.structure, x.structure_len);
	memmove(t->number + t->number_count, x.number, x.number_count * sizeof(*x.number));
	t->structure_count += x.structure_len;
	t->number_count += x.number_count;
	t->element[t->count++] = moved;
	t->has_depth |= moved.depth != 0;
	if (moved.depth)
		open_pattern(t);
	else
		settle(t);
}

/* Terminates because the number of elements only decreases. */
void bob_patterns_run(struct bob_patterns *t)
{
	while (t->next < t->capacity) {
		struct bob_element_view x = view_next(t);

		if (!t->is_open)
			move(t);
		else if (goes_on(t))
			pass(t, &x);
		else
			bob_patterns_close(t);
	}
}

/* --- a complete column --- */

/* Lists the column's elements as pending, with absolute first numbers. Returns the size of their
 * structure. */
static uint32_t find_elements(struct bob_content *c, struct bob_element *element, uint32_t *count)
{
	const uint8_t *begin = c->structure.at, *at = begin, *end = at + c->structure.len;
	uint64_t before = 0;
	uint32_t number = 0, numbers;

	*count = 0;
	while (at != end && *at != BOB_COLUMN_GIVEN_UP) {
		const uint8_t *structure = at, *depth = at;

		if (bob_element_skip(&at, end, &numbers) != BOB_OK)
			break;
		before = c->number[number] += before;
		element[(*count)++] = (struct bob_element){
			.structure = (uint32_t)(structure - begin),
			.number = number,
			.mark = bob_element_mark(structure, (uint32_t)(at - structure)),
			.depth = depth_at(&depth, end),
		};
		number += numbers;
	}
	return (uint32_t)(at - begin);
}

/* Makes the processed elements the contents of the column, followed by the rest of its structure
 * from `tail` on. */
static void finish(struct bob_content *c, const struct bob_patterns *t, uint32_t tail)
{
	uint64_t before = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		uint64_t *first = &c->number[t->element[i].number], absolute = *first;

		*first -= before;
		before = absolute;
	}
	memmove(c->structure.at + t->structure_count, c->structure.at + tail,
		c->structure.len - tail);
	c->structure.len -= tail - t->structure_count;
	c->count = t->number_count;
}

bob_status bob_content_fold(struct bob_content *c, uint32_t most)
{
	struct bob_alloc *a = &c->structure.alloc;
	struct bob_patterns t = { .number = c->number, .most = most };
	uint32_t capacity = 0;

	/* an element has at least one number and one byte */
	uint32_t elements = c->count < c->structure.len ? c->count : c->structure.len;
	if (!elements)
		return BOB_OK;
	if (!bob_array_grow(a, &t.element, &capacity, 0, elements, sizeof(*t.element)))
		return BOB_ERR_NOMEM;
	t.structure_capacity = find_elements(c, t.element, &t.capacity);
	t.structure = c->structure.at;
	t.number_capacity = c->count;
	bob_patterns_run(&t);
	while (t.is_open) {
		bob_patterns_close(&t);
		bob_patterns_run(&t);
	}
	finish(c, &t, t.structure_capacity);
	bob_array_free(a, t.element, capacity, sizeof(*t.element));
	return BOB_OK;
}
