/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps and indexes against a list that is searched from its beginning: random puts, finds and
 * removals, with hashes of few bits as well; then memory that ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "no_memory.h"

#include "../../../src/base/host/map.c"
#include "../../../src/base/host/vec.c"

#define KEYS 200u

struct key {
	uint64_t a;
	uint32_t b, c;
};

struct row {
	struct key key;
	uint64_t value;
};

struct word {
	uint64_t key, value;
};

struct rows {
	BOB_MAP(struct row);
};

static uint64_t seed;

static uint32_t pick(uint32_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % below;
}

static struct key key_of(uint32_t i)
{
	return (struct key){ i % 7, i, i * 0x10001 };
}

/* `list` has values by the number of the key; 0: not in the map. */
static void step_rows(struct rows *m, uint64_t *list)
{
	const uint32_t i = pick(KEYS);
	const struct key k = key_of(i);
	struct row *r = BOB_MAP_FIND(m, &k);

	assert_int_equal(r ? r->value : 0, list[i]);
	if (pick(3)) {
		r = BOB_MAP_PUT(m, &k);
		assert_non_null(r);
		assert_memory_equal(&r->key, &k, sizeof(k));
		assert_int_equal(r->value, list[i]);
		r->value = list[i] = pick(1000) + 1;
	} else {
		assert_int_equal(BOB_MAP_REMOVE(m, &k), !!list[i]);
		list[i] = 0;
	}
}

static void test_rows(void **state)
{
	uint64_t list[KEYS] = { 0 };
	struct rows m = { 0 };

	(void)state;
	seed = 1;
	for (int n = 0; n < 100000; n++) {
		size_t count = 0;

		step_rows(&m, list);
		for (uint32_t i = 0; n % 97 == 0 && i < KEYS; i++) {
			const struct key k = key_of(i);
			const struct row *r = BOB_MAP_FIND(&m, &k);

			assert_int_equal(r ? r->value : 0, list[i]);
			count += !!r;
		}
		assert_true(n % 97 || count == m.count);
		if (pick(20000) == 0) {
			BOB_MAP_CLEAR(&m);
			memset(list, 0, sizeof(list));
		}
	}
	assert_int_equal(m.count, m.index.used);
	BOB_MAP_FREE(&m);
	assert_null(m.at);
	assert_null(m.index.slot);
	BOB_MAP_FREE(&m);
}

static void test_words(void **state)
{
	BOB_MAP(struct word) m = { 0 };
	uint64_t list[KEYS] = { 0 };
	const uint64_t zero = 0;

	(void)state;
	assert_null(BOB_MAP_FIND(&m, &zero));
	seed = 2;
	for (int n = 0; n < 20000; n++) {
		const uint64_t i = pick(KEYS), k = i << 40;
		struct word *w = BOB_MAP_PUT(&m, &k);

		assert_int_equal(w->key, k);
		assert_int_equal(w->value, list[i]);
		w->value = ++list[i];
	}
	assert_int_equal(m.count, KEYS);
	BOB_MAP_FREE(&m);
}

/* The caller's own hash, here of two bits, and rows in the order in which they were added. */
static void test_collisions(void **state)
{
	BOB_MAP(uint32_t) m = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 500; i++) {
		uint32_t *r = BOB_MAP_ADD(&m, i & 3);

		assert_non_null(r);
		*r = i;
	}
	for (uint32_t h = 0; h < 5; h++) {
		struct bob_probe p = bob_probe_of(h);
		uint32_t count = 0;

		while (bob_index_next(&m.index, &p)) {
			assert_int_equal(p.number, 4 * count + h);
			assert_int_equal(m.at[p.number] & 3, h);
			assert_int_equal(p.number, m.at[p.number]);
			count++;
		}
		assert_int_equal(count, h < 4 ? 125 : 0);
	}
	BOB_MAP_FREE(&m);
}

/* The same for runs of used slots that go around the end when the index grows. */
static void test_order(void **state)
{
	BOB_MAP(uint32_t) m = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 40; i++) {
		struct bob_probe p = bob_probe_of(~0u);
		uint32_t count = 0;

		assert_non_null(BOB_MAP_ADD(&m, ~0u));
		while (bob_index_next(&m.index, &p))
			assert_int_equal(p.number, count++);
		assert_int_equal(count, i + 1);
	}
	BOB_MAP_FREE(&m);
}

/* Removing from runs of used slots that go around the end. */
static void test_removal(void **state)
{
	for (uint64_t round = 0; round < 2000; round++) {
		struct bob_index_slot slot[16] = { { 0 } };
		struct bob_index x = { slot, 16, 0 };
		uint32_t hash[8], there = 0xff;

		seed = round;
		for (uint32_t i = 0; i < 8; i++) {
			hash[i] = 14 + pick(5);
			bob_index_add(&x, hash[i], i);
		}
		while (there) {
			const uint32_t gone = pick(8);

			if (there >> gone & 1)
				bob_index_remove(&x, hash[gone], gone);
			there &= ~(1u << gone);
			for (uint32_t i = 0; i < 8; i++) {
				struct bob_probe p = bob_probe_of(hash[i]);
				uint32_t found = 0;

				while (bob_index_next(&x, &p))
					found += p.number == i;
				assert_int_equal(found, there >> i & 1);
			}
		}
		assert_int_equal(x.used, 0);
	}
	(void)state;
}

static void test_no_memory(void **state)
{
	for (int after = 1; after < 12; after++) {
		BOB_MAP(struct word) m = { 0 };
		uint64_t count = 0;

		no_memory_after = after;
		while (BOB_MAP_PUT(&m, &count))
			m.at[m.count - 1].value = ++count;
		assert_int_equal(m.count, count);
		assert_int_equal(m.index.used, count);
		assert_null(BOB_MAP_PUT(&m, &count));
		for (uint64_t i = 0; i < count; i++)
			assert_int_equal(BOB_MAP_FIND(&m, &i)->value, i + 1);
		no_memory_after = -1;
		assert_non_null(BOB_MAP_PUT(&m, &count));
		BOB_MAP_FREE(&m);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	  cmocka_unit_test(test_words),
		cmocka_unit_test(test_collisions), cmocka_unit_test(test_removal),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
