/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates and destroys a simulation, processes single accesses, and sums the counts of sites. */
#include <stdlib.h>
#include <string.h>

#include "analysis/cache/model.h"

#define MEMORY_DEFAULT (4ull << 30)

/* --- creation and destruction --- */

static bob_status level_init(struct bob_cache *c, struct cache_level *l, uint32_t k)
{
	const struct bob_cache_level *v = &c->config.level[k];
	uint64_t lines = v->size_bytes / c->config.line_bytes;

	l->number = k;
	l->ways = v->ways;
	l->set_mask = lines / v->ways - 1;
	l->inclusive = v->inclusive;
	l->word = malloc(lines * sizeof(*l->word));
	l->site = calloc(lines, sizeof(*l->site));
	if (!l->word || !l->site)
		return BOB_ERR_NOMEM;
	memset(l->word, 0xff, lines * sizeof(*l->word)); /* EMPTY */
	if (k || !c->multi)
		return BOB_OK;
	l->read = calloc(lines, sizeof(*l->read));
	l->written = calloc(lines, sizeof(*l->written));
	return l->read && l->written ? BOB_OK : BOB_ERR_NOMEM;
}

static void level_fini(struct cache_level *l)
{
	free(l->word);
	free(l->site);
	free(l->read);
	free(l->written);
}

static bob_status levels_init(struct bob_cache *c)
{
	bob_status st = BOB_OK;

	for (uint32_t n = 0; n < c->cores && st == BOB_OK; n++) {
		c->core[n].number = n;
		for (uint32_t k = 0; k < c->private_levels && st == BOB_OK; k++)
			st = level_init(c, &c->core[n].level[k], k);
	}
	for (uint32_t k = c->private_levels; k < c->config.levels && st == BOB_OK; k++)
		st = level_init(c, &c->shared[k - c->private_levels], k);
	return st;
}

bob_status bob_cache_create(const struct bob_cache_config *config,
			    const struct bob_cache_options *options, struct bob_cache **out)
{
	struct bob_cache *c;
	bob_status st;

	if (bob_cache_config_check(config, NULL) != BOB_OK || options->size != sizeof(*options) ||
	    options->threads > BOB_CACHE_THREADS_MAX || options->sites > BOB_CACHE_SITES_MAX)
		return BOB_ERR_INVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return BOB_ERR_NOMEM;
	c->config = *config;
	c->threads = options->threads ? options->threads : 1;
	c->sites = options->sites ? options->sites : 1;
	c->cores = c->threads < config->cores ? c->threads : config->cores;
	c->multi = c->cores > 1;
	while (c->private_levels < config->levels && !config->level[c->private_levels].shared)
		c->private_levels++;
	c->line_shift = (uint32_t)__builtin_ctz(config->line_bytes);
	c->granule_shift = c->line_shift > 6 ? c->line_shift - 6 : 0;
	c->core = calloc(c->cores, sizeof(*c->core));
	c->site = calloc(c->sites, sizeof(*c->site));
	c->core_of = malloc(c->threads);
	for (uint32_t t = 0; c->core_of && t < c->threads; t++)
		c->core_of[t] = (uint8_t)(t % c->cores);
	st = c->core && c->site && c->core_of ? levels_init(c) : BOB_ERR_NOMEM;
	if (st == BOB_OK)
		st = bob_cache_directory_init(c, options->memory_bytes ? options->memory_bytes :
									 MEMORY_DEFAULT);
	if (st != BOB_OK) {
		bob_cache_destroy(c);
		return st;
	}
	*out = c;
	return BOB_OK;
}

void bob_cache_destroy(struct bob_cache *c)
{
	if (!c)
		return;
	for (uint32_t n = 0; c->core && n < c->cores; n++)
		for (uint32_t k = 0; k < BOB_CACHE_PRIVATE; k++)
			level_fini(&c->core[n].level[k]);
	for (uint32_t k = 0; k < BOB_CACHE_LEVELS; k++)
		level_fini(&c->shared[k]);
	bob_cache_directory_fini(&c->dir);
	bob_cache_sharing_fini(&c->sharing);
	bob_cache_nest_fini(&c->nest);
	free(c->core);
	free(c->core_of);
	free(c->site);
	free(c);
}

bob_status bob_cache_more_sites(struct bob_cache *c, uint32_t sites)
{
	struct bob_cache_site *site;

	if (sites > BOB_CACHE_SITES_MAX)
		return BOB_ERR_INVAL;
	if (sites <= c->sites)
		return BOB_OK;
	site = realloc(c->site, sites * sizeof(*site));
	if (!site)
		return BOB_ERR_NOMEM;
	memset(site + c->sites, 0, (sites - c->sites) * sizeof(*site));
	c->site = site;
	c->sites = sites;
	return BOB_OK;
}

/* --- accesses --- */

void bob_cache_straddle(struct bob_cache *c, const struct cache_by *by,
			const struct bob_cache_access *a)
{
	struct bob_cache_site *site = &c->site[a->site];
	uint64_t left = a->size, lines = ~0ull >> c->line_shift, line = a->address >> c->line_shift;
	uint64_t offset = a->address & (c->config.line_bytes - 1);

	site->straddles++;
	site->level[0].accesses[a->type != BOB_CACHE_LOAD]--; /* included in `accesses` */
	while (left) {
		uint64_t n = c->config.line_bytes - offset;

		n = n < left ? n : left;
		site->level[0].accesses[a->type != BOB_CACHE_LOAD]++;
		cache_touch(c, by, line, cache_mask(c, offset, n), a->type);
		left -= n;
		offset = 0;
		line = (line + 1) & lines;
	}
}

bob_status bob_cache_access(struct bob_cache *c, const struct bob_cache_access *a)
{
	if (!cache_valid(c, a))
		return BOB_ERR_INVAL;
	if (c->status == BOB_OK)
		cache_access(c, &c->core[c->core_of[a->thread]], a);
	return c->status;
}

/* --- sums --- */

bob_status bob_cache_site(const struct bob_cache *c, uint32_t site, struct bob_cache_site *out)
{
	if (site >= c->sites)
		return BOB_ERR_INVAL;
	*out = c->site[site];
	out->level[0].accesses[0] += out->accesses[BOB_CACHE_LOAD];
	out->level[0].accesses[1] +=
		out->accesses[BOB_CACHE_STORE] + out->accesses[BOB_CACHE_ATOMIC];
	return BOB_OK;
}

void bob_cache_add(struct bob_cache_site *sum, const struct bob_cache_site *more)
{
	uint64_t *to = (uint64_t *)sum;
	const uint64_t *from = (const uint64_t *)more;

	BOB_STATIC_ASSERT(sizeof(*sum) % sizeof(*to) == 0, "all members are counters of 64 bits");
	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

void bob_cache_total(const struct bob_cache *c, struct bob_cache_site *out)
{
	struct bob_cache_site one;

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < c->sites; i++) {
		bob_cache_site(c, i, &one);
		bob_cache_add(out, &one);
	}
}

uint64_t bob_cache_skipped(const struct bob_cache *c)
{
	return c->skipped;
}
