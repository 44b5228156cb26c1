/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of docs/cache.md once more, as slowly and plainly as possible: every cache is an
 * unordered list of entries with time stamps, every line has a record with a byte of flags for each
 * granule and core, and every question is a search through everything. Written from the page, not
 * from the code; shares no code with it. For tests, and the baseline of bench/cache. */
#ifndef BOB_TESTS_CACHE_NAIVE_H
#define BOB_TESTS_CACHE_NAIVE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cache/cache.h"

enum naive_state { NAIVE_I, NAIVE_S, NAIVE_E, NAIVE_M };

struct naive_entry {
	uint64_t line, stamp;
	enum naive_state state;	/* M and E below private levels: changed or not */
	uint32_t site;
};

struct naive_cache {
	struct naive_entry *entry; /* sets * ways */
	uint64_t sets;
	unsigned ways;
};

struct naive_line {
	uint64_t line;
	int touched[64];	/* by core */
	int taken[4][64];	/* by level and core */
	unsigned char read[64][64], written[64][64], foreign[64][64]; /* by core and granule */
	uint32_t lost_thread[64], lost_site[64];
};

struct naive {
	struct bob_cache_config cfg;
	unsigned cores, private_levels, granule;
	uint64_t clock;
	struct naive_cache cache[64][4]; /* [0][k] where level k is shared */
	struct naive_line *line;
	size_t lines, line_capacity;
	struct bob_cache_site *site;
	uint32_t sites;
	struct bob_cache_sharing *row;
	size_t rows, row_capacity;
};

static inline void *naive_more(void *p, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return p;
	*capacity = *capacity * 2 + 16;
	p = realloc(p, *capacity * size);
	if (!p)
		abort();
	return p;
}

static inline struct naive_cache *naive_at(struct naive *n, unsigned core, unsigned k)
{
	return &n->cache[k < n->private_levels ? core : 0][k];
}

static inline struct naive_entry *naive_find(struct naive *n, unsigned core, unsigned k,
					     uint64_t line)
{
	struct naive_cache *c = naive_at(n, core, k);

	for (unsigned w = 0; w < c->ways; w++) {
		struct naive_entry *e = &c->entry[line % c->sets * c->ways + w];

		if (e->state != NAIVE_I && e->line == line)
			return e;
	}
	return NULL;
}

static inline struct naive_line *naive_line(struct naive *n, uint64_t line)
{
	for (size_t i = n->lines; i-- > 0;)
		if (n->line[i].line == line)
			return &n->line[i];
	n->line = naive_more(n->line, n->lines, &n->line_capacity, sizeof(*n->line));
	memset(&n->line[n->lines], 0, sizeof(*n->line));
	n->line[n->lines].line = line;
	return &n->line[n->lines++];
}

static inline unsigned naive_cores_of(const struct naive_line *l)
{
	unsigned count = 0;

	for (unsigned c = 0; c < 64; c++)
		count += l->touched[c] != 0;
	return count;
}

static inline void naive_put(struct naive *n, unsigned core, unsigned k, uint64_t line,
			     enum naive_state state, uint32_t owner, uint32_t site);

/* An entry leaves level k of `core`; the access of `site` is why. */
static inline void naive_leave(struct naive *n, unsigned core, unsigned k, struct naive_entry e,
			       uint32_t site)
{
	struct bob_cache_counts *count = &n->site[site].level[k];

	count->evictions++;
	n->site[e.site].level[k].victims++;
	if (n->cfg.level[k].inclusive) {
		for (unsigned j = 0; j < k; j++) {
			unsigned from = core, to = core + 1;

			if (j >= n->private_levels) {
				from = 0;
				to = 1;
			} else if (k >= n->private_levels) {
				from = 0;
				to = n->cores;
			}
			for (unsigned o = from; o < to; o++) {
				struct naive_entry *up = naive_find(n, o, j, e.line);

				if (!up)
					continue;
				count->dropped++;
				if (up->state == NAIVE_M)
					e.state = NAIVE_M;
				up->state = NAIVE_I;
			}
		}
	}
	if (e.state != NAIVE_M)
		return;
	count->write_backs++;
	if (k + 1 < n->cfg.levels) {
		struct naive_entry *below = naive_find(n, core, k + 1, e.line);

		if (below)
			below->state = NAIVE_M;
		else
			naive_put(n, core, k + 1, e.line, NAIVE_M, e.site, site);
	}
}

static inline void naive_put(struct naive *n, unsigned core, unsigned k, uint64_t line,
			     enum naive_state state, uint32_t owner, uint32_t site)
{
	struct naive_cache *c = naive_at(n, core, k);
	struct naive_entry *oldest = NULL, gone;

	for (unsigned w = 0; w < c->ways; w++) {
		struct naive_entry *e = &c->entry[line % c->sets * c->ways + w];

		if (e->state == NAIVE_I) {
			oldest = e;
			break;
		}
		if (!oldest || e->stamp < oldest->stamp)
			oldest = e;
	}
	gone = *oldest;
	*oldest = (struct naive_entry){ line, ++n->clock, state, owner };
	if (gone.state != NAIVE_I)
		naive_leave(n, core, k, gone, site);
}

static inline void naive_shared_miss(struct naive *n, struct naive_line *l, unsigned core,
				     uint32_t thread, uint32_t site, int true_sharing)
{
	struct bob_cache_sharing key = { l->line * n->cfg.line_bytes, thread, site,
					 l->lost_thread[core], l->lost_site[core], 0, 0 };
	size_t i;

	for (i = 0; i < n->rows; i++)
		if (memcmp(&n->row[i], &key, offsetof(struct bob_cache_sharing, true_misses)) == 0)
			break;
	if (i == n->rows) {
		n->row = naive_more(n->row, n->rows, &n->row_capacity, sizeof(*n->row));
		n->row[n->rows++] = key;
	}
	if (true_sharing) {
		n->site[site].true_sharing++;
		n->row[i].true_misses++;
	} else {
		n->site[site].false_sharing++;
		n->row[i].false_misses++;
	}
}

/* Core `core` is about to have the line; others write back and, if it writes, lose it. */
static inline unsigned naive_others(struct naive *n, struct naive_line *l, unsigned core, int write,
				    uint32_t thread, uint32_t site)
{
	unsigned had = 0;

	for (unsigned o = 0; o < n->cores; o++) {
		int has = 0, changed = -1;
		uint32_t owner = 0;

		if (o == core)
			continue;
		for (unsigned k = 0; k < n->private_levels; k++) {
			struct naive_entry *e = naive_find(n, o, k, l->line);

			if (!e)
				continue;
			has = 1;
			if (e->state == NAIVE_M && changed < 0) {
				changed = (int)k;
				owner = e->site;
			}
			e->state = write ? NAIVE_I : NAIVE_S;
			if (write)
				l->taken[k][o] = 1;
		}
		had += has != 0;
		if (has && write) {
			memset(l->foreign[o], 0, sizeof(l->foreign[o]));
			l->lost_thread[o] = thread;
			l->lost_site[o] = site;
			n->site[site].invalidations++;
		}
		if (changed >= 0) {
			unsigned p = n->private_levels;

			n->site[site].level[changed].write_backs++;
			if (p < n->cfg.levels) {
				struct naive_entry *e = naive_find(n, 0, p, l->line);

				if (e)
					e->state = NAIVE_M;
				else
					naive_put(n, 0, p, l->line, NAIVE_M, owner, site);
			}
		}
	}
	return had;
}

static inline int naive_wants_foreign(const struct naive *n, const struct naive_line *l,
				      unsigned core, uint64_t offset, uint64_t size)
{
	for (uint64_t g = offset / n->granule; g <= (offset + size - 1) / n->granule; g++)
		if (l->foreign[core][g])
			return 1;
	return 0;
}

static inline void naive_use(struct naive *n, struct naive_line *l, unsigned core, uint64_t offset,
			     uint64_t size, unsigned type)
{
	if (naive_cores_of(l) < 2)
		return;
	for (uint64_t g = offset / n->granule; g <= (offset + size - 1) / n->granule; g++) {
		if (type != BOB_CACHE_STORE)
			l->read[core][g] = 1;
		if (type == BOB_CACHE_LOAD)
			continue;
		l->written[core][g] = 1;
		for (unsigned o = 0; o < n->cores; o++)
			if (o != core)
				l->foreign[o][g] = 1;
	}
}

/* No private level has the line: the state in which it comes. */
static inline enum naive_state naive_ask(struct naive *n, struct naive_line *l, unsigned core,
					 uint64_t offset, uint64_t size, int write, uint32_t thread,
					 uint32_t site)
{
	const unsigned had = naive_others(n, l, core, write, thread, site);
	int lost = 0;

	n->site[site].transfers += had != 0;
	for (unsigned j = 0; j < n->private_levels; j++)
		lost |= l->taken[j][core];
	if (lost)
		naive_shared_miss(n, l, core, thread, site,
				  naive_wants_foreign(n, l, core, offset, size));
	return had && !write ? NAIVE_S : NAIVE_E;
}

static inline void naive_touch(struct naive *n, unsigned core, uint64_t line, uint64_t offset,
			       uint64_t size, unsigned type, uint32_t thread, uint32_t site)
{
	int write = type != BOB_CACHE_LOAD;
	struct naive_line *l = naive_line(n, line);
	struct bob_cache_site *s = &n->site[site];
	enum naive_state state = NAIVE_E;
	unsigned k, upgraded = 0;

	for (k = 0; k < n->cfg.levels; k++) {
		struct naive_entry *e;
		int here = l->touched[core];

		if (k == n->private_levels)
			state = naive_ask(n, l, core, offset, size, write, thread, site);
		if (k >= n->private_levels)
			here = naive_cores_of(l) > 0;
		s->level[k].accesses[write]++;
		e = naive_find(n, core, k, line);
		if (e) {
			e->stamp = ++n->clock;
			if (k < n->private_levels) {
				state = e->state == NAIVE_S ? NAIVE_S : NAIVE_E;
				upgraded = write && e->state == NAIVE_S;
			}
			break;
		}
		if (k < n->private_levels && l->taken[k][core])
			s->level[k].misses[write][BOB_CACHE_COHERENCE]++;
		else
			s->level[k].misses[write][here ? BOB_CACHE_REPLACED : BOB_CACHE_COLD]++;
	}
	if (k == n->cfg.levels && k == n->private_levels) /* no shared level: ask all the same */
		state = naive_ask(n, l, core, offset, size, write, thread, site);
	if (upgraded) {
		s->upgrades++;
		naive_others(n, l, core, 1, thread, site);
		state = NAIVE_E;
		for (unsigned j = 0; j < n->private_levels; j++) {
			struct naive_entry *e = naive_find(n, core, j, line);

			if (e && e->state == NAIVE_S)
				e->state = NAIVE_E;
		}
	}
	l->touched[core] = 1;
	if (k >= n->private_levels)
		for (unsigned j = 0; j < n->private_levels; j++)
			l->taken[j][core] = 0;
	while (k-- > 0)
		naive_put(n, core, k, line, k < n->private_levels ? state : NAIVE_E, site, site);
	if (write)
		naive_find(n, core, 0, line)->state = NAIVE_M;
	naive_use(n, l, core, offset, size, type);
}

static inline void naive_access(struct naive *n, const struct bob_cache_access *a)
{
	uint64_t address = a->address, left = a->size;
	unsigned pieces = 0;

	n->site[a->site].accesses[a->type]++;
	while (left) {
		uint64_t offset = address % n->cfg.line_bytes, size = n->cfg.line_bytes - offset;

		if (size > left)
			size = left;
		naive_touch(n, a->thread % n->cores, address / n->cfg.line_bytes, offset, size,
			    a->type, a->thread, a->site);
		address += size;	/* around the end of memory, too */
		left -= size;
		pieces++;
	}
	n->site[a->site].straddles += pieces > 1;
}

static inline struct naive *naive_create(const struct bob_cache_config *cfg, uint32_t threads,
					 uint32_t sites)
{
	struct naive *n = calloc(1, sizeof(*n));

	if (!n)
		abort();
	n->cfg = *cfg;
	n->cores = threads < cfg->cores ? threads : cfg->cores;
	n->granule = cfg->line_bytes > 64 ? cfg->line_bytes / 64 : 1;
	n->sites = sites;
	n->site = calloc(sites, sizeof(*n->site));
	for (unsigned k = 0; k < cfg->levels; k++) {
		n->private_levels += !cfg->level[k].shared;
		for (unsigned c = 0; c < (cfg->level[k].shared ? 1 : n->cores); c++) {
			struct naive_cache *v = &n->cache[c][k];

			v->ways = cfg->level[k].ways;
			v->sets = cfg->level[k].size_bytes / cfg->line_bytes / v->ways;
			v->entry = calloc(v->sets * v->ways, sizeof(*v->entry));
			if (!v->entry)
				abort();
		}
	}
	return n;
}

static inline void naive_destroy(struct naive *n)
{
	for (unsigned c = 0; c < 64; c++)
		for (unsigned k = 0; k < 4; k++)
			free(n->cache[c][k].entry);
	free(n->line);
	free(n->site);
	free(n->row);
	free(n);
}

#endif
