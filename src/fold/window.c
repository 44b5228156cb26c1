/* SPDX-License-Identifier: BSD-3-Clause */
/* The window that holds a column's newest pieces while events arrive, so that they can become
 * patterns (pattern.h), and the measures by which columns.c decides to give a column up. */
#include "fold/pattern.h"

#include <string.h>

#define GIVE_AT_ONCE 16u
#define CHANCE 9u

void bob_patterns_begin(struct bob_pattern_window *w)
{
	w->patterns = (struct bob_patterns){
		.element = w->element,
		.number = w->number,
		.structure = w->structure,
		.capacity = BOB_WINDOW_ELEMENTS,
		.number_capacity = BOB_WINDOW_NUMBERS,
		.structure_capacity = BOB_WINDOW_BYTES,
		.next = BOB_WINDOW_ELEMENTS,
		.number_next = BOB_WINDOW_NUMBERS,
		.structure_next = BOB_WINDOW_BYTES,
		.most = BOB_WINDOW_PATTERN,
	};
}

/* Sends the `n` oldest elements to the sink. */
static void give_oldest(struct bob_patterns *t, uint32_t n, bob_element_fn sink, void *ctx)
{
	uint32_t numbers = t->number_count, bytes = t->structure_count;

	for (uint32_t i = 0; i < n; i++) {
		struct bob_element_view v = bob_patterns_at(t, i);

		sink(ctx, &v);
	}
	if (n < t->count) {
		numbers = t->element[n].number;
		bytes = t->element[n].structure;
	}
	t->count -= n;
	t->number_count -= numbers;
	t->structure_count -= bytes;
	memmove(t->number, t->number + numbers, t->number_count * sizeof(*t->number));
	memmove(t->structure, t->structure + bytes, t->structure_count);
	memmove(t->element, t->element + n, t->count * sizeof(*t->element));
	t->has_depth = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		t->has_depth |= t->element[i].depth != 0;
		t->element[i].number -= numbers;
		t->element[i].structure -= bytes;
	}
}

/* Makes space for one more piece and for the counted elements, which may be processed again. */
static void make_space(struct bob_patterns *t, bob_element_fn sink, void *ctx)
{
	while (t->count + t->matched + 1 > t->capacity ||
	       t->number_count + t->child_number + BOB_ELEMENT_NUMBERS_MAX > t->number_capacity ||
	       t->structure_count + t->child + BOB_ELEMENT_BYTES_MAX > t->structure_capacity) {
		if (t->count == 1 && t->is_open) {
			bob_patterns_close(t);
			bob_patterns_run(t);
			continue;
		}
		give_oldest(t, t->count > 2 * GIVE_AT_ONCE ? GIVE_AT_ONCE : 1, sink, ctx);
	}
}

void bob_patterns_put(struct bob_patterns *t, const struct bob_piece *p, bob_element_fn sink,
		      void *ctx)
{
	uint8_t structure[BOB_ELEMENT_BYTES_MAX];
	uint64_t number[BOB_ELEMENT_NUMBERS_MAX];
	uint32_t numbers, bytes = bob_element_make(p, structure, number, &numbers);

	make_space(t, sink, ctx);
	t->next--;
	t->number_next -= numbers;
	t->structure_next -= bytes;
	memcpy(t->number + t->number_next, number, numbers * sizeof(*number));
	memcpy(t->structure + t->structure_next, structure, bytes);
	t->element[t->next] = (struct bob_element){ .structure = t->structure_next,
						 .number = t->number_next,
						 .mark = bob_element_mark(structure, bytes) };
	bob_patterns_run(t);
}

void bob_patterns_rest(struct bob_patterns *t, bob_element_fn sink, void *ctx)
{
	struct bob_element_view v, pattern;
	uint32_t structure = 1, number = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		v = bob_patterns_at(t, i);
		sink(ctx, &v);
	}
	if (!t->is_open)
		return;
	pattern = bob_patterns_at(t, t->count - 1);
	for (uint32_t i = 0; i < t->matched; i++) {
		bob_element_child(&pattern, &v, &structure, &number, t->number + t->number_count);
		sink(ctx, &v);
	}
}

/* --- profitability --- */

/* Are the elements equal except for the first number? *moved is the difference of these. */
static int same_element(const struct bob_patterns *t, uint32_t a, uint32_t b, uint64_t *moved)
{
	struct bob_element_view x = bob_patterns_at(t, a), y = bob_patterns_at(t, b);

	*moved = y.number[0] - x.number[0];
	return x.number_count == y.number_count && x.structure_len == y.structure_len &&
	       !memcmp(x.number + 1, y.number + 1, (x.number_count - 1) * sizeof(*x.number)) &&
	       !memcmp(x.structure, y.structure, x.structure_len);
}

/* Is there a pattern of more values than occur by chance? */
static int has_pattern(const struct bob_patterns *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		struct bob_element_view v = bob_patterns_at(t, i);

		if (t->element[i].depth &&
		    v.number[(v.number_count - 1) / 2] * (v.structure[0] - BOB_PATTERN_MARK) >=
			    CHANCE)
			return 1;
	}
	return 0;
}

int bob_patterns_return(const struct bob_patterns *t, uint32_t len)
{
	if (has_pattern(t))
		return 1;
	for (uint32_t n = 1; n <= t->most && n + len <= t->count; n++) {
		uint32_t same = 0;
		uint64_t before = 0, moved;

		for (uint32_t k = 1; k <= len && same + 4 >= k; k++) {
			int is_same = same_element(t, t->count - k - n, t->count - k, &moved);

			same += k > 1 && is_same && moved == before;
			before = moved;
		}
		if (same + 3 >= len)
			return 1;
	}
	return 0;
}

uint32_t bob_element_weight(const struct bob_element_view *v)
{
	return v->structure[0] > BOB_PATTERN_MARK ? 1 + v->number_count / 4 : 1;
}

uint32_t bob_patterns_weight(const struct bob_patterns *t)
{
	uint32_t weight = 0, spare = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		struct bob_element_view v = bob_patterns_at(t, i);

		if (t->element[i].depth)
			spare = 3 * (v.structure[0] - BOB_PATTERN_MARK);
		if (t->element[i].depth || !spare)
			weight += bob_element_weight(&v);
		else
			spare--;
	}
	return weight;
}
