/* SPDX-License-Identifier: BSD-3-Clause */
/* Slow path of an access of one core to one line: lookup level by level, invalidation in other
 * cores, fills on the way back, and evictions.
 *
 * The counts depend on this order: (1) look up the private levels; (2) write back other cores'
 * copies of the line to the first shared level, and invalidate them if the access writes; (3) look
 * up the shared levels; (4) fill from the lowest level that missed up to L1. Evictions by a fill
 * are processed immediately. A line that is written back to a level without it is inserted there.
 *
 * Termination: an evicted line only moves down; a copy above an inclusive level is dropped, never
 * moved; and an inclusive level contains all lines that are written back to it. */
#include <string.h>

#include "analysis/cache/model.h"

/* A line removed from a level. */
struct gone {
	uint64_t word;
	uint32_t site;
	uint64_t read, written;
};

static inline struct bob_cache_counts *counts(struct bob_cache *c, const struct cache_by *by,
					      uint32_t level)
{
	return &c->site[by->site].level[level];
}

/* --- sets --- */

/* Moves the words first .. at - 1 of a set back by one place, over the word at `at`. */
static inline void move_back(struct cache_level *l, uint64_t first, uint64_t at)
{
	uint64_t n = at - first;

	memmove(&l->word[first + 1], &l->word[first], n * sizeof(*l->word));
	memmove(&l->site[first + 1], &l->site[first], n * sizeof(*l->site));
	if (l->read) {
		memmove(&l->read[first + 1], &l->read[first], n * sizeof(*l->read));
		memmove(&l->written[first + 1], &l->written[first], n * sizeof(*l->read));
	}
}

/* Makes word `at` the most recent of the set at `first`. */
static inline void promote(struct cache_level *l, uint64_t first, uint64_t at)
{
	uint64_t word = l->word[at];
	uint32_t site = l->site[at];

	if (at == first)
		return;
	if (l->read) {
		uint64_t read = l->read[at], written = l->written[at];

		move_back(l, first, at);
		l->read[first] = read;
		l->written[first] = written;
	} else {
		move_back(l, first, at);
	}
	l->word[first] = word;
	l->site[first] = site;
}

static inline void take_out(const struct cache_level *l, uint64_t at, struct gone *g)
{
	g->word = l->word[at];
	g->site = l->site[at];
	g->read = l->read ? l->read[at] : 0;
	g->written = l->read ? l->written[at] : 0;
}

/* Inserts a line as the most recent; the least recent line is removed. */
static inline void insert(struct cache_level *l, uint64_t word, uint32_t site, struct gone *g)
{
	uint64_t first = set_index(l, word >> 3), last = first + l->ways - 1;

	take_out(l, last, g);
	move_back(l, first, last);
	l->word[first] = word;
	l->site[first] = site;
	if (l->read)
		l->read[first] = l->written[first] = 0;
}

/* Removes a word from the middle of a set; the free place moves to the end. */
static void drop(struct cache_level *l, uint64_t at, struct gone *g)
{
	uint64_t n;

	take_out(l, at, g);
	n = set_index(l, g->word >> 3) + l->ways - 1 - at;

	memmove(&l->word[at], &l->word[at + 1], n * sizeof(*l->word));
	memmove(&l->site[at], &l->site[at + 1], n * sizeof(*l->site));
	l->word[at + n] = EMPTY;
	l->site[at + n] = 0;
	if (l->read) {
		memmove(&l->read[at], &l->read[at + 1], n * sizeof(*l->read));
		memmove(&l->written[at], &l->written[at + 1], n * sizeof(*l->read));
		l->read[at + n] = l->written[at + n] = 0;
	}
}

/* --- use of bytes --- */

/* Records the accesses of a core since its last report: in its own masks, and as foreign in those
 * of others. */
static void report_use(struct bob_cache *c, const struct line_info *e, uint32_t core, uint64_t read,
		       uint64_t written)
{
	for (uint32_t u = e->users; u; u = c->dir.user[u].next) {
		struct line_user *user = &c->dir.user[u];

		if (user->core == core) {
			user->read |= read;
			user->written |= written;
		} else {
			user->foreign |= written;
		}
	}
	c->events++;
}

/* Reports the use of a line that left an L1, if it may be shared. */
static inline void report_gone(struct bob_cache *c, const struct cache_core *core,
			       const struct gone *g)
{
	struct line_info *e;

	if (!(g->word & FLAG_SHARED) || !(g->read | g->written))
		return;
	e = bob_cache_line(c, g->word >> 3);
	if (e)
		report_use(c, e, core->number, g->read, g->written);
}

/* --- evictions --- */

static void evict(struct bob_cache *c, const struct cache_by *by, struct cache_core *core,
		  uint32_t k, struct gone *g);

/* Writes a dirty line back to level k or to memory. Passed by pointer, because loading a struct
 * that was just written in parts is slow. */
static void put_down(struct bob_cache *c, const struct cache_by *by, struct cache_core *core,
		     uint32_t k, const struct gone *g)
{
	struct cache_level *l;
	uint64_t line = g->word >> 3;
	struct gone out;
	int64_t at;

	if (k == c->config.levels)
		return;
	l = level_of(c, core, k);
	l->used++;
	at = cache_find(l, line);
	if (at >= 0) {
		l->word[at] |= FLAG_DIRTY;
		return;
	}
	BOB_ASSERT(!l->inclusive && (g->word & FLAG_OWN)); /* dirty, so no other core has it */
	insert(l, line << 3 | FLAG_DIRTY | FLAG_OWN, g->site, &out);
	evict(c, by, core, k, &out);
}

/* Invalidates copies of a line above inclusive level k. Returns FLAG_DIRTY if one was dirty. */
static uint64_t drop_above(struct bob_cache *c, const struct cache_by *by, struct cache_core *core,
			   uint32_t k, uint64_t line)
{
	uint64_t dirty = 0, cores = 1ull << core->number;
	struct gone g;
	int64_t at;

	if (k >= c->private_levels) {
		const struct line_info *e = c->multi ? bob_cache_line(c, line) : NULL;

		cores = e ? e->holders : 1;
	}
	for (uint32_t j = k; j-- > c->private_levels;) {
		struct cache_level *l = &c->shared[j - c->private_levels];

		at = cache_find(l, line);
		if (at < 0)
			continue;
		l->used++;
		counts(c, by, k)->dropped++;
		drop(l, (uint64_t)at, &g);
		dirty |= g.word;
	}
	for (; cores; cores &= cores - 1) {
		struct cache_core *o = &c->core[__builtin_ctzll(cores)];

		for (uint32_t j = 0; j < k && j < c->private_levels; j++) {
			at = cache_find(&o->level[j], line);
			if (at < 0)
				continue;
			o->level[j].used++;
			counts(c, by, k)->dropped++;
			drop(&o->level[j], (uint64_t)at, &g);
			dirty |= g.word;
			c->events += o != core;
			report_gone(c, o, &g);
		}
	}
	return dirty & FLAG_DIRTY;
}

/* Processes the eviction of `g` from level k; `core` is its owner if the level is private. */
static void evict(struct bob_cache *c, const struct cache_by *by, struct cache_core *core,
		  uint32_t k, struct gone *g)
{
	if (g->word == EMPTY)
		return;
	counts(c, by, k)->evictions++;
	c->site[g->site].level[k].victims++;
	if (c->config.level[k].inclusive)
		g->word |= drop_above(c, by, core, k, g->word >> 3);
	report_gone(c, core, g);
	if (!(g->word & FLAG_DIRTY))
		return;
	counts(c, by, k)->write_backs++;
	put_down(c, by, core, k + 1, g);
}

/* --- other cores --- */

/* Invalidates the line in another core if `write`; otherwise the core loses its exclusive
 * ownership. Returns whether it had the line. */
static int ask(struct bob_cache *c, const struct cache_by *by, struct cache_core *o, uint64_t line,
	       struct line_info *e, int write)
{
	struct gone changed = { .word = 0 };
	uint32_t from = 0;
	int had = 0;

	for (uint32_t k = c->private_levels; k-- > 0;) {
		struct cache_level *l = &o->level[k];
		int64_t at = cache_find(l, line);
		struct gone g;

		if (at < 0)
			continue;
		had = 1;
		l->used++;
		take_out(l, (uint64_t)at, &g);
		if (g.word & FLAG_DIRTY) {
			changed = g;
			from = k + 1;
		}
		if (k == 0 && (g.read | g.written)) {
			report_use(c, e, o->number, g.read, g.written);
			l->read[at] = l->written[at] = 0;
		}
		if (write) {
			drop(l, (uint64_t)at, &g);
			e->taken[k] |= 1ull << o->number;
		} else {
			l->word[at] &= ~(FLAG_DIRTY | FLAG_OWN);
		}
	}
	if (from) {		/* counted at its old level, stored where all cores can access it */
		counts(c, by, from - 1)->write_backs++;
		put_down(c, by, o, c->private_levels, &changed);
	}
	return had;
}

/* The same for all other cores. Returns how many had the line. */
static uint32_t ask_others(struct bob_cache *c, const struct cache_by *by, uint64_t line,
			   struct line_info *e, int write)
{
	uint64_t others = e->holders & ~(1ull << by->core->number);
	uint32_t had = 0;

	c->events += others != 0;
	for (; others; others &= others - 1) {
		uint32_t n = (uint32_t)__builtin_ctzll(others);
		struct line_user *user;

		if (!ask(c, by, &c->core[n], line, e, write)) {
			e->holders &= ~(1ull << n);
			continue;
		}
		had++;
		if (!write)
			continue;
		e->holders &= ~(1ull << n);
		user = bob_cache_user(c, e, n);
		if (user) {
			user->foreign = 0;
			user->lost_thread = by->thread;
			user->lost_site = by->site;
		}
	}
	if (write)
		c->site[by->site].invalidations += had;
	return had;
}

/* A store to a line that this core has, but not exclusively. */
static void upgrade(struct bob_cache *c, const struct cache_by *by, uint64_t line)
{
	struct line_info *e = bob_cache_line(c, line);

	if (!e)
		return;
	c->events++;
	c->site[by->site].upgrades++;
	ask_others(c, by, line, e, 1);
	for (uint32_t k = 0; k < c->private_levels; k++) {
		int64_t at = cache_find(&by->core->level[k], line);

		if (at >= 0)
			by->core->level[k].word[at] |= FLAG_OWN;
	}
}

/* Begins to record the use of a line's bytes when a second core accesses it. */
static int become_shared(struct bob_cache *c, uint32_t core, uint64_t line, struct line_info *e)
{
	uint64_t bit = 1ull << core;

	if (!(e->seen & ~bit) || bob_cache_user(c, e, core))
		return 1;
	if (!e->users) {
		uint32_t first = (uint32_t)__builtin_ctzll(e->seen & ~bit);
		struct cache_level *l1 = &c->core[first].level[0];
		int64_t at = cache_find(l1, line);

		if (!bob_cache_user_add(c, e, first))
			return 0;
		if (at >= 0) {
			l1->word[at] |= FLAG_SHARED;
			l1->read[at] = l1->written[at] = 0;
		}
	}
	return bob_cache_user_add(c, e, core) != NULL;
}

/* --- misses --- */

static void fill(struct bob_cache *c, const struct cache_by *by, uint64_t line, uint32_t missed,
		 uint64_t flags, int write)
{
	struct gone g;

	while (missed-- > 0) {
		uint64_t word = line << 3 |
				(missed < c->private_levels ? flags & FLAG_OWN : FLAG_OWN);

		if (missed == 0)
			word |= (flags & FLAG_SHARED) | (write ? FLAG_DIRTY : 0);
		insert(level_of(c, by->core, missed), word, by->site, &g);
		evict(c, by, by->core, missed, &g);
	}
}

/* Looks up the line in levels [k, end) and counts misses with the given causes. Returns the first
 * level that has it, or `end`. */
static uint32_t look_up(struct bob_cache *c, const struct cache_by *by, uint64_t line, uint32_t k,
			uint32_t end, int write, const enum bob_cache_cause *cause)
{
	for (; k < end; k++) {
		struct cache_level *l = level_of(c, by->core, k);
		int64_t at = cache_find(l, line);

		l->used++;
		counts(c, by, k)->accesses[write]++;
		if (at >= 0) {
			promote(l, set_index(l, line), (uint64_t)at);
			break;
		}
		counts(c, by, k)->misses[write][cause[k]]++;
	}
	return k;
}

static void all_causes(enum bob_cache_cause cause[BOB_CACHE_LEVELS], uint32_t from, int seen)
{
	for (uint32_t k = from; k < BOB_CACHE_LEVELS; k++)
		cause[k] = seen ? BOB_CACHE_REPLACED : BOB_CACHE_COLD;
}

static void count_l1(struct bob_cache *c, const struct cache_by *by, int write,
		     enum bob_cache_cause cause)
{
	counts(c, by, 0)->misses[write][cause]++;
}

/* Miss with one core: no coherence. */
static void miss_alone(struct bob_cache *c, const struct cache_by *by, uint64_t line, int write)
{
	enum bob_cache_cause cause[BOB_CACHE_LEVELS];
	int first = bob_cache_touch_first(c, line);
	uint32_t k;

	all_causes(cause, 0, !first);
	c->events += (uint64_t)first;
	count_l1(c, by, write, cause[0]);
	k = look_up(c, by, line, 1, c->config.levels, write, cause);
	fill(c, by, line, k, FLAG_OWN, write);
}

/* Miss in all private levels of the core. */
static uint64_t miss_among(struct bob_cache *c, const struct cache_by *by, uint64_t line,
			   uint64_t mask, struct line_info *e, int write)
{
	uint64_t bit = 1ull << by->core->number;
	uint32_t had;

	if (!become_shared(c, by->core->number, line, e))
		return 0;
	had = ask_others(c, by, line, e, write);
	c->site[by->site].transfers += had != 0;
	if ((e->taken[0] | e->taken[1]) & bit) {
		const struct line_user *user = bob_cache_user(c, e, by->core->number);
		int is_true = user && (user->foreign & mask);

		if (is_true)
			c->site[by->site].true_sharing++;
		else
			c->site[by->site].false_sharing++;
		if (user)
			bob_cache_sharing_count(c, line, by, user, is_true);
		c->events++;
	}
	c->events += !(e->seen & bit);
	e->seen |= bit;
	e->holders |= bit;
	e->taken[0] &= ~bit;
	e->taken[1] &= ~bit;
	return (write || !had ? FLAG_OWN : 0) | (e->users ? FLAG_SHARED : 0);
}

static void miss_multi(struct bob_cache *c, const struct cache_by *by, uint64_t line, uint64_t mask,
		       int write)
{
	enum bob_cache_cause cause[BOB_CACHE_LEVELS];
	struct line_info *e = bob_cache_line(c, line);
	uint64_t bit = 1ull << by->core->number, flags;
	uint32_t k;

	if (!e)
		return;
	all_causes(cause, 0, (e->seen & bit) != 0);
	for (k = 0; k < c->private_levels; k++)
		if (e->taken[k] & bit)
			cause[k] = BOB_CACHE_COHERENCE;
	all_causes(cause, c->private_levels, e->seen != 0);
	count_l1(c, by, write, cause[0]);
	k = look_up(c, by, line, 1, c->private_levels, write, cause);
	if (k < c->private_levels) {
		const uint64_t *own = set_of(&by->core->level[k], line);

		if (write && !(*own & FLAG_OWN))
			upgrade(c, by, line);
		flags = (*own & FLAG_OWN) | (e->users ? FLAG_SHARED : 0);
	} else {
		flags = miss_among(c, by, line, mask, e, write);
		k = look_up(c, by, line, k, c->config.levels, write, cause);
	}
	fill(c, by, line, k, flags, write);
}

void bob_cache_touch_slow(struct bob_cache *c, const struct cache_by *by, uint64_t line,
			  uint64_t mask, uint8_t type)
{
	struct cache_level *l1 = &by->core->level[0];
	int64_t at = cache_find(l1, line);
	uint64_t first = set_index(l1, line);

	l1->used++;
	if (at < 0) {
		c->slow++;
		if (c->multi)
			miss_multi(c, by, line, mask, type != BOB_CACHE_LOAD);
		else
			miss_alone(c, by, line, type != BOB_CACHE_LOAD);
	} else {
		promote(l1, first, (uint64_t)at);
		if (type && !(l1->word[first] & FLAG_OWN)) {
			c->slow++;
			upgrade(c, by, line);
		}
		if (type)
			l1->word[first] |= FLAG_DIRTY;
	}
	if (c->multi)
		cache_mark(l1, first, mask, type);
}
