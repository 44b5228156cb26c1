/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of a simulated access, in ns, the best of PASSES: by kind of program, for single accesses
 * and for nests, and that of the plain model of the tests, which simulates fewer.
 *
 *     gcc -O2 -Isrc -Iinclude -Itests/unit/analysis bench/cache/bench_cache.c \
 *         src/analysis/cache/{access,config,directory,hierarchy,nest,presets,sharing}.c \
 *         src/base/hash.c -o bench_cache && ./bench_cache [PRESET] */
#include <stdio.h>
#include <time.h>

#include "cache_naive.h"

#define PASSES 5
#define SITES 4u
#define MB(n) ((uint64_t)(n) << 20)

typedef void (*push_fn)(void *sim, const struct bob_cache_access *a);

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void to_cache(void *sim, const struct bob_cache_access *a)
{
	bob_cache_access(sim, a);
}

static void to_naive(void *sim, const struct bob_cache_access *a)
{
	naive_access(sim, a);
}

/* --- programs: each pushes its accesses, at most `max`, and returns how many it pushed --- */

struct nest {
	struct bob_cache_item item[8];
	uint32_t count;
};

struct program {
	const char *name;
	uint32_t threads;
	const struct nest *nest; /* NULL: not a nest */
	uint64_t (*run)(void *sim, push_fn push, uint64_t max);
};

static struct bob_cache_item loop(uint64_t trips, uint32_t items)
{
	return (struct bob_cache_item){ .base = trips, .items = items };
}

static struct bob_cache_item ref(uint64_t base, uint8_t type, uint32_t site, int64_t s0, int64_t s1,
				 int64_t s2)
{
	return (struct bob_cache_item){ .base = base, .site = site, .size = 8, .type = type,
					.step = { s0, s1, s2 } };
}

static uint64_t expand(void *sim, push_fn push, uint64_t max, const struct bob_cache_item *item,
		       uint32_t count, uint64_t *idx, unsigned depth)
{
	uint64_t done = 0;

	for (uint32_t i = 0; i < count && done < max; i++) {
		uint64_t value = item[i].base;

		for (unsigned d = 0; d < depth; d++)
			value += (uint64_t)item[i].step[d] * idx[d];
		if (!item[i].items) {
			struct bob_cache_access a = { value, 0, item[i].site, item[i].size,
						      item[i].type };

			push(sim, &a);
			done++;
			continue;
		}
		for (idx[depth] = 0; idx[depth] < value && done < max; idx[depth]++)
			done += expand(sim, push, max - done, item + i + 1, item[i].items, idx,
				       depth + 1);
		i += item[i].items;
	}
	return done;
}

static uint64_t random_line(void *sim, push_fn push, uint64_t max)
{
	struct bob_cache_access a = { .size = 8 };
	uint64_t r = 1, i;

	for (i = 0; i < max && i < 2000000; i++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		a.address = (r >> 33) % MB(64) & ~7ull;
		a.type = (r >> 20) % 4 == 0;
		push(sim, &a);
	}
	return i;
}

/* Each thread has its own part of an array and takes turns of 100 accesses; each turn updates a
 * shared counter. */
static uint64_t four_threads(void *sim, push_fn push, uint64_t max)
{
	struct bob_cache_access a = { .size = 8 };
	uint64_t at[4] = { 0 }, i = 0;

	for (uint32_t t = 0; i < max && i < 4000000; t = (t + 1) % 4) {
		a.thread = t;
		a.site = 1;
		for (unsigned k = 0; k < 99; k++, i++) {
			a.address = MB(64) + MB(4) * t + at[t];
			a.type = k % 3 == 2;
			at[t] = (at[t] + 8) % MB(1);
			push(sim, &a);
		}
		a.address = 64;
		a.type = BOB_CACHE_ATOMIC;
		a.site = 2;
		push(sim, &a);
		i++;
	}
	return i;
}

/* --- measuring --- */

static struct bob_cache *create(const char *machine, uint32_t threads)
{
	struct bob_cache_options o = { .size = sizeof(o), .threads = threads, .sites = SITES };
	struct bob_cache_config c;
	struct bob_cache *sim;

	if (bob_cache_preset(machine, &c) != BOB_OK || bob_cache_create(&c, &o, &sim) != BOB_OK)
		abort();
	return sim;
}

static uint64_t run(const struct program *p, void *sim, push_fn push, uint64_t max)
{
	uint64_t idx[BOB_CACHE_DEPTH] = { 0 };

	if (p->nest)
		return expand(sim, push, max, p->nest->item, p->nest->count, idx, 0);
	return p->run(sim, push, max);
}

static void count_only(void *sim, const struct bob_cache_access *a)
{
	__asm__ volatile("" : : "r"(sim), "r"(a) : "memory");
}

static void measure(const char *machine, const struct program *p)
{
	double best_push = 1e18, best_nest = 1e18, best_none = 1e18, naive, t;
	struct bob_cache_config c;
	struct bob_cache_site s;
	uint64_t n = 0, misses = 0, skipped = 0;
	struct naive *slow;

	for (int pass = 0; pass < PASSES; pass++) {
		struct bob_cache *sim = create(machine, p->threads);

		t = now_ns();
		n = run(p, NULL, count_only, ~0ull);
		t = (now_ns() - t) / (double)n;
		best_none = t < best_none ? t : best_none;
		t = now_ns();
		run(p, sim, to_cache, ~0ull);
		t = (now_ns() - t) / (double)n;
		best_push = t < best_push ? t : best_push;
		bob_cache_total(sim, &s);
		bob_cache_destroy(sim);
		if (!p->nest)
			continue;
		sim = create(machine, p->threads);
		t = now_ns();
		bob_cache_nest(sim, 0, p->nest->item, p->nest->count);
		t = (now_ns() - t) / (double)n;
		best_nest = t < best_nest ? t : best_nest;
		skipped = bob_cache_skipped(sim);
		bob_cache_destroy(sim);
	}
	for (int w = 0; w < 2; w++)
		for (int i = 0; i < BOB_CACHE_CAUSES; i++)
			misses += s.level[0].misses[w][i];
	bob_cache_preset(machine, &c);
	slow = naive_create(&c, p->threads, SITES);
	t = now_ns();
	n = run(p, slow, to_naive, 20000);
	naive = (now_ns() - t) / (double)n;
	naive_destroy(slow);
	n = s.accesses[0] + s.accesses[1] + s.accesses[2];
	printf("%-28s %11llu %5.1f %% %7.2f %8.2f", p->name, (unsigned long long)n,
	       100.0 * (double)misses / (double)n, best_none, best_push);
	if (p->nest)
		printf(" %8.3f %6.2f %%", best_nest, 100.0 * (double)(n - skipped) / (double)n);
	else
		printf(" %8s %8s", "-", "-");
	printf(" %9.0f\n", naive);
}

int main(int argc, char **argv)
{
	const char *machine = argc > 1 ? argv[1] : "skylake";
	const struct nest hits = { { loop(1000000, 3), ref(0, 0, 0, 0, 0, 0),
				     ref(4096 + 64, 0, 1, 0, 0, 0),
				     ref(8192 + 128, 1, 2, 0, 0, 0) }, 4 };
	const struct nest triad = { { loop(1000000, 3), ref(0, 0, 0, 8, 0, 0),
				      ref(MB(64) + 4096, 0, 1, 8, 0, 0),
				      ref(MB(128) + 8192, 1, 2, 8, 0, 0) }, 4 };
	/* c[i][j] += a[i][k] * b[k][j], 24 and 200 square */
	const struct nest small = { { loop(24, 5), loop(24, 4), loop(24, 2),
				      ref(0, 0, 0, 192, 0, 8), ref(8192, 0, 1, 0, 8, 192),
				      ref(16384, 1, 2, 192, 8, 0) }, 6 };
	const struct nest large = { { loop(200, 5), loop(200, 4), loop(200, 2),
				      ref(0, 0, 0, 1600, 0, 8), ref(MB(1), 0, 1, 0, 8, 1600),
				      ref(MB(2), 1, 2, 1600, 8, 0) }, 6 };
	/* 100 sweeps of three points over 32 KiB and 4 MiB */
	const struct nest sweeps = { { loop(1000, 5), loop(4000, 4), ref(0, 0, 0, 0, 8, 0),
				       ref(8, 0, 1, 0, 8, 0), ref(16, 0, 2, 0, 8, 0),
				       ref(65536 + 8, 1, 3, 0, 8, 0) }, 6 };
	const struct nest wide = { { loop(20, 5), loop(500000, 4), ref(0, 0, 0, 0, 8, 0),
				     ref(8, 0, 1, 0, 8, 0), ref(16, 0, 2, 0, 8, 0),
				     ref(MB(8) + 8, 1, 3, 0, 8, 0) }, 6 };
	const struct program programs[] = {
		{ "three lines of L1", 1, &hits, NULL },
		{ "triad, 3 x 8 MB", 1, &triad, NULL },
		{ "matrix product 24", 1, &small, NULL },
		{ "matrix product 200", 1, &large, NULL },
		{ "1000 sweeps, 2 x 32 KB", 1, &sweeps, NULL },
		{ "20 sweeps, 2 x 4 MB", 1, &wide, NULL },
		{ "random in 64 MB", 1, NULL, random_line },
		{ "four threads and a counter", 4, NULL, four_threads },
	};

	printf("%s; ns per access; simulated: share of accesses that the nest does not skip\n",
	       machine);
	printf("%-28s %11s %7s %7s %8s %8s %8s %9s\n", "", "accesses", "L1 miss", "expand",
	       "+access", "nest", "simul.", "naive");
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		measure(machine, &programs[i]);
	return 0;
}
