/* SPDX-License-Identifier: BSD-3-Clause */
/* The writer's helpers at their bounds: records that just fit and just do not, file names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "archive/write/write.h"

static void records_fit_or_vanish(void **state)
{
	uint8_t buf[64 + 1];
	struct bob_meta m;

	(void)state;
	for (uint64_t cap = 0; cap <= 64; cap++) {
		memset(buf, 0x5a, sizeof(buf));
		bob_meta_init(&m, buf, cap);
		for (uint64_t len = 13;; len += 3) {
			uint64_t before = m.len, need = 8 + ((len + 7) & ~7ull);
			bob_status st =
				bob_meta_put(&m, BOB_REC_EXE, "0123456789abcdefghijklmnopq", len);

			assert_int_equal(st, cap - before >= need ? BOB_OK : BOB_ERR_FULL);
			assert_int_equal(m.len, st == BOB_OK ? before + need : before);
			if (st != BOB_OK)
				break;
		}
		for (uint64_t i = cap; i < sizeof(buf); i++)
			assert_int_equal(buf[i], 0x5a);
	}
}

static void records_in_order(void **state)
{
	uint8_t buf[64];
	struct bob_meta m;

	(void)state;
	bob_meta_init(&m, buf, sizeof(buf));
	assert_int_equal(bob_meta_end(&m), BOB_ERR_INVAL);
	assert_int_equal(bob_meta_begin(&m, BOB_REC_CWD), BOB_OK);
	assert_int_equal(bob_meta_begin(&m, BOB_REC_CWD), BOB_ERR_INVAL);
	bob_meta_append(&m, "a", 1);
	bob_meta_append(&m, "bc", 2);
	assert_int_equal(bob_meta_end(&m), BOB_OK);
	assert_int_equal(m.len, 16);
	assert_memory_equal(buf, "\3\0\0\0\3\0\0\0abc\0\0\0\0\0", 16);
}

static void names(void **state)
{
	char buf[BOB_NAME_BYTES], host[100];

	(void)state;
	assert_int_equal(bob_name_process(buf, sizeof(buf), "n1.site", 4294967295u, 10), 26);
	assert_string_equal(buf, "pn1.site.4294967295.10.bob");
	assert_int_equal(bob_name_process(buf, sizeof(buf), "a/../b c", 0, 0), 17);
	assert_string_equal(buf, "pa_.._b_c.0.0.bob");
	assert_true(bob_name_process(buf, sizeof(buf), "", 1, 2) > 0);
	assert_string_equal(buf, "phost.1.2.bob");
	assert_int_equal(bob_name_process(buf, 13, "", 1, 2), 0);
	assert_string_equal(buf, "");
	assert_true(bob_name_is_of_file("phost.1.2.bob", 13) && bob_name_is_of_file("p.bob", 5));
	assert_false(bob_name_is_of_file("../p.bob", 8) || bob_name_is_of_file("/p.bob", 6) ||
		     bob_name_is_of_file("..bob", 5) || bob_name_is_of_file("p\n.bob", 6) ||
		     bob_name_is_of_file("p\0.bob", 6) || bob_name_is_of_file(".bob", 4) ||
		     bob_name_is_of_file("p.bobb", 6) || bob_name_is_of_file("", 0));
	memset(host, 'h', sizeof(host));
	host[99] = 0;
	assert_int_equal(bob_name_process(buf, sizeof(buf), host, ~0u, ~0u),
			 1 + 63 + 1 + 10 + 1 + 10 + 4);
	assert_int_equal(bob_name_image(buf, sizeof(buf), 0x123456789abcdef0ull), 21);
	assert_string_equal(buf, "i123456789abcdef0.bob");
	assert_int_equal(bob_name_image(buf, 21, 1), 0);
}

static void chunk_space(void **state)
{
	(void)state;
	for (uint64_t space = 0; space < 1000; space++) {
		uint64_t size = bob_chunk_payload(space);

		assert_true(size == 0 || bob_chunk_bytes(size) <= space);
		assert_true(bob_chunk_bytes(size + 1) > space || space < 128);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_fit_or_vanish),
		cmocka_unit_test(records_in_order),
		cmocka_unit_test(names),
		cmocka_unit_test(chunk_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
