/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the home of each item (homes.h): counts how often each place executes it, takes the most
 * frequent one, unites alternative loops, and lists the items of each home in order. */
#include <stdlib.h>

#include "analysis/homes_private.h"
#include "base/order.h"

BOB_COMPARE_POINTERS(by_order, struct place, BOB_UP(pub.loop) BOB_UP(position) BOB_UP(item))

/* --- homes --- */

static int take_spine(void *ctx, uint32_t item)
{
	struct bob_homes *h = ctx;
	struct place *p = &h->at[item];

	if (!p->at_spine++)
		p->spine_first = h->spine;
	p->spine_last = h->spine;
	p->pub.entries++;
	h->spine++;
	return 0;
}

/* Takes loop `m` as the home of the items that no other place executes as often. */
static void take_body(struct bob_homes *h, uint32_t m)
{
	uint32_t len;
	const uint32_t *body = body_of(h, m, &len);

	for (uint32_t i = 0; i < len; i++)
		h->at[body[i]].in_body++;
	for (uint32_t i = 0; i < len; i++) {
		struct place *p = &h->at[body[i]];
		uint64_t weight = h->loop[m] * p->in_body;

		if (weight > p->weight) {
			p->pub.loop = m;
			p->weight = weight;
			p->position = i;
		}
		p->in_body = 0;
		p->pub.entries += h->loop[m];
	}
}

/* Of equally frequent places the innermost loop is the home: it has the smallest number. */
static bob_status find_homes(struct bob_homes *h, uint32_t participant, uint32_t part)
{
	bob_status st = bob_folded_counts(h->folded, participant, part, h->shape, h->loop);

	if (st == BOB_OK)
		st = bob_folded_spine(h->folded, participant, part, take_spine, h);
	for (uint32_t m = 0; m < h->loops && st == BOB_OK; m++)
		if (h->loop[m])
			take_body(h, m);
	for (uint32_t i = 0; i < h->items; i++) {
		struct place *p = &h->at[i];

		if (p->at_spine > p->weight) {
			p->pub.loop = BOB_HOME_SPINE;
			p->position = p->spine_first;
		}
	}
	for (uint32_t i = 0; i < h->shapes; i++)
		h->at[2 * i].pub.count = h->shape[i];
	for (uint32_t m = 0; m < h->loops; m++)
		loop_at(h, m)->pub.count = h->loop[m];
	return st;
}

/* --- alternative loops --- */

/* The loop that remains is the home of the items that both have. */
static void unite(struct bob_homes *h, uint32_t a, uint32_t b)
{
	const uint64_t in_a = loop_at(h, a)->pub.count, in_b = loop_at(h, b)->pub.count;
	const int a_first = in_a > in_b || (in_a == in_b && a < b);
	struct place *to = loop_at(h, a_first ? a : b), *from = loop_at(h, a_first ? b : a);

	from->united = to->item >> 1;
	to->pub.count += from->pub.count;
	to->pub.entries += from->pub.entries;
	to->pub.is_united = 1;
	from->pub.count = from->pub.entries = 0;
}

/* Loops contain loops with smaller numbers, so the homes of a loop are united before it. */
static void unite_loops(struct bob_homes *h)
{
	for (uint32_t m = h->loops; m-- > 0;) {
		uint32_t len;
		const uint32_t *body = body_of(h, m, &len);

		for (uint32_t i = 0; i < len && h->loop[m]; i++) {
			uint32_t a = united(h, m), b = united(h, h->at[body[i]].pub.loop);

			if (b != BOB_HOME_SPINE && a != b &&
			    united(h, loop_at(h, a)->pub.loop) ==
				    united(h, loop_at(h, b)->pub.loop))
				unite(h, a, b);
		}
	}
}

/* The number of items whose home is the loop; *only is one of them. */
static void count_items(struct bob_homes *h, uint32_t *count, uint32_t *only)
{
	for (uint32_t i = 0; i < h->items; i++) {
		const struct place *p = &h->at[i];
		const uint32_t home = united(h, p->pub.loop);

		if (!p->pub.count || home == BOB_HOME_SPINE)
			continue;
		count[home]++;
		only[home] = i;
	}
}

/* A loop that has nothing but alternatives that were united is the loop of the program itself: its
 * iterations are the changes from one alternative to another. */
static bob_status remove_wrappers(struct bob_homes *h)
{
	uint32_t *count = calloc(2 * (size_t)h->loops + 1, sizeof(*count));
	uint32_t *only = count + h->loops;

	if (!count)
		return BOB_ERR_NOMEM;
	count_items(h, count, only);
	for (uint32_t m = h->loops; m-- > 0;) {
		struct place *p = loop_at(h, m), *inner = &h->at[only[m]];
		uint32_t len, loops = 0;
		const uint32_t *body = body_of(h, m, &len);

		for (uint32_t i = 0; i < len; i++)
			loops += body[i] & 1 && united(h, body[i] >> 1) == inner->item >> 1;
		if (!p->pub.count || count[m] != 1 || !(only[m] & 1) || loops < 2)
			continue;
		inner->pub.loop = p->pub.loop;
		inner->pub.entries = p->pub.entries;
		inner->position = p->position;
		p->pub.count = 0;
		p->united = inner->item >> 1;
	}
	free(count);
	return BOB_OK;
}

/* --- lists --- */

static bob_status make_lists(struct bob_homes *h)
{
	const uint32_t items = h->items + 2 * h->found;
	struct place **order = calloc((size_t)items + 1, sizeof(*order));
	uint32_t count = 0;

	if (!order)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < items; i++)
		if (h->at[i].pub.count)
			order[count++] = &h->at[i];
	qsort(order, count, sizeof(*order), by_order);
	while (count-- > 0) {
		uint32_t *list = order[count]->pub.loop == BOB_HOME_SPINE ?
					 &h->first :
					 &loop_at(h, order[count]->pub.loop)->pub.first;

		order[count]->pub.next = *list;
		*list = order[count]->item;
	}
	free(order);
	return BOB_OK;
}

/* --- life --- */

static void find_code(struct bob_homes *h, int (*is_code)(void *ctx, uint32_t shape), void *ctx)
{
	for (uint32_t i = 0; i < h->shapes; i++)
		h->at[2 * i].is_code = !is_code || is_code(ctx, i);
	for (uint32_t m = 0; m < h->loops; m++) {
		uint32_t len;
		const uint32_t *body = body_of(h, m, &len);

		for (uint32_t i = 0; i < len; i++)
			loop_at(h, m)->is_code |= h->at[body[i]].is_code;
	}
}

static bob_status allocate(struct bob_homes *h)
{
	uint32_t all;

	h->shapes = bob_folded_shapes(h->folded);
	h->loops = bob_folded_loops(h->folded);
	h->items = 2 * (h->shapes > h->loops ? h->shapes : h->loops);
	/* each loop found in the spine has an item of its own */
	all = h->items + 2 * (h->shapes + h->loops);
	h->first = BOB_HOME_NO_ITEM;
	h->at = calloc((size_t)all + 1, sizeof(*h->at));
	h->shape = calloc((size_t)h->shapes + 1, sizeof(*h->shape));
	h->loop = calloc((size_t)h->loops + 1, sizeof(*h->loop));
	if (!h->at || !h->shape || !h->loop)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < all; i++) {
		h->at[i].item = i;
		h->at[i].united = i >> 1;
		h->at[i].pub.loop = BOB_HOME_SPINE;
		h->at[i].pub.first = h->at[i].pub.next = BOB_HOME_NO_ITEM;
	}
	return BOB_OK;
}

bob_status bob_homes_create(const struct bob_folded *f, uint32_t participant, uint32_t part,
			    int (*is_code)(void *ctx, uint32_t shape), void *ctx,
			    struct bob_homes **out)
{
	struct bob_homes *h = calloc(1, sizeof(*h));
	bob_status st;

	if (!h)
		return BOB_ERR_NOMEM;
	h->folded = f;
	st = allocate(h);
	if (st == BOB_OK) {
		find_code(h, is_code, ctx);
		st = find_homes(h, participant, part);
	}
	if (st == BOB_OK) {
		unite_loops(h);
		st = bob_homes_set_order(h, participant, part);
	}
	if (st == BOB_OK)
		st = remove_wrappers(h);
	for (uint32_t i = 0; i < h->items && st == BOB_OK; i++)
		h->at[i].pub.loop = united(h, h->at[i].pub.loop);
	if (st == BOB_OK)
		st = bob_homes_find_loops(h);
	if (st == BOB_OK)
		st = make_lists(h);
	if (st == BOB_OK)
		*out = h;
	else
		bob_homes_destroy(h);
	return st;
}

void bob_homes_destroy(struct bob_homes *h)
{
	if (!h)
		return;
	free(h->at);
	free(h->shape);
	free(h->loop);
	free(h);
}

const struct bob_home *bob_home_of(const struct bob_homes *h, uint32_t item)
{
	return &h->at[item].pub;
}

uint32_t bob_homes_first(const struct bob_homes *h)
{
	return h->first;
}

uint32_t bob_homes_loops(const struct bob_homes *h)
{
	return h->loops + h->found;
}
