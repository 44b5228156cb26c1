/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs and nests count exactly what their accesses count one by one, on random machines, in random
 * states, and leave the same state: the accesses after them have the same counts, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cache_compare.h"

#define ITEMS 24

static int64_t random_step(uint64_t *r, uint32_t line)
{
	const int64_t steps[] = { 0, 0, 0, 8, 8, -8, 1, 3, -5, line, -(int64_t)line, line / 2,
				  4 * line, line + 8 };

	return steps[cmp_random(r) % (sizeof(steps) / sizeof(*steps))];
}

static void push_all(struct bob_cache *sim, uint64_t *r, const struct bob_cache_config *c,
		     uint32_t threads, unsigned lines, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct bob_cache_access a = cmp_access(r, c, threads, lines);

		assert_int_equal(bob_cache_access(sim, &a), BOB_OK);
	}
}

static void compare(struct bob_cache *a, struct bob_cache *b, const struct bob_cache_config *c,
		    const char *what, unsigned round)
{
	char text[512];

	if (!cmp_sims(a, b, c, 400))
		return;
	bob_cache_config_write(c, text, sizeof(text));
	fail_msg("%s, round %u:\n%s", what, round, text);
}

static void runs(void **state)
{
	uint64_t r = 11, skipped = 0;

	(void)state;
	for (unsigned round = 0; round < 800; round++) {
		struct bob_cache_config c = cmp_machine(&r);
		uint32_t threads = 1 + (uint32_t)cmp_random(&r) % 3;
		struct bob_cache *one = cmp_create(&c, threads), *fast = cmp_create(&c, threads);

		for (unsigned i = 0; i < 30; i++) {
			struct bob_cache_access a = cmp_access(&r, &c, threads, 16), b = a;
			int64_t stride = random_step(&r, c.line_bytes);
			uint64_t count = cmp_random(&r) % 60;

			assert_int_equal(bob_cache_run(fast, &a, stride, count), BOB_OK);
			for (uint64_t k = 0; k < count; k++) {
				assert_int_equal(bob_cache_access(one, &b), BOB_OK);
				b.address += (uint64_t)stride;
			}
		}
		skipped += bob_cache_skipped(fast);
		assert_int_equal(bob_cache_skipped(one), 0);
		compare(one, fast, &c, "run", round);
		bob_cache_destroy(one);
		bob_cache_destroy(fast);
	}
	assert_true(skipped > 100000);
}

/* --- nests --- */

struct random_nest {
	struct bob_cache_item item[ITEMS];
	uint32_t count;
	int affine_trips;
};

static void add_items(struct random_nest *n, uint64_t *r, const struct bob_cache_config *c,
		      unsigned depth, unsigned lines)
{
	unsigned children = 1 + (unsigned)cmp_random(r) % 3;

	while (children-- && n->count < ITEMS) {
		struct bob_cache_item *item = &n->item[n->count++];

		memset(item, 0, sizeof(*item));
		for (unsigned d = 0; d < depth; d++)
			item->step[d] = random_step(r, c->line_bytes);
		if (depth < 3 && n->count < ITEMS && cmp_random(r) % 2) {
			uint32_t from = n->count;

			item->base = cmp_random(r) % (depth ? 9 : 24);
			for (unsigned d = 0; d < depth; d++)
				item->step[d] = n->affine_trips && cmp_random(r) % 3 == 0 ?
							(int64_t)(cmp_random(r) % 3) - 1 :
							0;
			add_items(n, r, c, depth + 1, lines);
			item->items = n->count - from;
		} else {
			struct bob_cache_access a = cmp_access(r, c, 1, lines);

			item->base = a.address;
			item->site = a.site;
			item->size = a.size;
			item->type = a.type;
		}
	}
}

static void expand(struct bob_cache *sim, uint32_t thread, const struct bob_cache_item *item,
		   uint32_t count, const uint64_t *outer, unsigned depth)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t value = item[i].base, idx[BOB_CACHE_DEPTH];

		for (unsigned d = 0; d < depth; d++) {
			value += (uint64_t)item[i].step[d] * outer[d];
			idx[d] = outer[d];
		}
		if (!item[i].items) {
			struct bob_cache_access a = { value, thread, item[i].site, item[i].size,
						      item[i].type };

			assert_int_equal(bob_cache_access(sim, &a), BOB_OK);
			continue;
		}
		for (idx[depth] = 0; (int64_t)idx[depth] < (int64_t)value; idx[depth]++)
			expand(sim, thread, item + i + 1, item[i].items, idx, depth + 1);
		i += item[i].items;
	}
}

static void nests(void **state)
{
	uint64_t r = 5, skipped = 0;

	(void)state;
	for (unsigned round = 0; round < 1500; round++) {
		struct bob_cache_config c = cmp_machine(&r);
		uint32_t threads = cmp_random(&r) % 2 ? 1 : 1 + (uint32_t)cmp_random(&r) % 3;
		struct bob_cache *one = cmp_create(&c, threads), *fast = cmp_create(&c, threads);
		unsigned lines = 4u << cmp_random(&r) % 3;

		for (unsigned i = 0; i < 4; i++) {
			struct random_nest n = { .affine_trips = (int)cmp_random(&r) % 2 };
			uint32_t thread = (uint32_t)cmp_random(&r) % threads;
			uint64_t again = r;

			push_all(one, &again, &c, threads, lines, 20);
			push_all(fast, &r, &c, threads, lines, 20);
			add_items(&n, &r, &c, 0, lines);
			assert_int_equal(bob_cache_nest(fast, thread, n.item, n.count), BOB_OK);
			expand(one, thread, n.item, n.count, NULL, 0);
		}
		skipped += bob_cache_skipped(fast);
		compare(one, fast, &c, "nest", round);
		bob_cache_destroy(one);
		bob_cache_destroy(fast);
	}
	assert_true(skipped > 100000);
}

static struct bob_cache_item loop(uint64_t trips, uint32_t items)
{
	return (struct bob_cache_item){ .base = trips, .items = items };
}

static struct bob_cache_item load(uint64_t base, int64_t s0, int64_t s1, int64_t s2)
{
	return (struct bob_cache_item){ .base = base, .size = 8, .step = { s0, s1, s2 } };
}

/* What each rule must skip, so that it cannot be lost unseen: (accesses, simulated). */
static void is_skipped(const char *machine, uint32_t threads, const struct bob_cache_item *item,
		       uint32_t count, uint64_t accesses, uint64_t simulated_max)
{
	struct bob_cache_config c;
	struct bob_cache_site s;
	struct bob_cache *one, *fast;

	assert_int_equal(bob_cache_preset(machine, &c), BOB_OK);
	one = cmp_create(&c, threads);
	fast = cmp_create(&c, threads);
	assert_int_equal(bob_cache_nest(fast, 0, item, count), BOB_OK);
	bob_cache_total(fast, &s);
	assert_int_equal(s.accesses[0] + s.accesses[1], accesses);
	assert_true(accesses - bob_cache_skipped(fast) <= simulated_max);
	expand(one, 0, item, count, NULL, 0);
	compare(one, fast, &c, machine, 0);
	bob_cache_destroy(one);
	bob_cache_destroy(fast);
}

static void rules(void **state)
{
	/* three streams: one in eight iterations */
	const struct bob_cache_item triad[] = { loop(8000, 3), load(0, 8, 0, 0),
						load(1 << 20, 8, 0, 0),
						{ .base = 2 << 20, .size = 8, .type = 1,
						  .step = { 8 } } };
	/* a product of matrices of 24 that fit in L1: a row in eight of the second loop, and once
	 * more */
	const struct bob_cache_item product[] = {
		loop(24, 4), loop(24, 3), loop(24, 2),
		load(0, 192, 0, 8), load(8192, 0, 8, 192), /* stays in its line for a row */
	};
	/* sweeps over what does not fit: the third leaves the state as it was */
	const struct bob_cache_item sweeps[] = { loop(1000, 2), loop(4096, 1), load(0, 0, 8, 0) };
	struct bob_cache_item short_product[5];

	(void)state;
	memcpy(short_product, product, sizeof(product));
	short_product[0].items = 4;
	is_skipped("skylake", 1, triad, 4, 24000, 3010);
	is_skipped("skylake", 1, short_product, 5, 24 * 24 * 24 * 2, 24 * 24 * 24 * 2 / 3);
	is_skipped("tiny", 1, sweeps, 3, 4096000, 4096 * 4);
	is_skipped("tiny", 4, sweeps, 3, 4096000, 4096 * 4);
}

/* Neither accesses nor time. */
static void empty_loops(void **state)
{
	const struct bob_cache_item nothing[] = { loop(1ull << 60, 2), loop(0, 1),
						  load(0, 0, 8, 0) };
	const struct bob_cache_item same[] = { loop(1ull << 40, 2), loop(1ull << 20, 1),
					       load(0, 0, 0, 0) };
	struct bob_cache_config c;
	struct bob_cache_site s;
	struct bob_cache *sim;

	(void)state;
	assert_int_equal(bob_cache_preset("tiny", &c), BOB_OK);
	sim = cmp_create(&c, 2);
	assert_int_equal(bob_cache_nest(sim, 0, nothing, 3), BOB_OK);
	bob_cache_total(sim, &s);
	assert_int_equal(s.accesses[0], 0);
	assert_int_equal(bob_cache_nest(sim, 0, same, 3), BOB_OK);
	bob_cache_total(sim, &s);
	assert_int_equal(s.accesses[0], 1ull << 60);
	assert_int_equal(s.level[0].misses[0][BOB_CACHE_COLD], 1);
	bob_cache_destroy(sim);
}

static void refusals(void **state)
{
	struct bob_cache_item deep[BOB_CACHE_DEPTH + 2];
	struct bob_cache_item item[3] = { loop(2, 2), load(0, 8, 0, 0), load(0, 8, 0, 0) };
	struct bob_cache_config c;
	struct bob_cache *sim;
	struct bob_cache_site s;

	(void)state;
	assert_int_equal(bob_cache_preset("tiny", &c), BOB_OK);
	sim = cmp_create(&c, 2);
	item[0].items = 3;
	assert_int_equal(bob_cache_nest(sim, 0, item, 3), BOB_ERR_INVAL);
	item[0].items = 2;
	item[2].site = CMP_SITES;
	assert_int_equal(bob_cache_nest(sim, 0, item, 3), BOB_ERR_INVAL);
	item[2].site = 0;
	item[1].items = 2;	/* ends after the loop around it */
	assert_int_equal(bob_cache_nest(sim, 0, item, 3), BOB_ERR_INVAL);
	item[1].items = 0;
	assert_int_equal(bob_cache_nest(sim, 2, item, 3), BOB_ERR_INVAL);
	for (uint32_t i = 0; i <= BOB_CACHE_DEPTH; i++)
		deep[i] = loop(2, BOB_CACHE_DEPTH + 1 - i);
	deep[BOB_CACHE_DEPTH + 1] = load(0, 0, 0, 0);
	assert_int_equal(bob_cache_nest(sim, 0, deep, BOB_CACHE_DEPTH + 2), BOB_ERR_INVAL);
	bob_cache_total(sim, &s);
	assert_int_equal(s.accesses[0], 0);
	assert_int_equal(bob_cache_nest(sim, 0, deep + 1, BOB_CACHE_DEPTH + 1), BOB_OK);
	bob_cache_total(sim, &s);
	assert_int_equal(s.accesses[0], 256);
	assert_int_equal(bob_cache_nest(sim, 1, NULL, 0), BOB_OK);
	bob_cache_destroy(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs),	       cmocka_unit_test(nests), cmocka_unit_test(rules),
		cmocka_unit_test(empty_loops), cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
