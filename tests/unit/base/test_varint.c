/* SPDX-License-Identifier: BSD-3-Clause */
/* Varints against the vectors of the LEB128 definition, at the edges, and cut or overlong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/varint.h"

static void test_vectors(void **state)
{
	uint8_t p[BOB_VARINT_MAX];

	(void)state;
	assert_int_equal(bob_varint_put(p, 624485), 3);
	assert_memory_equal(p, "\xe5\x8e\x26", 3);
	assert_int_equal(bob_varint_put(p, 0), 1);
	assert_int_equal(p[0], 0);
	assert_int_equal(bob_varint_put(p, UINT64_MAX), 10);
	assert_memory_equal(p, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
}

static void test_edges(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++)
		for (int d = -1; d <= 1; d++) {
			uint64_t v = (1ull << bit) + (uint64_t)(int64_t)d, got = 0;
			uint8_t b[BOB_VARINT_MAX];
			size_t n = bob_varint_put(b, v);
			const uint8_t *p = b;

			assert_int_equal(bob_varint_get(&p, b + n, &got), BOB_OK);
			assert_true(got == v && p == b + n);
			for (size_t cut = 0; cut < n; cut++) {
				p = b;
				assert_int_equal(bob_varint_get(&p, b + cut, &got),
						 BOB_ERR_CORRUPT);
				assert_ptr_equal(p, b);
			}
			assert_true(bob_unzigzag(bob_zigzag((int64_t)v)) == (int64_t)v);
		}
}

static void test_overlong(void **state)
{
	static const uint8_t big[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02";
	static const uint8_t endless[] = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80";
	const uint8_t *p = big;
	uint64_t v;

	(void)state;
	assert_int_equal(bob_varint_get(&p, big + 10, &v), BOB_ERR_CORRUPT);
	p = endless;
	assert_int_equal(bob_varint_get(&p, endless + 12, &v), BOB_ERR_CORRUPT);
	assert_true(bob_zigzag(-1) == 1 && bob_zigzag(1) == 2 &&
		    bob_zigzag(INT64_MIN) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors), cmocka_unit_test(test_edges),
		cmocka_unit_test(test_overlong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
