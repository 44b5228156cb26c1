/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces patterns of few values by these values. Values that happen to be equal or in arithmetic
 * progression form a row in one participant's pattern and none in another's. Then structures would
 * differ, and each would need its own group with its own profiles. As plain values the structure is
 * the same for all.
 *
 * This must be lossless: each value has to be affine in the number of the repetition. So neither
 * the counts of the pieces nor those of nested patterns may depend on it. If the column is given up
 * after the pattern, its first value there is coded as the difference to the base of the last
 * piece, so that base must not change. */
#include <string.h>

#include "fold/columns.h"
#include "fold/pattern.h"

#define SHAPE_MAX 256u

struct listed {			/* values of one repetition */
	uint64_t value[BOB_PATTERN_MAX];
	uint64_t shape[SHAPE_MAX];	/* dims, counts, grow of its pieces */
	uint64_t base;			/* of the last piece */
	uint32_t count, shape_count;
};

/* Are the counts of nested patterns constant? `delta`: steps of the elements' numbers. `at`
 * advances past the numbers of the element. */
static int is_steady(const uint8_t **structure, const uint8_t *end, const uint64_t *delta,
		     uint32_t *at)
{
	uint32_t numbers = 0, n = **structure;
	const uint8_t *children = *structure + 1;

	if (n <= BOB_PATTERN_MARK) {
		(void)bob_element_skip(structure, end, &numbers);
		*at += numbers;
		return 1;
	}
	for (int half = 0; half < 2; half++) {
		*structure = children;
		for (uint32_t i = n - BOB_PATTERN_MARK; i; i--)
			if (!is_steady(structure, end, delta, at))
				return 0;
		if (!half && delta[(*at)++])
			return 0;
	}
	return 1;
}

static int add_piece(struct listed *l, const struct bob_piece *p)
{
	struct bob_piece_walk w;
	bob_status st = bob_piece_begin(p, 0, 0, &w);
	uint32_t pairs = bob_piece_pair(0, p->dims);

	if (st != BOB_OK || SHAPE_MAX - l->shape_count < 1 + p->dims + pairs)
		return 0;
	l->shape[l->shape_count++] = p->dims;
	memcpy(l->shape + l->shape_count, p->count, p->dims * sizeof(*p->count));
	l->shape_count += p->dims;
	memcpy(l->shape + l->shape_count, p->grow, pairs * sizeof(*p->grow));
	l->shape_count += pairs;
	l->base = p->base;
	for (; st == BOB_OK && l->count < BOB_PATTERN_MAX; st = bob_piece_next(p, 0, &w))
		l->value[l->count++] = w.value;
	return st != BOB_OK;
}

/* Lists the values of all elements of `c`. 0: too many values, or no memory. */
static int list_values(const struct bob_content *c, struct listed *l)
{
	struct bob_buffer group = { .alloc = c->structure.alloc };
	struct bob_group_reader r;
	struct bob_piece p;
	bob_status st = bob_group_put_alone(&group, c);
	const struct bob_fold_bytes bytes = { group.at, group.len };
	int given_up, ok = 1;

	l->count = l->shape_count = 0;
	if (st == BOB_OK)
		st = bob_group_open_alone(&r, &c->structure.alloc, &bytes);
	if (st == BOB_OK) {
		while (ok && (st = bob_group_piece(&r, &p, &given_up)) == BOB_OK)
			ok = add_piece(l, &p);
		bob_group_close(&r);
	}
	bob_buffer_free(&group);
	return ok && st == BOB_END && l->count;
}

/* Makes a column of repetition `index` of the pattern `v`. */
static int make_time(const struct bob_element_view *v, uint64_t index, struct bob_content *out)
{
	uint32_t half = (v->number_count - 1) / 2, number = 0, numbers;
	const uint8_t *at = v->structure + 1, *end = v->structure + v->structure_len;
	uint64_t first = 0, before = 0;

	bob_content_clear(out);
	bob_buffer_put(&out->structure, at, (size_t)(end - at));
	while (at != end) {
		if (bob_element_skip(&at, end, &numbers) != BOB_OK)
			return 0;
		for (uint32_t i = 0; i < numbers; i++) {
			uint64_t x =
				v->number[number + i] + index * v->number[half + 1 + number + i];

			if (!i) { /* make it relative to the previous one */
				x += first;
				first = number ? first : x;
				x -= before;
				before += x;
			}
			(void)bob_content_add(out, x);
		}
		number += numbers;
	}
	return !out->structure.failed;
}

/* Is the last value the base of a piece? It always is if each value is a piece. */
static int ends_at_base(const struct listed *l)
{
	return l->value[l->count - 1] == l->base;
}

/* Appends the pattern as a pattern of values to `out`. 0: it has too many. `keeps_base`: the base
 * of the last piece must not change. */
static int make_plain(const struct bob_element_view *v, int keeps_base, struct bob_content *time,
		      struct listed times[2], struct bob_content *out)
{
	uint32_t half = (v->number_count - 1) / 2, at = 0;
	const uint8_t *structure = v->structure + 1, *end = v->structure + v->structure_len;
	static const uint8_t zeros[BOB_PATTERN_MAX];

	while (structure != end)
		if (!is_steady(&structure, end, v->number + half + 1, &at))
			return 0;
	for (uint32_t i = 0; i < 2; i++)
		if (!make_time(v, i, time) || !list_values(time, &times[i]))
			return 0;
	uint32_t n = times[0].count;
	if (n < 2 || n != times[1].count || times[0].shape_count != times[1].shape_count ||
	    memcmp(times[0].shape, times[1].shape, times[0].shape_count * sizeof(uint64_t)) ||
	    times[0].value[0] != v->number[0])
		return 0;
	if (keeps_base && !(ends_at_base(&times[0]) && ends_at_base(&times[1])))
		return 0;
	const uint64_t *now = times[0].value, *next = times[1].value;
	const uint8_t mark = (uint8_t)(BOB_PATTERN_MARK + n);

	bob_buffer_put(&out->structure, &mark, 1);
	bob_buffer_put(&out->structure, zeros, n);
	for (uint32_t i = 0; i < n; i++)
		(void)bob_content_add(out, now[i] - (i ? now[0] : 0));
	(void)bob_content_add(out, v->number[half]);
	for (uint32_t i = 0; i < n; i++)
		(void)bob_content_add(out, next[i] - now[i] - (i ? next[0] - now[0] : 0));
	return 1;
}

/* Appends the element `v`; its first number stays relative. */
static void put_element(const struct bob_element_view *v, int keeps_base, struct bob_content *time,
			struct listed times[2], struct bob_content *out)
{
	if (v->structure[0] > BOB_PATTERN_MARK && make_plain(v, keeps_base, time, times, out))
		return;
	bob_buffer_put(&out->structure, v->structure, v->structure_len);
	for (uint32_t i = 0; i < v->number_count; i++)
		(void)bob_content_add(out, v->number[i]);
}

bob_status bob_content_plain(struct bob_content *c)
{
	struct bob_alloc a = c->structure.alloc;
	struct bob_content out = { .structure.alloc = a }, time = { .structure.alloc = a };
	const uint8_t *at = c->structure.at, *end = at + c->structure.len;
	struct listed times[2];
	uint32_t number = 0;

	while (at != end && *at != BOB_COLUMN_GIVEN_UP) {
		struct bob_element_view v = { .structure = at, .number = c->number + number };

		if (bob_element_skip(&at, end, &v.number_count) != BOB_OK)
			break;
		v.structure_len = (uint32_t)(at - v.structure);
		number += v.number_count;
		put_element(&v, at != end && *at == BOB_COLUMN_GIVEN_UP, &time, times, &out);
	}
	bob_buffer_put(&out.structure, at, (size_t)(end - at));
	bob_content_free(&time);
	if (out.structure.failed) {
		bob_content_free(&out);
		return BOB_ERR_NOMEM;
	}
	bob_content_free(c);
	*c = out;
	return BOB_OK;
}
