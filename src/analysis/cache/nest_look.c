/* SPDX-License-Identifier: BSD-3-Clause */
/* Preparation of a nest: validates its items and computes properties and sites of each loop. */
#include <stdlib.h>
#include <string.h>

#include "analysis/cache/nest.h"
#include "base/order.h"

/* Checks the items [from, to) at depth `depth`. BOB_ERR_INVAL: they are no nest. */
static bob_status check(const struct nest *n, uint32_t from, uint32_t to, uint32_t depth)
{
	for (uint32_t i = from; i < to; i++) {
		const struct bob_cache_item *item = &n->item[i];
		struct bob_cache_access a = { 0, n->thread, item->site, item->size, item->type };
		bob_status st;

		if (!item->items) {
			if (!cache_valid(n->c, &a))
				return BOB_ERR_INVAL;
			continue;
		}
		if (depth == BOB_CACHE_DEPTH || item->items > to - i - 1)
			return BOB_ERR_INVAL;
		n->info[i] = (struct loop_info){ .depth = depth, .leaf = item->items <= LEAF_MAX,
						 .fixed = 1 };
		for (uint32_t k = i + 1; k <= i + item->items; k++)
			if (n->item[k].items) {
				n->info[i].leaf = 0;
				n->info[i].fixed &= n->item[k].step[depth] == 0;
			}
		st = check(n, i + 1, i + 1 + item->items, depth + 1);
		if (st != BOB_OK)
			return st;
		i += item->items;
	}
	return BOB_OK;
}

/* Collects the sites of each loop's body, sorted and unique. */
static bob_status collect_sites(struct nest *n, uint32_t count)
{
	struct nest_buffers *buffers = &n->c->nest;
	uint32_t used = 0, most = 1;

	for (uint32_t i = 0; i < count; i++) {
		const struct bob_cache_item *item = &n->item[i];
		uint32_t first = used, unique;

		if (!item->items)
			continue;
		for (uint32_t k = i + 1; k <= i + item->items; k++)
			if (!n->item[k].items)
				n->site[used++] = n->item[k].site;
		if (used - first > 1)
			qsort(&n->site[first], used - first, sizeof(*n->site), bob_compare_u32);
		unique = first;
		for (uint32_t k = first; k < used; k++)
			if (k == first || n->site[k] != n->site[unique - 1])
				n->site[unique++] = n->site[k];
		used = unique;
		n->info[i].first_site = first;
		n->info[i].sites = used - first;
		most = used - first > most ? used - first : most;
	}
	n->site_capacity = most;
	if (most > buffers->sites) {
		struct bob_cache_site *before =
			realloc(buffers->before, (size_t)most * BOB_CACHE_DEPTH * sizeof(*before));

		if (!before)
			return BOB_ERR_NOMEM;
		buffers->before = before;
		buffers->sites = most;
	}
	n->before = buffers->before;
	return BOB_OK;
}

static bob_status reserve_buffers(struct nest *n, uint32_t count)
{
	struct nest_buffers *buffers = &n->c->nest;

	if (count > buffers->items) {
		bob_cache_nest_fini(buffers);
		*buffers = (struct nest_buffers){ .items = count + count / 2 };
		buffers->info = malloc(buffers->items * sizeof(*buffers->info));
		buffers->site =
			malloc((size_t)buffers->items * BOB_CACHE_DEPTH * sizeof(*buffers->site));
		if (!buffers->info || !buffers->site) {
			bob_cache_nest_fini(buffers);
			*buffers = (struct nest_buffers){ .items = 0 };
			return BOB_ERR_NOMEM;
		}
	}
	n->info = buffers->info;
	n->site = buffers->site;
	return BOB_OK;
}

void bob_cache_nest_fini(struct nest_buffers *buffers)
{
	free(buffers->info);
	free(buffers->site);
	free(buffers->before);
}

bob_status bob_cache_nest_look(struct nest *n, uint32_t count)
{
	bob_status st = reserve_buffers(n, count);

	if (st == BOB_OK)
		st = check(n, 0, count, 0);
	return st == BOB_OK ? collect_sites(n, count) : st;
}
