/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary search against looking at every element: all rows of up to 7 keys below 8, and keys at
 * both ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/search.h"

struct thing {
	char name;
	uint64_t at;
	uint32_t more;
};

static void check(const struct thing *t, size_t count, uint64_t key)
{
	size_t below = 0, up_to = 0, point;

	for (size_t i = 0; i < count; i++) {
		below += t[i].at < key;
		up_to += t[i].at <= key;
	}
	assert_int_equal(BOB_COUNT_BELOW(t, count, struct thing, at, key), below);
	assert_int_equal(BOB_COUNT_UP_TO(t, count, struct thing, at, key), up_to);
	BOB_PARTITION_POINT(point, count, i, t[i].at <= key);
	assert_int_equal(point, up_to);
}

static void test_all(void **state)
{
	struct thing t[7] = { { 0 } };

	(void)state;
	check(NULL, 0, 5);
	for (uint32_t steps = 0; steps < 1u << 14; steps++) {
		uint64_t at = 0;

		for (int i = 0; i < 7; i++)
			t[i].at = at += steps >> 2 * i & 3;
		for (size_t count = 0; count <= 7; count++)
			for (uint64_t key = 0; key < 8; key++)
				check(t, count, key);
	}
}

static void test_ends(void **state)
{
	const struct thing t[] = { { .at = 0 }, { .at = 1 }, { .at = UINT64_MAX - 1 },
				   { .at = UINT64_MAX }, { .at = UINT64_MAX } };

	(void)state;
	for (uint64_t key = UINT64_MAX - 3; key != 4; key++)
		check(t, 5, key);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_all),
					    cmocka_unit_test(test_ends) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
