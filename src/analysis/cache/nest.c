/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulates loops without simulating every iteration. A simulation is a function of the state and
 * the accessed lines, so each of these three rules gives exactly the counts of plain simulation:
 *
 *  1. Consecutive accesses within a line: the first one made it the most recent line of L1, so the
 *     others are hits that change nothing (bob_cache_run).
 *  2. An iteration after which all its lines are in L1 (and owned where written): if the next one
 *     accesses the same lines in the same order, it only hits, and leaves the same LRU order; so
 *     does any further one. For loops of accesses this is checked by lookup; other loops are
 *     simulated once more, and must only hit.
 *  3. Iterations that access the same lines, one of which left the state exactly as it was before:
 *     caches are compared word by word, and c->events shows that the directory did not change. Then
 *     all further iterations have the same effects as this one, including misses.
 *
 * "The same lines in the same order" means: inner trip counts do not depend on the loop's index,
 * and each access stays within its line as the index grows, at every position of the inner
 * loops. */
#include <stdlib.h>
#include <string.h>

#include "analysis/cache/nest.h"

#define FOREVER (~0ull)
#define COMPARE_RATE 4u		/* maximal number of words compared per simulated access */

/* --- within a line --- */

static uint64_t magnitude(int64_t x)
{
	return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* Number of steps of `step` until the first or last byte of an access is in another line. */
static uint64_t moves_left(const struct bob_cache *c, uint64_t address, uint32_t size, int64_t step)
{
	uint64_t end = c->config.line_bytes - 1;
	uint64_t first = address & end, last = (address + size - 1) & end;

	if (step == 0)
		return FOREVER;
	if (step > 0)
		return (end - (first > last ? first : last)) / magnitude(step);
	return (first < last ? first : last) / magnitude(step);
}

static int straddles(const struct bob_cache *c, uint64_t address, uint32_t size)
{
	return size > c->config.line_bytes - (address & (c->config.line_bytes - 1));
}

/* Marks the granules of `n` accesses from `address` on, all in one line of L1, as used. */
static void mark_run(struct bob_cache *c, struct cache_core *core, uint64_t address, uint32_t size,
		     uint8_t type, int64_t step, uint64_t n)
{
	uint64_t offset = address & (c->config.line_bytes - 1), mask = 0, length = magnitude(step);
	int64_t at = cache_find(&core->level[0], address >> c->line_shift);

	if (at < 0)
		return;
	if (length <= size) {	/* contiguous */
		length *= n - 1;
		mask = cache_mask(c, step < 0 ? offset - length : offset, length + size);
	} else {
		for (uint64_t i = 0; i < n; i++)
			mask |= cache_mask(c, offset + (uint64_t)step * i, size);
	}
	cache_mark(&core->level[0], (uint64_t)at, mask, type);
}

/* Counts `n` accesses that are known to hit, from `address` on. */
static void count_hits(struct bob_cache *c, struct cache_core *core,
		       const struct bob_cache_access *a, int64_t step, uint64_t n)
{
	struct bob_cache_site *site = &c->site[a->site];

	site->accesses[a->type] += n;
	c->skipped += n;
	if (straddles(c, a->address, a->size)) {
		uint64_t end = (a->address & (c->config.line_bytes - 1)) + a->size - 1;

		site->straddles += n;
		site->level[0].accesses[a->type != BOB_CACHE_LOAD] += n * (end >> c->line_shift);
	} else if (c->multi) {
		mark_run(c, core, a->address, a->size, a->type, step, n);
	}
}

bob_status bob_cache_run(struct bob_cache *c, const struct bob_cache_access *first, int64_t stride,
			 uint64_t count)
{
	struct bob_cache_access a = *first;
	struct cache_core *core;

	if (!cache_valid(c, first))
		return BOB_ERR_INVAL;
	core = &c->core[c->core_of[a.thread]];
	while (count && c->status == BOB_OK) {
		uint64_t n = moves_left(c, a.address, a.size, stride);

		cache_access(c, core, &a);
		if (straddles(c, a.address, a.size))
			n = 0;
		n = n < count - 1 ? n : count - 1;
		a.address += (uint64_t)stride;
		if (n)
			count_hits(c, core, &a, stride, n);
		a.address += (uint64_t)stride * n;
		count -= n + 1;
	}
	return c->status;
}

/* --- loops of accesses --- */

static uint64_t value_at(const struct nest *n, const struct bob_cache_item *item, uint32_t depth)
{
	uint64_t v = item->base;

	for (uint32_t d = 0; d < depth; d++)
		v += (uint64_t)item->step[d] * n->idx[d];
	return v;
}

/* Do all of these hit from now on? Lines that the iteration wrote are owned if they are present. */
static int all_there(const struct nest *n, const struct bob_cache_access *a, uint32_t count)
{
	const struct bob_cache *c = n->c;
	const struct cache_level *l1 = &n->core->level[0];
	uint64_t lines = ~0ull >> c->line_shift;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t line = a[i].address >> c->line_shift;
		uint64_t more = ((a[i].address & (c->config.line_bytes - 1)) + a[i].size - 1) >>
				c->line_shift;

		for (uint64_t k = 0; k <= more; k++)
			if (cache_find(l1, (line + k) & lines) < 0)
				return 0;
	}
	return 1;
}

/* Number of following iterations, at most `most`, that access the same lines as the current one. */
static uint64_t leaf_moves(const struct bob_cache *c, const struct bob_cache_access *a,
			   const int64_t *step, uint32_t count, uint64_t most)
{
	for (uint32_t i = 0; i < count && most; i++) {
		uint64_t m = moves_left(c, a[i].address, a[i].size, step[i]);

		if (c->multi && step[i] && straddles(c, a[i].address, a[i].size))
			m = 0;		/* the bytes are in two lines */
		most = m < most ? m : most;
	}
	return most;
}

static void leaf_iteration(const struct nest *n, struct bob_cache_access *a, const int64_t *step,
			   uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		cache_access(n->c, n->core, &a[i]);
		a[i].address += (uint64_t)step[i];
	}
}

static void run_leaf(struct nest *n, uint32_t loop, uint64_t trips)
{
	const struct bob_cache_item *item = &n->item[loop];
	uint32_t depth = n->info[loop].depth, count = item->items;
	struct bob_cache_access a[LEAF_MAX], here[LEAF_MAX];
	int64_t step[LEAF_MAX];

	n->idx[depth] = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct bob_cache_item *m = &item[1 + i];

		a[i] = (struct bob_cache_access){ value_at(n, m, depth), n->thread, m->site,
						  m->size, m->type };
		step[i] = m->step[depth];
	}
	while (trips && n->c->status == BOB_OK) {
		uint64_t k = leaf_moves(n->c, a, step, count, trips - 1);

		memcpy(here, a, k ? count * sizeof(*a) : 0);
		leaf_iteration(n, a, step, count);
		trips -= k + 1;
		if (!k)
			continue;
		if (!all_there(n, here, count)) {
			for (; k && n->c->status == BOB_OK; k--)
				leaf_iteration(n, a, step, count);
			continue;
		}
		for (uint32_t i = 0; i < count; i++) {
			count_hits(n->c, n->core, &a[i], step[i], k);
			a[i].address += (uint64_t)step[i] * k;
		}
	}
}

/* --- loops of loops --- */

static void run_items(struct nest *n, uint32_t from, uint32_t to, uint32_t depth);

/* Like leaf_moves for loops of loops. An access must have the same offset in its line at all
 * positions of the inner loops, so that their first position is representative. */
static uint64_t loop_moves(struct nest *n, uint32_t loop, uint64_t most)
{
	const struct bob_cache *c = n->c;
	const struct bob_cache_item *item = &n->item[loop];
	uint32_t depth = n->info[loop].depth;

	if (!n->info[loop].fixed)
		return 0;
	for (uint32_t i = 1; i <= item->items && most; i++) {
		const struct bob_cache_item *m = &item[i];
		uint64_t inside = 0, k;

		if (m->items || !m->step[depth])
			continue;
		for (uint32_t d = depth + 1; d < BOB_CACHE_DEPTH; d++)
			inside |= (uint64_t)m->step[d];
		if (c->multi || (inside & (c->config.line_bytes - 1)))
			return 0;
		k = moves_left(c, value_at(n, m, depth + 1), m->size, m->step[depth]);
		most = k < most ? k : most;
	}
	return most;
}

static uint64_t level_words(const struct cache_level *l)
{
	return (l->set_mask + 1) * l->ways;
}

/* Bit set of the levels used since the snapshot, and their total size in words. */
static uint32_t used_levels(struct nest *n, const struct snapshot *s, uint64_t *words)
{
	uint32_t bits = 0;

	*words = 0;
	for (uint32_t k = 0; k < n->c->config.levels; k++) {
		const struct cache_level *l = level_of(n->c, n->core, k);

		if (l->used == s->used[k])
			continue;
		bits |= 1u << k;
		*words += level_words(l);
	}
	return bits;
}

/* Copies the levels in `bits` to the snapshot, or compares them with it. Returns 0 if they are
 * equal. */
static int copy_or_compare(struct nest *n, struct snapshot *s, uint32_t bits, int compare)
{
	uint8_t *p = s->bytes;

	for (uint32_t k = 0; k < n->c->config.levels; k++) {
		const struct cache_level *l = level_of(n->c, n->core, k);
		const void *part[4] = { l->word, l->site, l->read, l->written };
		size_t words = level_words(l);

		if (!(s->levels & 1u << k))
			continue;
		for (int i = 0; i < 4; i++) {
			size_t len = part[i] ? words * (i == 1 ? 4 : 8) : 0;

			if (compare && (bits & 1u << k) && len && memcmp(p, part[i], len) != 0)
				return 1;
			if (!compare && len)
				memcpy(p, part[i], len);
			p += len;
		}
	}
	return 0;
}

static void take_snapshot(struct nest *n, struct snapshot *s, uint32_t bits, uint64_t words)
{
	size_t bytes_needed = words * 28;

	s->levels = 0;
	if (bytes_needed > s->capacity) {
		void *bytes = realloc(s->bytes, bytes_needed);

		if (!bytes)
			return;		/* no state will be found equal */
		s->bytes = bytes;
		s->capacity = bytes_needed;
	}
	s->levels = bits;
	copy_or_compare(n, s, bits, 0);
}

static void copy_sites(const struct nest *n, const struct loop_info *info,
		       struct bob_cache_site *to)
{
	for (uint32_t i = 0; i < info->sites; i++)
		to[i] = n->c->site[n->site[info->first_site + i]];
}

/* Number of accesses since `before`. */
static uint64_t done_since(const struct nest *n, const struct loop_info *info,
			   const struct bob_cache_site *before)
{
	uint64_t accesses = 0;

	for (uint32_t i = 0; i < info->sites; i++)
		accesses += bob_cache_accesses(&n->c->site[n->site[info->first_site + i]]) -
			    bob_cache_accesses(&before[i]);
	return accesses;
}

/* Adds `times` times the counts since `before`. Only sites of the body have counts: a line brought
 * in by another site, once evicted, would return with a site of the body, so the state would
 * differ. */
static void repeat(struct nest *n, const struct loop_info *info,
		   const struct bob_cache_site *before, uint64_t times)
{
	for (uint32_t i = 0; i < info->sites; i++) {
		uint64_t *now = (uint64_t *)&n->c->site[n->site[info->first_site + i]];
		const uint64_t *then = (const uint64_t *)&before[i];

		for (size_t k = 0; k < sizeof(*before) / sizeof(*now); k++)
			now[k] += (now[k] - then[k]) * times;
	}
}

/* Simulates `count` > 1 iterations with the same lines, and advances the index. */
static void run_same(struct nest *n, uint32_t loop, uint64_t count)
{
	struct bob_cache *c = n->c;
	const struct loop_info *info = &n->info[loop];
	struct bob_cache_site *before = n->before + (size_t)info->depth * n->site_capacity;
	struct snapshot *s = &n->snapshot[info->depth];
	uint64_t credit = 0;

	s->levels = 0;
	for (; count && c->status == BOB_OK; n->idx[info->depth]++) {
		uint64_t slow = c->slow, events = c->events, accesses, words;
		uint32_t bits;
		int same;

		for (uint32_t k = 0; k < c->config.levels; k++)
			s->used[k] = level_of(c, n->core, k)->used;
		copy_sites(n, info, before);
		run_items(n, loop + 1, loop + 1 + n->item[loop].items, info->depth + 1);
		count--;
		accesses = done_since(n, info, before);
		bits = used_levels(n, s, &words);
		same = slow == c->slow;
		if (!same && (bits & ~s->levels) == 0 && events == c->events)
			same = copy_or_compare(n, s, bits, 1) == 0;
		if (same && c->status == BOB_OK) {
			repeat(n, info, before, count);
			c->skipped += accesses * count;
			n->idx[info->depth] += count + 1;
			return;
		}
		credit += accesses * COMPARE_RATE;
		s->levels = 0;
		if (credit >= 2 * words && count > 1) {
			take_snapshot(n, s, bits, words);
			credit = 0;
		}
	}
}

static void run_loop(struct nest *n, uint32_t loop)
{
	const struct bob_cache_item *item = &n->item[loop];
	uint32_t depth = n->info[loop].depth;
	int64_t trips = (int64_t)value_at(n, item, depth);
	uint64_t count = trips > 0 ? (uint64_t)trips : 0;

	if (n->info[loop].leaf) {
		run_leaf(n, loop, count);
		return;
	}
	for (n->idx[depth] = 0; n->idx[depth] < count && n->c->status == BOB_OK;) {
		uint64_t k;

		for (uint32_t d = depth + 1; d < BOB_CACHE_DEPTH; d++)
			n->idx[d] = 0;
		k = loop_moves(n, loop, count - n->idx[depth] - 1);
		if (k) {
			run_same(n, loop, k + 1);
		} else {
			run_items(n, loop + 1, loop + 1 + item->items, depth + 1);
			n->idx[depth]++;
		}
	}
}

static void run_items(struct nest *n, uint32_t from, uint32_t to, uint32_t depth)
{
	for (uint32_t i = from; i < to && n->c->status == BOB_OK; i++) {
		const struct bob_cache_item *item = &n->item[i];

		if (item->items) {
			run_loop(n, i);
			i += item->items;
		} else {
			struct bob_cache_access a = { value_at(n, item, depth), n->thread,
						      item->site, item->size, item->type };

			cache_access(n->c, n->core, &a);
		}
	}
}

bob_status bob_cache_nest(struct bob_cache *c, uint32_t thread, const struct bob_cache_item *items,
			  uint32_t count)
{
	struct nest n = { .c = c, .thread = thread, .item = items };
	bob_status st;

	if (thread >= c->threads || count > BOB_CACHE_ITEMS_MAX)
		return BOB_ERR_INVAL;
	if (c->status != BOB_OK)
		return c->status;
	n.core = &c->core[c->core_of[thread]];
	st = bob_cache_nest_look(&n, count);
	if (st == BOB_OK) {
		run_items(&n, 0, count, 0);
		st = c->status;
	}
	for (uint32_t d = 0; d < BOB_CACHE_DEPTH; d++)
		free(n.snapshot[d].bytes);
	return st;
}
