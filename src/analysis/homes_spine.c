/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of the program that could not be folded, because no two of their iterations are equal:
 * their items are in the spine. */
#include <stdlib.h>

#include "analysis/homes_private.h"
#include "analysis/usual.h"

BOB_COMPARE_POINTERS(by_spine, struct place, BOB_UP(spine_first) BOB_UP(item))

/* How often most items of a range of the spine are executed there; 0: no memory. */
static uint64_t usual_count(struct place *const *item, size_t count)
{
	uint64_t *n = calloc(count, sizeof(*n)), usual;

	if (!n)
		return 0;
	for (size_t i = 0; i < count; i++)
		n[i] = item[i]->at_spine;
	usual = bob_usual(n, count);
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
bob_status bob_homes_find_loops(struct bob_homes *h)
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
