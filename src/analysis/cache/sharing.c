/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of coherence misses by missing and causing site, and its queries. The number of rows is
 * bounded; misses of further pairs are only counted. */
#include <stdlib.h>
#include <string.h>

#include "analysis/cache/model.h"
#include "base/host/map.h"
#include "base/order.h"

static uint64_t hash_of(const struct bob_cache_sharing *k)
{
	const uint64_t h =
		bob_hash_mix(k->line ^ bob_hash_mix((uint64_t)k->thread << 32 | k->site));

	return bob_hash_mix(h ^ ((uint64_t)k->by_thread << 32 | k->by_site));
}

/* Rebuilds the index after sorting. Returns 0 if memory is exhausted. */
static int index_rows(struct sharing_table *t)
{
	bob_index_clear(&t->index);
	t->sorted = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		if (bob_index_reserve(&t->index) != BOB_OK)
			return 0;
		bob_index_add(&t->index, hash_of(&t->at[i]), i);
	}
	return 1;
}

/* NULL: no such row. */
static struct bob_cache_sharing *find(const struct sharing_table *t,
				      const struct bob_cache_sharing *k, uint64_t hash)
{
	struct bob_probe p = bob_probe_of(hash);

	while (bob_index_next(&t->index, &p)) {
		struct bob_cache_sharing *r = &t->at[p.number];

		if (r->line == k->line && r->thread == k->thread && r->site == k->site &&
		    r->by_thread == k->by_thread && r->by_site == k->by_site)
			return r;
	}
	return NULL;
}

void bob_cache_sharing_count(struct bob_cache *c, uint64_t line, const struct cache_by *by,
			     const struct line_user *user, int is_true)
{
	struct sharing_table *t = &c->sharing;
	struct bob_cache_sharing key = { line << c->line_shift, by->thread, by->site,
					 user->lost_thread, user->lost_site, 0, 0 };
	const uint64_t hash = hash_of(&key);
	struct bob_cache_sharing *row;

	if (t->sorted && !index_rows(t)) {
		c->status = BOB_ERR_NOMEM;
		return;
	}
	row = find(t, &key, hash);
	if (!row && t->count == BOB_CACHE_SHARING_MAX) {
		t->lost++;
		return;
	}
	if (!row) {
		row = BOB_MAP_ADD(t, hash);
		if (!row) {
			c->status = BOB_ERR_NOMEM;
			return;
		}
		*row = key;
	}
	if (is_true)
		row->true_misses++;
	else
		row->false_misses++;
}

static uint64_t misses(const struct bob_cache_sharing *r)
{
	return r->true_misses + r->false_misses;
}

BOB_COMPARE(by_misses, struct bob_cache_sharing,
	    BOB_DOWN_BY(misses) BOB_UP(line) BOB_UP(thread) BOB_UP(site) BOB_UP(by_thread)
		    BOB_UP(by_site))

void bob_cache_sharing(struct bob_cache *c, const struct bob_cache_sharing **rows, size_t *count,
		       uint64_t *lost)
{
	struct sharing_table *t = &c->sharing;

	if (t->count && !t->sorted) {
		qsort(t->at, t->count, sizeof(*t->at), by_misses);
		t->sorted = 1;
	}
	*rows = t->at;
	*count = t->count;
	*lost = t->lost;
}

void bob_cache_sharing_fini(struct sharing_table *t)
{
	BOB_MAP_FREE(t);
}

uint32_t bob_cache_line_use(const struct bob_cache *c, uint64_t line, struct bob_cache_use *out,
			    uint32_t capacity, uint32_t *granule)
{
	const struct line_info *e = NULL;
	uint64_t number = line >> c->line_shift;
	uint32_t n = 0;

	*granule = 1u << c->granule_shift;
	if (c->multi)
		e = bob_cache_line_known(c, number);
	for (uint32_t u = e ? e->users : 0; u; u = c->dir.user[u].next) {
		const struct line_user *user = &c->dir.user[u];
		const struct cache_level *l1 = &c->core[user->core].level[0];
		int64_t at = cache_find(l1, number);

		if (n < capacity)
			out[n] = (struct bob_cache_use){
				user->core, user->read | (at < 0 ? 0 : l1->read[at]),
				user->written | (at < 0 ? 0 : l1->written[at])
			};
		n++;
	}
	return n;
}
