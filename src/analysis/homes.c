/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the home of each item (homes.h): counts how often each place executes it, takes the most
 * frequent one, unites alternative loops, and lists the items of each home in order. */
#include "analysis/homes.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

#define BEFORE_MAX 64u		/* items of the spine before a loop that are compared with it */

/* An item while homes are searched. */
struct place {
	struct bob_home pub;
	uint64_t weight;	/* how often its home executes it */
	uint64_t position;	/* in the home */
	uint64_t at_spine;	/* how often it is an item of the spine */
	uint64_t spine_first, spine_last; /* the first and the last position where it is so */
	uint32_t item;
	uint32_t united;	/* of a loop: the loop that has its items; itself if none */
	uint32_t in_body;	/* how often it is in the body that is being read */
	int is_code;		/* a shape that is, or a loop of such */
};

struct bob_homes {
	const struct bob_folded *folded;
	uint32_t shapes, loops, items, first;
	uint32_t found;		/* loops found in the spine: numbers from `loops` on */
	struct place *at;	/* by item; the loops found in the spine follow */
	uint64_t *shape, *loop;	/* bob_folded_counts */
	uint64_t spine;		/* items of the spine so far */
};

static struct place *loop_at(struct bob_homes *h, uint32_t loop)
{
	return &h->at[2 * loop + 1];
}

static const uint32_t *body_of(const struct bob_homes *h, uint32_t loop, uint32_t *len)
{
	return bob_folded_body(h->folded, loop, len);
}

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

static uint32_t united(struct bob_homes *h, uint32_t loop)
{
	while (loop != BOB_HOME_SPINE && loop_at(h, loop)->united != loop)
		loop = loop_at(h, loop)->united;
	return loop;
}

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

/* --- order --- */

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

static bob_status set_order(struct bob_homes *h, uint32_t participant, uint32_t part)
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

BOB_COMPARE_POINTERS(by_order, struct place, BOB_UP(pub.loop) BOB_UP(position) BOB_UP(item))
BOB_COMPARE_POINTERS(by_spine, struct place, BOB_UP(spine_first) BOB_UP(item))

/* --- loops in the spine --- */

/* How often most items of a range of the spine are executed there. */
static uint64_t usual_count(struct place *const *item, size_t count)
{
	uint64_t *n = calloc(count, sizeof(*n));
	uint64_t usual = 0;
	size_t run = 0, longest = 0;

	if (!n)
		return 0;
	for (size_t i = 0; i < count; i++)
		n[i] = item[i]->at_spine;
	qsort(n, count, sizeof(*n), bob_compare_u64);
	for (size_t i = 0; i < count; i++) {
		run = i && n[i] == n[i - 1] ? run + 1 : 1;
		if (run >= longest) {
			longest = run;
			usual = n[i];
		}
	}
	free(n);
	return usual;
}

/* Makes a loop of `count` items of the spine, unless most are executed once. */
static bob_status add_loop(struct bob_homes *h, struct place *const *item, size_t count)
{
	const uint64_t usual = usual_count(item, count);
	struct place *p = loop_at(h, h->loops + h->found);

	if (usual < 2)
		return usual ? BOB_OK : BOB_ERR_NOMEM;
	p->pub.count = usual;
	p->pub.entries = 1;
	p->is_code = 1;
	p->position = item[0]->position;
	for (size_t i = 0; i < count; i++) {
		item[i]->pub.loop = p->item >> 1;
		if (item[i]->spine_last > p->spine_last)
			p->spine_last = item[i]->spine_last;
	}
	h->found++;
	return BOB_OK;
}

/* Adds an item that is no evidence of a loop to the loop that was found around it. These loops are
 * in the order of the spine. */
static void add_to_loops(struct bob_homes *h, struct place *p)
{
	uint32_t from = 0, end = h->found;

	while (from < end) {
		const uint32_t i = from + (end - from) / 2;
		const struct place *l = loop_at(h, h->loops + i);

		if (p->position < l->position) {
			end = i;
		} else if (p->position > l->spine_last) {
			from = i + 1;
		} else {
			p->pub.loop = h->loops + i;
			return;
		}
	}
}

/* What is executed again after something else is in a loop, with all that is between: so items of
 * the spine whose first and last executions overlap are in one loop, which control could not fold
 * because no two of its iterations are equal. */
static bob_status find_loops(struct bob_homes *h)
{
	struct place **item = calloc((size_t)h->items + 1, sizeof(*item));
	bob_status st = item ? BOB_OK : BOB_ERR_NOMEM;
	size_t count = 0, from = 0;
	uint64_t last = 0;

	for (uint32_t i = 0; i < h->items && item; i++)
		if (h->at[i].pub.count && h->at[i].pub.loop == BOB_HOME_SPINE && h->at[i].is_code)
			item[count++] = &h->at[i];
	if (count)
		qsort(item, count, sizeof(*item), by_spine);
	for (size_t i = 0; i <= count && st == BOB_OK; i++) {
		if (i < count && i > from && item[i]->spine_first < last) {
			last = item[i]->spine_last > last ? item[i]->spine_last : last;
			continue;
		}
		if (i - from > 1 || (i > from && item[from]->at_spine > 1))
			st = add_loop(h, item + from, i - from);
		from = i;
		last = i < count ? item[i]->spine_last : 0;
	}
	for (uint32_t i = 0; i < h->items && st == BOB_OK && h->found; i++)
		if (h->at[i].pub.count && h->at[i].pub.loop == BOB_HOME_SPINE && !h->at[i].is_code)
			add_to_loops(h, &h->at[i]);
	free(item);
	return st;
}

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
		st = set_order(h, participant, part);
	}
	if (st == BOB_OK)
		st = remove_wrappers(h);
	for (uint32_t i = 0; i < h->items && st == BOB_OK; i++)
		h->at[i].pub.loop = united(h, h->at[i].pub.loop);
	if (st == BOB_OK)
		st = find_loops(h);
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
