/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for people and for machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "table/numbers.h"

static void counts_and_sizes(void **state)
{
	char b[BOB_NUMBER_MAX];

	(void)state;
	assert_string_equal(bob_format_count(b, 0), "0");
	assert_string_equal(bob_format_count(b, 999), "999");
	assert_string_equal(bob_format_count(b, 1000), "1,000");
	assert_string_equal(bob_format_count(b, 1234567), "1,234,567");
	assert_string_equal(bob_format_count(b, UINT64_MAX), "18,446,744,073,709,551,615");
	assert_string_equal(bob_format_bytes(b, 999), "999 B");
	assert_string_equal(bob_format_bytes(b, 1000), "1.00 kB");
	assert_string_equal(bob_format_bytes(b, 12345), "12.3 kB");
	assert_string_equal(bob_format_bytes(b, 999499), "999 kB");
	assert_string_equal(bob_format_bytes(b, 999600), "1.00 MB");
	assert_string_equal(bob_format_seconds(b, 17664054), "17.7 ms");
	assert_string_equal(bob_format_seconds(b, 3723000000000u), "1:02:03 h");
	assert_string_equal(bob_format_share(b, 1, 3), "33.3%");
	assert_string_equal(bob_format_share(b, 0, 0), "0.0%");
	assert_string_equal(bob_format_share(b, 99999, 100000), "99.9%");
	assert_string_equal(bob_format_share(b, 7, 7), "100.0%");
	assert_string_equal(bob_format_ratio(b, 0.9999), "99.9%");
	assert_string_equal(bob_format_real(b, 0.1), "0.1");
	assert_string_equal(bob_format_real(b, 1.0 / 3), "0.3333333333333333");
	assert_string_equal(bob_format_real(b, 2e18), "2e+18");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(counts_and_sizes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
