/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C against published vectors (RFC 3720 B.4), and chaining. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/crc.h"

static void test_vectors(void **state)
{
	uint8_t b[32];

	(void)state;
	assert_int_equal(bob_crc32c(0, "123456789", 9), 0xe3069283);
	assert_int_equal(bob_crc32c(0, "", 0), 0);
	memset(b, 0, 32);
	assert_int_equal(bob_crc32c(0, b, 32), 0x8a9136aa);
	memset(b, 0xff, 32);
	assert_int_equal(bob_crc32c(0, b, 32), 0x62a8ab43);
	for (uint8_t i = 0; i < 32; i++)
		b[i] = i;
	assert_int_equal(bob_crc32c(0, b, 32), 0x46dd794e);
}

static void test_chains(void **state)
{
	uint32_t crc = 0;

	(void)state;
	for (size_t cut = 0; cut <= 9; cut++)
		assert_int_equal(bob_crc32c(bob_crc32c(0, "123456789", cut), &"123456789"[cut],
					    9 - cut),
				 0xe3069283);
	for (size_t i = 0; i < 9; i++)
		crc = bob_crc32c_byte(crc, (uint8_t) "123456789"[i]);
	assert_int_equal(crc, 0xe3069283);
}

/* Every word of the table from the polynomial. */
static void test_table(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t x = i;

		for (int k = 0; k < 8; k++)
			x = x & 1 ? x >> 1 ^ 0x82f63b78u : x >> 1;
		assert_int_equal(bob_crc32c_table[i], x);
	}
}

/* Long stretches go another way; the answer is that of one byte at a time. */
static void test_long(void **state)
{
	static const size_t lens[] = { 16383, 16384, 16385, 16391, 3 * 4096 * 5, 3 * 4096 * 5 + 13,
				       99991 };
	static uint8_t bytes[100000];
	uint32_t x = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
	for (size_t k = 0; k < sizeof(lens) / sizeof(*lens); k++) {
		uint32_t crc = 77;

		for (size_t i = 0; i < lens[k]; i++)
			crc = bob_crc32c_byte(crc, bytes[5 + i]);
		assert_int_equal(bob_crc32c(77, bytes + 5, lens[k]), crc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors), cmocka_unit_test(test_chains),
		cmocka_unit_test(test_table), cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
