/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulator against the plain model, against stack distances, and on cases worked out by
 * hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cache_compare.h"

/* --- by hand --- */

static struct bob_cache *machine(const char *text, uint32_t threads)
{
	struct bob_cache_complaint why;
	struct bob_cache_config c;
	struct bob_cache *sim;

	if (bob_cache_config_parse(text, strlen(text), "test", &c, &why) != BOB_OK)
		fail_msg("%s", why.text);
	sim = cmp_create(&c, threads);
	assert_non_null(sim);
	return sim;
}

static void push(struct bob_cache *sim, uint32_t thread, uint32_t site, uint64_t address,
		 uint16_t size, uint8_t type)
{
	struct bob_cache_access a = { address, thread, site, size, type };

	assert_int_equal(bob_cache_access(sim, &a), BOB_OK);
}

static struct bob_cache_site at(const struct bob_cache *sim, uint32_t site)
{
	struct bob_cache_site s;

	assert_int_equal(bob_cache_site(sim, site, &s), BOB_OK);
	return s;
}

static void two_ways(void **state)
{
	struct bob_cache *sim = machine("[L1]\nsize=128\nways=2\n", 1); /* one set of two lines */
	struct bob_cache_site s;

	(void)state;
	push(sim, 0, 0, 0, 8, BOB_CACHE_LOAD);	/* cold */
	push(sim, 0, 0, 8, 8, BOB_CACHE_STORE); /* hit, line 0 changed */
	push(sim, 0, 1, 64, 8, BOB_CACHE_LOAD); /* cold */
	push(sim, 0, 0, 0, 8, BOB_CACHE_LOAD);	/* hit: line 1 is the older one now */
	push(sim, 0, 2, 128, 8, BOB_CACHE_LOAD); /* cold; line 1 leaves, unchanged */
	push(sim, 0, 1, 64, 8, BOB_CACHE_LOAD);	/* was here; line 0 leaves, changed */
	s = at(sim, 0);
	assert_int_equal(s.accesses[BOB_CACHE_LOAD], 2);
	assert_int_equal(s.accesses[BOB_CACHE_STORE], 1);
	assert_int_equal(s.level[0].accesses[0], 2);
	assert_int_equal(s.level[0].accesses[1], 1);
	assert_int_equal(s.level[0].misses[0][BOB_CACHE_COLD], 1);
	assert_int_equal(s.level[0].victims, 1);
	assert_int_equal(s.level[0].evictions, 0);
	s = at(sim, 1);
	assert_int_equal(s.level[0].misses[0][BOB_CACHE_COLD], 1);
	assert_int_equal(s.level[0].misses[0][BOB_CACHE_REPLACED], 1);
	assert_int_equal(s.level[0].evictions, 1);
	assert_int_equal(s.level[0].write_backs, 1);
	assert_int_equal(s.level[0].victims, 1);
	s = at(sim, 2);
	assert_int_equal(s.level[0].evictions, 1);
	assert_int_equal(s.level[0].write_backs, 0);
	bob_cache_destroy(sim);
}

static void straddling(void **state)
{
	struct bob_cache *sim = machine("[L1]\nsize=4K\nways=2\n", 1);
	struct bob_cache_site s;

	(void)state;
	push(sim, 0, 0, 60, 8, BOB_CACHE_LOAD);
	push(sim, 0, 0, 0, 200, BOB_CACHE_STORE);
	push(sim, 0, 0, ~0ull - 3, 8, BOB_CACHE_LOAD); /* around the end of memory */
	s = at(sim, 0);
	assert_int_equal(s.straddles, 3);
	assert_int_equal(s.level[0].accesses[0], 4);
	assert_int_equal(s.level[0].accesses[1], 4);
	assert_int_equal(s.level[0].misses[0][BOB_CACHE_COLD], 3);
	assert_int_equal(s.level[0].misses[1][BOB_CACHE_COLD], 2);
	bob_cache_destroy(sim);
}

static const char two_cores[] =
	"[machine]\ncores=2\n[L1]\nsize=4K\nways=2\n[L2]\nsize=64K\nways=4\nshared=yes\n";

/* Two counters in one line, and one counter of both. */
static void sharing(void **state)
{
	struct bob_cache *sim = machine(two_cores, 2);
	const struct bob_cache_sharing *rows;
	struct bob_cache_use use[2];
	struct bob_cache_site s;
	uint32_t granule;
	uint64_t lost;
	size_t count;

	(void)state;
	for (int i = 0; i < 10; i++) {
		push(sim, 0, 0, 1000 * 64, 8, BOB_CACHE_STORE);
		push(sim, 1, 1, 1000 * 64 + 8, 8, BOB_CACHE_STORE);
	}
	for (int i = 0; i < 5; i++) {
		push(sim, 0, 2, 2000 * 64, 8, BOB_CACHE_STORE);
		push(sim, 1, 3, 2000 * 64, 8, BOB_CACHE_LOAD);
	}
	s = at(sim, 0);
	assert_int_equal(s.false_sharing, 9);
	assert_int_equal(s.true_sharing, 0);
	assert_int_equal(s.level[0].misses[1][BOB_CACHE_COLD], 1);
	assert_int_equal(s.level[0].misses[1][BOB_CACHE_COHERENCE], 9);
	assert_int_equal(s.invalidations, 9);
	s = at(sim, 1);
	assert_int_equal(s.false_sharing, 9);
	assert_int_equal(s.transfers, 10);
	s = at(sim, 2);
	assert_int_equal(s.upgrades, 4);	/* the line stays, as one of two */
	assert_int_equal(s.level[0].misses[1][BOB_CACHE_COHERENCE], 0);
	s = at(sim, 3);
	assert_int_equal(s.true_sharing, 4);
	assert_int_equal(s.level[0].write_backs, 5); /* it made the other core's changes leave */
	bob_cache_sharing(sim, &rows, &count, &lost);
	assert_int_equal(count, 3);
	assert_int_equal(rows[0].line, 1000 * 64);
	assert_int_equal(rows[0].thread, 0);
	assert_int_equal(rows[0].by_thread, 1);
	assert_int_equal(rows[0].by_site, 1);
	assert_int_equal(rows[0].false_misses, 9);
	assert_int_equal(rows[2].true_misses, 4);
	assert_int_equal(rows[2].by_site, 2);
	assert_int_equal(bob_cache_line_use(sim, 1000 * 64, use, 2, &granule), 2);
	assert_int_equal(granule, 1);
	assert_int_equal(use[0].written, 0xff);
	assert_int_equal(use[1].written, 0xff00);
	assert_int_equal(use[0].read | use[1].read, 0);
	bob_cache_destroy(sim);
}

/* Thread t is on core t mod cores: two threads of a core share nothing that could be ended. */
static void more_threads_than_cores(void **state)
{
	struct bob_cache *sim = machine(two_cores, 4);

	(void)state;
	for (int i = 0; i < 10; i++) {
		push(sim, 1, 0, 0, 8, BOB_CACHE_STORE);
		push(sim, 3, 1, 8, 8, BOB_CACHE_STORE);
	}
	assert_int_equal(at(sim, 0).false_sharing + at(sim, 1).false_sharing, 0);
	push(sim, 2, 2, 8, 8, BOB_CACHE_STORE);
	push(sim, 1, 3, 8, 8, BOB_CACHE_ATOMIC);
	assert_int_equal(at(sim, 3).true_sharing, 1);
	assert_int_equal(at(sim, 3).accesses[BOB_CACHE_ATOMIC], 1);
	bob_cache_destroy(sim);
}

static void refusals(void **state)
{
	struct bob_cache *sim = machine(two_cores, 2), *none = NULL;
	struct bob_cache_access a = { 0, 2, 0, 8, 0 };
	struct bob_cache_options o = { .size = sizeof(o), .memory_bytes = 100000 };
	struct bob_cache_config c;
	struct bob_cache_site s, zero = { 0 };

	(void)state;
	assert_int_equal(bob_cache_access(sim, &a), BOB_ERR_INVAL);
	a = (struct bob_cache_access){ 0, 0, CMP_SITES, 8, 0 };
	assert_int_equal(bob_cache_access(sim, &a), BOB_ERR_INVAL);
	a = (struct bob_cache_access){ 0, 0, 0, 0, 0 };
	assert_int_equal(bob_cache_run(sim, &a, 8, 5), BOB_ERR_INVAL);
	a = (struct bob_cache_access){ 0, 0, 0, 8, 3 };
	assert_int_equal(bob_cache_access(sim, &a), BOB_ERR_INVAL);
	assert_int_equal(bob_cache_site(sim, CMP_SITES, &s), BOB_ERR_INVAL);
	bob_cache_total(sim, &s);
	assert_memory_equal(&s, &zero, sizeof(s));
	bob_cache_destroy(sim);
	bob_cache_destroy(NULL);

	assert_int_equal(bob_cache_preset("tiny", &c), BOB_OK);
	o.size = 1;
	assert_int_equal(bob_cache_create(&c, &o, &none), BOB_ERR_INVAL);
	o.size = sizeof(o);
	c.level[0].ways = 0;
	assert_int_equal(bob_cache_create(&c, &o, &none), BOB_ERR_INVAL);
	assert_null(none);
	/* memory is bounded, and it says so for ever after */
	assert_int_equal(bob_cache_preset("tiny", &c), BOB_OK);
	assert_int_equal(bob_cache_create(&c, &o, &sim), BOB_OK);
	a = (struct bob_cache_access){ 0, 0, 0, 8, 0 };
	assert_int_equal(bob_cache_run(sim, &a, 1 << 20, 1 << 20), BOB_ERR_FULL);
	assert_int_equal(bob_cache_access(sim, &a), BOB_ERR_FULL);
	bob_cache_destroy(sim);
}

/* --- against the plain model --- */

static void random_machines(void **state)
{
	uint64_t r = 7;

	(void)state;
	for (unsigned round = 0; round < 1500; round++) {
		struct bob_cache_config c = cmp_machine(&r);
		uint32_t threads = 1 + (uint32_t)cmp_random(&r) % CMP_THREADS;
		unsigned lines = 4u << cmp_random(&r) % 5;
		struct bob_cache *sim = cmp_create(&c, threads);
		struct naive *n = naive_create(&c, threads, CMP_SITES);
		char text[512];

		assert_non_null(sim);
		for (unsigned i = 0; i < 600; i++) {
			struct bob_cache_access a = cmp_access(&r, &c, threads, lines);

			assert_int_equal(bob_cache_access(sim, &a), BOB_OK);
			naive_access(n, &a);
		}
		if (cmp_with_naive(sim, n, (int)lines)) {
			bob_cache_config_write(&c, text, sizeof(text));
			fail_msg("round %u, %u threads:\n%s", round, threads, text);
		}
		bob_cache_destroy(sim);
		naive_destroy(n);
	}
}

/* --- against stack distances: an access hits if fewer than `ways` other lines of its set were
 * wanted since the last time. Says nothing of writes, causes or levels, but it is what LRU means.
 * --- */

static void stack_distances(void **state)
{
	uint64_t r = 3;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct bob_cache_config c = { .cores = 1, .line_bytes = 64, .levels = 1 };
		uint64_t past[400], sets = 1ull << cmp_random(&r) % 4, misses = 0;
		struct bob_cache_site s;
		struct bob_cache *sim;

		c.level[0].ways = 1 + (uint32_t)cmp_random(&r) % 8;
		c.level[0].size_bytes = 64 * sets * c.level[0].ways;
		sim = cmp_create(&c, 1);
		for (unsigned i = 0; i < 400; i++) {
			uint64_t line = cmp_random(&r) % (sets * 12), distance = 0;
			unsigned k;

			push(sim, 0, 0, line * 64 + 5, 4, BOB_CACHE_LOAD);
			for (k = i; k-- > 0 && past[k] != line;) {
				unsigned m = k + 1;

				while (m < i && past[m] != past[k])
					m++;
				distance += m == i && past[k] % sets == line % sets;
			}
			misses += k == ~0u || distance >= c.level[0].ways;
			past[i] = line;
		}
		s = at(sim, 0);
		assert_int_equal(s.level[0].misses[0][BOB_CACHE_COLD] +
					 s.level[0].misses[0][BOB_CACHE_REPLACED],
				 misses);
		bob_cache_destroy(sim);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_ways),	   cmocka_unit_test(straddling),
		cmocka_unit_test(sharing),	   cmocka_unit_test(more_threads_than_cores),
		cmocka_unit_test(refusals),	   cmocka_unit_test(random_machines),
		cmocka_unit_test(stack_distances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
