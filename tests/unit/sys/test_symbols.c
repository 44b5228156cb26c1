/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program defines, by its symbol tables: this one's, and what is left of it when it is cut
 * off or damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "sys/sys.h"

#define SELF "/proc/self/exe"

int test_symbols_of_ours = 1;

static void ours(void **state)
{
	(void)state;
	assert_true(bob_target_defines(SELF, "test_symbols_of_ours"));
	assert_true(bob_target_defines(SELF, "main"));
	assert_false(bob_target_defines(SELF, "test_symbols_of_other"));
	assert_false(bob_target_defines(SELF, "getenv")); /* it is not defined here */
	assert_false(bob_target_defines("/nonexistent", "main"));
	assert_false(bob_target_defines("/", "main"));
}

static void damaged(void **state)
{
	static uint8_t bytes[8u << 20];
	FILE *f = fopen(SELF, "rbe");
	size_t len = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
	uint64_t random = 1;

	(void)state;
	fclose(f);
	assert_true(len > 1000);
	for (size_t n = 0; n < len; n = n * 2 + 1)
		(void)bob_target_defines(put("cut", bytes, n, 0755), "main");
	for (int i = 0; i < 300; i++) { /* the head, then the section headers after everything */
		size_t at, from = i % 2 ? 0 : len - 2000;
		uint8_t was;

		random = random * 6364136223846793005u + 1442695040888963407u;
		at = from + (random >> 33) % (i % 2 ? 64 : 2000);
		was = bytes[at];
		bytes[at] = (uint8_t)(random >> 24);
		(void)bob_target_defines(put("bad", bytes, len, 0755), "main");
		bytes[at] = was;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ours),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
