/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of who missed a line because of whom, and the questions about it. A bounded number of
 * rows is told apart; misses of further ones are only counted. */
#include <stdlib.h>
#include <string.h>

#include "analysis/cache/model.h"
#include "base/hash.h"

static uint32_t slot_of(const struct sharing_table *t, const struct bob_cache_sharing *k)
{
	uint64_t h = bob_hash_mix(k->line ^ bob_hash_mix((uint64_t)k->thread << 32 | k->site));
	uint32_t mask = 2 * t->room - 1, s;

	h = bob_hash_mix(h ^ ((uint64_t)k->by_thread << 32 | k->by_site));
	for (s = (uint32_t)h & mask; t->slot[s]; s = (s + 1) & mask) {
		const struct bob_cache_sharing *r = &t->row[t->slot[s] - 1];

		if (r->line == k->line && r->thread == k->thread && r->site == k->site &&
		    r->by_thread == k->by_thread && r->by_site == k->by_site)
			break;
	}
	return s;
}

static int index_rows(struct sharing_table *t, uint32_t room)
{
	uint32_t *slot = calloc((size_t)room * 2, sizeof(*slot));

	if (!slot)
		return 0;
	free(t->slot);
	t->slot = slot;
	t->room = room;
	t->sorted = 0;
	for (uint32_t i = 0; i < t->count; i++)
		slot[slot_of(t, &t->row[i])] = i + 1;
	return 1;
}

static int grow(struct sharing_table *t)
{
	uint32_t room = t->room ? 2 * t->room : 64;
	struct bob_cache_sharing *row = realloc(t->row, room * sizeof(*row));

	if (!row)
		return 0;
	t->row = row;
	return index_rows(t, room);
}

void bob_cache_sharing_count(struct bob_cache *c, uint64_t line, const struct cache_by *by,
			     const struct line_user *user, int is_true)
{
	struct sharing_table *t = &c->sharing;
	struct bob_cache_sharing key = { line << c->line_shift, by->thread, by->site,
					 user->lost_thread, user->lost_site, 0, 0 };
	uint32_t s;

	if ((t->sorted && !index_rows(t, t->room)) ||
	    (t->count == t->room && t->room < BOB_CACHE_SHARING_MAX && !grow(t))) {
		c->status = BOB_ERR_NOMEM;
		return;
	}
	s = slot_of(t, &key);
	if (!t->slot[s]) {
		if (t->count == t->room) {
			t->lost++;
			return;
		}
		t->row[t->count++] = key;
		t->slot[s] = t->count;
	}
	if (is_true)
		t->row[t->slot[s] - 1].true_misses++;
	else
		t->row[t->slot[s] - 1].false_misses++;
}

static int by_misses(const void *a, const void *b)
{
	const struct bob_cache_sharing *x = a, *y = b;
	uint64_t m = x->true_misses + x->false_misses, n = y->true_misses + y->false_misses;

	if (m != n)
		return m > n ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->by_thread != y->by_thread)
		return x->by_thread < y->by_thread ? -1 : 1;
	return (x->by_site > y->by_site) - (x->by_site < y->by_site);
}

void bob_cache_sharing(struct bob_cache *c, const struct bob_cache_sharing **rows, size_t *count,
		       uint64_t *lost)
{
	struct sharing_table *t = &c->sharing;

	if (t->count && !t->sorted) {
		qsort(t->row, t->count, sizeof(*t->row), by_misses);
		t->sorted = 1;
	}
	*rows = t->row;
	*count = t->count;
	*lost = t->lost;
}

void bob_cache_sharing_fini(struct sharing_table *t)
{
	free(t->row);
	free(t->slot);
}

uint32_t bob_cache_line_use(const struct bob_cache *c, uint64_t line, struct bob_cache_use *out,
			    uint32_t room, uint32_t *granule)
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

		if (n < room)
			out[n] = (struct bob_cache_use){
				user->core, user->read | (at < 0 ? 0 : l1->read[at]),
				user->written | (at < 0 ? 0 : l1->written[at])
			};
		n++;
	}
	return n;
}
