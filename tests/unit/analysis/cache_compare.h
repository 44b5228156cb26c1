/* SPDX-License-Identifier: BSD-3-Clause */
/* Random machines and accesses, and the comparison of two simulations, for the tests of caches. */
#ifndef BOB_TESTS_CACHE_COMPARE_H
#define BOB_TESTS_CACHE_COMPARE_H

#include "cache_naive.h"

#define CMP_THREADS 6u
#define CMP_SITES 8u

static inline uint64_t cmp_random(uint64_t *r)
{
	*r = *r * 6364136223846793005u + 1442695040888963407u;
	return *r >> 33;
}

/* A machine that can be, small enough for everything to happen. */
static inline struct bob_cache_config cmp_machine(uint64_t *r)
{
	for (;;) {
		struct bob_cache_config c = { 0 };
		unsigned private_levels = 1 + (unsigned)cmp_random(r) % 2;

		c.cores = 1 + (uint32_t)cmp_random(r) % 4;
		c.line_bytes = 16u << cmp_random(r) % 6;
		c.levels = 1 + (uint32_t)cmp_random(r) % 4;
		for (unsigned k = 0; k < c.levels; k++) {
			c.level[k].ways = 1 + (uint32_t)cmp_random(r) % 4;
			c.level[k].size_bytes = (uint64_t)c.line_bytes * c.level[k].ways
						<< cmp_random(r) % (3 + 2 * k);
			c.level[k].shared = k >= private_levels;
			c.level[k].inclusive = k && cmp_random(r) % 3 == 0;
		}
		if (bob_cache_config_check(&c, NULL) == BOB_OK)
			return c;
	}
}

/* Within `lines` lines, sometimes around the end of memory. */
static inline struct bob_cache_access cmp_access(uint64_t *r, const struct bob_cache_config *c,
						 uint32_t threads, unsigned lines)
{
	struct bob_cache_access a = { 0 };

	a.address = cmp_random(r) % ((uint64_t)lines * c->line_bytes) -
		    (uint64_t)(lines / 2) * c->line_bytes;
	a.thread = (uint32_t)cmp_random(r) % threads;
	a.site = (uint32_t)cmp_random(r) % CMP_SITES;
	a.size = (uint16_t)(1u << cmp_random(r) % 4);
	if (cmp_random(r) % 16 == 0)
		a.size = (uint16_t)(1 + cmp_random(r) % (3 * c->line_bytes));
	a.type = cmp_random(r) % 2 ? BOB_CACHE_LOAD : (uint8_t)(cmp_random(r) % 3);
	return a;
}

static inline struct bob_cache *cmp_create(const struct bob_cache_config *c, uint32_t threads)
{
	struct bob_cache_options o = { .size = sizeof(o), .threads = threads, .sites = CMP_SITES };
	struct bob_cache *sim;

	return bob_cache_create(c, &o, &sim) == BOB_OK ? sim : NULL;
}

static inline void cmp_print(const char *name, const struct bob_cache_site *s, unsigned levels)
{
	const uint64_t *w = (const uint64_t *)s;

	printf("%s:", name);
	for (size_t i = 0; i < offsetof(struct bob_cache_site, level) / 8; i++)
		printf(" %llu", (unsigned long long)w[i]);
	for (unsigned k = 0; k < levels; k++) {
		w = (const uint64_t *)&s->level[k];
		printf(" | L%u", k + 1);
		for (size_t i = 0; i < sizeof(s->level[k]) / 8; i++)
			printf(" %llu", (unsigned long long)w[i]);
	}
	printf("\n");
}

/* 0 if all sites count the same. */
static inline int cmp_sites(const struct bob_cache_site *a, const struct bob_cache_site *b,
			    uint32_t site, unsigned levels)
{
	if (memcmp(a, b, sizeof(*a)) == 0)
		return 0;
	printf("site %u differs\n", site);
	cmp_print("a", a, levels);
	cmp_print("b", b, levels);
	return 1;
}

static inline int cmp_rows(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct bob_cache_sharing));
}

/* Tables of sharing, in any order. */
static inline int cmp_sharing(struct bob_cache *sim, struct bob_cache_sharing *want, size_t count)
{
	const struct bob_cache_sharing *rows;
	struct bob_cache_sharing *have;
	uint64_t lost;
	size_t n;
	int differ;

	bob_cache_sharing(sim, &rows, &n, &lost);
	if (n != count || lost) {
		printf("%zu rows of sharing, not %zu\n", n, count);
		return 1;
	}
	have = malloc(n * sizeof(*have) + 1);
	if (!have)
		abort();
	for (size_t i = 1; i < n; i++)
		if (rows[i - 1].true_misses + rows[i - 1].false_misses <
		    rows[i].true_misses + rows[i].false_misses) {
			printf("rows of sharing are not sorted\n");
			free(have);
			return 1;
		}
	if (n) {
		memcpy(have, rows, n * sizeof(*have));
		qsort(have, n, sizeof(*have), cmp_rows);
		qsort(want, n, sizeof(*want), cmp_rows);
	}
	differ = n && memcmp(have, want, n * sizeof(*have)) != 0;
	if (differ)
		printf("rows of sharing differ\n");
	free(have);
	return differ;
}

/* Who used which bytes of the lines around 0. */
static inline int cmp_use_naive(const struct bob_cache *sim, struct naive *n, int lines)
{
	for (int i = -lines / 2 - 4; i < lines / 2 + 4; i++) {
		uint64_t address = (uint64_t)i * n->cfg.line_bytes;
		struct naive_line *l = naive_line(n, address / n->cfg.line_bytes);
		struct bob_cache_use use[4];
		uint32_t granule, count, k = 0;
		int shared = naive_cores_of(l) > 1;

		count = bob_cache_line_use(sim, address, use, 4, &granule);
		if (count != (shared ? naive_cores_of(l) : 0) || granule != n->granule) {
			printf("line %d is used by %u cores, not %u\n", i, count,
			       naive_cores_of(l));
			return 1;
		}
		for (unsigned c = 0; shared && c < n->cores; c++) {
			if (!l->touched[c])
				continue;
			for (unsigned g = 0; g < n->cfg.line_bytes / granule; g++)
				if (use[k].core != c || (use[k].read >> g & 1) != l->read[c][g] ||
				    (use[k].written >> g & 1) != l->written[c][g]) {
					printf("line %d: use by core %u differs\n", i, c);
					return 1;
				}
			k++;
		}
	}
	return 0;
}

static inline int cmp_with_naive(struct bob_cache *sim, struct naive *n, int lines)
{
	struct bob_cache_site s;

	for (uint32_t i = 0; i < CMP_SITES; i++) {
		if (bob_cache_site(sim, i, &s) != BOB_OK ||
		    cmp_sites(&s, &n->site[i], i, n->cfg.levels))
			return 1;
	}
	return cmp_sharing(sim, n->row, n->rows) || cmp_use_naive(sim, n, lines);
}

/* Two simulations. */
static inline int cmp_sims(struct bob_cache *a, struct bob_cache *b,
			   const struct bob_cache_config *c, int lines)
{
	const struct bob_cache_sharing *rows;
	struct bob_cache_sharing *copy;
	struct bob_cache_site s, t;
	uint64_t lost;
	size_t n;
	int differ;

	for (uint32_t i = 0; i < CMP_SITES; i++) {
		bob_cache_site(a, i, &s);
		bob_cache_site(b, i, &t);
		if (cmp_sites(&s, &t, i, c->levels))
			return 1;
	}
	for (int i = -lines; i < lines; i++) {
		struct bob_cache_use u[4] = { { 0 } }, v[4] = { { 0 } };
		uint64_t address = (uint64_t)i * c->line_bytes;
		uint32_t g;

		if (bob_cache_line_use(a, address, u, 4, &g) !=
			    bob_cache_line_use(b, address, v, 4, &g) ||
		    memcmp(u, v, sizeof(u)) != 0) {
			printf("line %d is used differently\n", i);
			return 1;
		}
	}
	bob_cache_sharing(b, &rows, &n, &lost);
	copy = malloc(n * sizeof(*copy) + 1);
	if (!copy)
		abort();
	if (n)
		memcpy(copy, rows, n * sizeof(*copy));
	differ = cmp_sharing(a, copy, n);
	free(copy);
	return differ;
}

#endif
