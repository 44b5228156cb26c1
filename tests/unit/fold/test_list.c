/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of numbers in memory: what was put is there, by index and by walking from anywhere; the same
 * numbers are the same list however the lister was used before; numbers that do not step take as
 * many bytes as the largest needs, and what the lister itself took is freed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
#include "fold/list.h"

#define MOST 3000u

static size_t held; /* of what `alloc` gave */

static void *resize(void *ctx, void *old, size_t old_size, size_t size)
{
	void *p = NULL;

	(void)ctx;
	held += size - (old ? old_size : 0);
	if (size)
		p = realloc(old, size);
	else
		free(old);
	return p;
}

static const struct bob_alloc alloc = { resize, NULL };
static uint64_t value[MOST];

static struct bob_list make(struct bob_lister *l, struct bob_blocks *blocks, uint32_t n)
{
	struct bob_list list;

	for (uint32_t i = 0; i < n; i++)
		bob_lister_put(l, value[i]);
	assert_int_equal(bob_lister_end(l, blocks, &list), BOB_OK);
	return list;
}

static void check_values(const struct bob_list *l, uint32_t n)
{
	struct bob_list_walk w;

	assert_int_equal(l->count, n);
	for (uint32_t i = 0; i < n; i++)
		assert_true(bob_list_at(l, i) == value[i]);
	for (uint32_t from = 0; from < n; from += n / 7 + 1) {
		bob_list_begin(&w, l, from);
		for (uint32_t i = from; i < n; i++)
			assert_true(bob_list_next(&w) == value[i]);
	}
}

static uint32_t below(uint32_t n, uint64_t v)
{
	uint32_t i = 0;

	while (i < n && value[i] < v)
		i++;
	return i;
}

static void check_order(const struct bob_list *l, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += n / 50 + 1) {
		assert_int_equal(bob_list_below(l, value[i]), below(n, value[i]));
		assert_int_equal(bob_list_below(l, value[i] + 1), below(n, value[i] + 1));
	}
	assert_int_equal(bob_list_below(l, UINT64_MAX), below(n, UINT64_MAX));
}

/* Kinds of rows: the largest number needs `bits` bits; steps, anything, mostly steps; ascending or
 * not. */
static void fill(uint32_t n, uint32_t bits, uint32_t kind)
{
	const uint64_t most = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
	uint64_t v = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t any = bob_hash_mix(i * 64ull + bits) & most;

		if (kind == 0) /* ascending */
			v += n > most ? 0 : any % (most / n);
		else if (kind == 1)
			v = any;
		else
			v = i % 100 == 7 ? any : (i / 9 * 3ull) & most;
		value[i] = v;
	}
}

static void test_all(void **state)
{
	static const uint32_t bits[] = { 1, 7, 8, 9, 16, 17, 32, 33, 64 };
	struct bob_lister l = { .alloc = alloc }, fresh = { .alloc = alloc };
	struct bob_blocks blocks = { .alloc = alloc };

	(void)state;
	for (uint32_t n = 1; n <= MOST; n += n / 2 + 1)
		for (size_t b = 0; b < sizeof(bits) / sizeof(*bits); b++)
			for (uint32_t kind = 0; kind < 3; kind++) {
				struct bob_list list, again;

				fill(n, bits[b], kind);
				list = make(&l, &blocks, n);
				check_values(&list, n);
				if (kind == 0)
					check_order(&list, n);
				again = make(&fresh, &blocks, n);
				assert_true(bob_list_same(&list, &again));
				assert_true(bob_list_hash(&list) == bob_list_hash(&again));
				value[n - 1]++;
				again = make(&fresh, &blocks, n);
				assert_false(bob_list_same(&list, &again));
				bob_lister_free(&fresh);
			}
	bob_lister_free(&l);
	bob_blocks_free(&blocks);
	assert_int_equal(held, 0);
}

/* What a row takes that does not step: 3,000 numbers of one, two, four and eight bytes. */
static void test_sizes(void **state)
{
	struct bob_lister l = { .alloc = alloc };
	struct bob_list list;

	(void)state;
	for (uint32_t bits = 8, width = 1; bits <= 64; bits *= 2, width *= 2) {
		struct bob_blocks blocks = { .alloc = alloc };

		fill(MOST, bits, 1);
		list = make(&l, &blocks, MOST);
		assert_null(list.run);
		assert_int_equal(list.width, width);
		assert_in_range(held, MOST * width, MOST * width + 4096);
		bob_blocks_free(&blocks);
	}
	bob_lister_free(&l);
	assert_int_equal(held, 0);
}

/* Numbers that grow beyond what the ones before needed. */
static void test_widening(void **state)
{
	struct bob_lister l = { .alloc = alloc };
	struct bob_blocks blocks = { .alloc = alloc };
	struct bob_list list;

	(void)state;
	for (uint32_t i = 0; i < MOST; i++)
		value[i] = bob_hash_mix(i) >> (i < 500 ? 57 : i < 1000 ? 50 : i < 2000 ? 33 : 1);
	list = make(&l, &blocks, MOST);
	check_values(&list, MOST);
	assert_int_equal(list.width, 8);
	bob_lister_free(&l);
	bob_blocks_free(&blocks);
	assert_int_equal(held, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_widening),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
