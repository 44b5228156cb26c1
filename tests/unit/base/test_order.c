/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison functions from lists of keys: each kind of key decides where those before it are
 * equal, and the opposite order gives the opposite answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/order.h"

struct row {
	uint64_t calls;
	int sign;
	const char *name;
	uint8_t bytes[2];
	uint64_t loads, stores;
};

static uint64_t accesses(const struct row *r)
{
	return r->loads + r->stores;
}

BOB_COMPARE(by_all, struct row,
	    BOB_DOWN(calls) BOB_UP(sign) BOB_TEXT(name) BOB_BYTES(bytes) BOB_DOWN_BY(accesses))
BOB_COMPARE_POINTERS(by_sign, struct row, BOB_UP(sign))

/* In order. */
static const struct row rows[] = {
	{ UINT64_MAX, 1, "b", { 0, 0 }, 0, 0 }, { 2, -1, "b", { 0, 0 }, 0, 0 },
	{ 2, 1, "a", { 9, 9 }, 0, 0 },		{ 2, 1, "b", { 0, 1 }, 2, 2 },
	{ 2, 1, "b", { 0, 1 }, 3, 0 },		{ 2, 1, "b", { 200, 0 }, 9, 9 },
	{ 0, -2, "", { 0, 0 }, 0, 0 },
};

static void test_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
			const int order = by_all(&rows[i], &rows[k]);

			assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
		}
}

static void test_pointers(void **state)
{
	const struct row *a = &rows[0], *b = &rows[1];

	(void)state;
	assert_int_equal(by_sign(&a, &b), 1);
	assert_int_equal(by_sign(&b, &a), -1);
	assert_int_equal(by_sign(&a, &a), 0);
}

static void test_numbers(void **state)
{
	const uint32_t a = 1, b = UINT32_MAX;
	const uint64_t c = 1, d = UINT64_MAX;

	(void)state;
	assert_int_equal(bob_compare_u32(&a, &b), -1);
	assert_int_equal(bob_compare_u32(&b, &a), 1);
	assert_int_equal(bob_compare_u32(&b, &b), 0);
	assert_int_equal(bob_compare_u64(&c, &d), -1);
	assert_int_equal(bob_compare_u64(&d, &c), 1);
	assert_int_equal(bob_compare_u64(&d, &d), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_keys),
					    cmocka_unit_test(test_pointers),
					    cmocka_unit_test(test_numbers) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
