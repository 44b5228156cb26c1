/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of the items of a home: that of the program, not that in which control folded them. */
#include <string.h>

#include "analysis/homes_private.h"

#define BEFORE_MAX 64u		/* items of the spine before a loop that are compared with it */

/* Items of a united loop follow the last item before them that the other loop has, too. Both may
 * begin at different items of the program's loop, so the search begins at such an item. */
static void move_items(struct bob_homes *h, uint32_t from)
{
	const uint32_t to = united(h, from);
	uint64_t position = 0;
	uint32_t len, first = 0;
	const uint32_t *body = body_of(h, from, &len);

	while (first < len && h->at[body[first]].pub.loop != to)
		first++;
	for (uint32_t i = 0; i < len; i++) {
		struct place *p = &h->at[body[(first + i) % len]];

		if (p->pub.loop == to)
			position = p->position;
		else if (p->pub.loop == from)
			p->position = position;
	}
}

/* The index of the last `item` in the body of `loop`. */
static uint32_t find_last(const struct bob_homes *h, uint32_t loop, uint32_t item)
{
	uint32_t len, i;
	const uint32_t *body = body_of(h, loop, &len);

	for (i = len; i-- > 0;)
		if (body[i] == item)
			return i;
	return 0;
}

/* May iterations of a loop go on before this item, which is not directly in it? It is no code, or
 * in a loop inside, or happens only once (a function is looked up by its first call). */
static int is_passed(const struct bob_homes *h, uint32_t item, uint32_t loop)
{
	uint32_t at = h->at[item].pub.loop;

	if (!h->at[item].is_code || (at == BOB_HOME_SPINE && h->at[item].at_spine == 1))
		return 1;
	while (at != BOB_HOME_SPINE && at != loop)
		at = h->at[2 * at + 1].pub.loop;
	return at == loop;
}

/* Makes `loop` begin with the first of the items that are executed directly before it and belong to
 * it. `before` are the `count` items before it. */
static void rotate(struct bob_homes *h, uint32_t loop, const uint32_t *before, uint32_t count)
{
	uint32_t len, start = 0;
	const uint32_t *body = body_of(h, loop, &len);

	while (count-- > 0) {
		if (h->at[before[count]].pub.loop == loop)
			start = find_last(h, loop, before[count]);
		else if (!is_passed(h, before[count], loop))
			break;
	}
	for (uint32_t i = 0; i < start; i++)
		if (h->at[body[i]].pub.loop == loop)
			h->at[body[i]].position += len;
}

/* The spine is read once more: its newest items, in order. */
struct reading {
	struct bob_homes *h;
	uint32_t item[2 * BEFORE_MAX], count;
	uint64_t position;
};

static int rotate_at_spine(void *ctx, uint32_t item)
{
	struct reading *r = ctx;
	const struct place *p = &r->h->at[item];

	if (item & 1 && p->pub.loop == BOB_HOME_SPINE && p->position == r->position)
		rotate(r->h, item >> 1, r->item, r->count);
	if (r->count == 2 * BEFORE_MAX) {
		memmove(r->item, r->item + BEFORE_MAX, BEFORE_MAX * sizeof(*r->item));
		r->count = BEFORE_MAX;
	}
	r->item[r->count++] = item;
	r->position++;
	return 0;
}

bob_status bob_homes_set_order(struct bob_homes *h, uint32_t participant, uint32_t part)
{
	struct reading r = { .h = h };

	for (uint32_t m = 0; m < h->loops; m++) {
		uint32_t len;
		const uint32_t *body = body_of(h, m, &len);

		for (uint32_t i = 0; i < len && h->loop[m]; i++)
			if (body[i] & 1 && h->at[body[i]].pub.loop == m)
				rotate(h, body[i] >> 1, body, i);
	}
	for (uint32_t m = 0; m < h->loops; m++)
		if (h->loop[m] && loop_at(h, m)->united != m)
			move_items(h, m);
	return bob_folded_spine(h->folded, participant, part, rotate_at_spine, &r);
}
