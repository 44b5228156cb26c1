/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow: contents, sizes that would overflow, and memory that ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "no_memory.h"

#include "../../../src/base/host/vec.c"

struct row {
	uint64_t key;
	uint8_t more[5];
};

struct table {
	BOB_VEC(struct row);
	int other;
};

static void test_contents(void **state)
{
	struct table t = { .other = 7 };

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		struct row *r = BOB_VEC_PUSH(&t);

		assert_non_null(r);
		assert_ptr_equal(r, &t.at[t.count - 1]);
		assert_int_equal(r->key | r->more[4], 0);
		r->key = i;
		r->more[4] = 1;
		assert_int_equal(BOB_VEC_ADD(&t, (struct row){ i + 1, { 1, 2 } }), BOB_OK);
	}
	assert_int_equal(t.count, 2000);
	assert_int_equal(t.cap, 2048);
	for (size_t i = 0; i < t.count; i++)
		assert_int_equal(t.at[i].key, i / 2 + i % 2);
	BOB_VEC_FREE(&t);
	assert_null(t.at);
	assert_int_equal(t.count + t.cap, 0);
	assert_int_equal(t.other, 7);
	BOB_VEC_FREE(&t);
}

static void test_reserve(void **state)
{
	BOB_VEC(uint32_t) v = { 0 };

	(void)state;
	assert_int_equal(BOB_VEC_RESERVE(&v, 0), BOB_OK);
	assert_null(v.at);
	assert_int_equal(BOB_VEC_RESERVE(&v, 100), BOB_OK);
	assert_int_equal(v.cap, 128);
	v.count = 100;
	for (uint32_t i = 0; i < 100; i++)
		v.at[i] = i;
	assert_int_equal(BOB_VEC_RESERVE(&v, 28), BOB_OK);
	assert_int_equal(v.cap, 128);
	assert_int_equal(BOB_VEC_RESERVE(&v, 29), BOB_OK);
	assert_int_equal(v.cap, 256);
	v.at[100] = 5;
	assert_int_equal(BOB_VEC_REACH(&v, 99), BOB_OK);
	assert_int_equal(v.count, 100);
	assert_int_equal(BOB_VEC_REACH(&v, 300), BOB_OK);
	assert_int_equal(v.count, 300);
	for (uint32_t i = 100; i < 300; i++)
		assert_int_equal(v.at[i], 0);
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(v.at[i], i);
	BOB_VEC_FREE(&v);
}

static void test_too_large(void **state)
{
	const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 8,
				 SIZE_MAX / 16 };
	BOB_VEC(uint64_t) v = { 0 };
	uint64_t *at;

	(void)state;
	assert_int_equal(BOB_VEC_ADD(&v, 5), BOB_OK);
	at = v.at;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		assert_int_equal(BOB_VEC_RESERVE(&v, sizes[i]), BOB_ERR_NOMEM);
		assert_ptr_equal(v.at, at);
		assert_int_equal(v.cap, 8);
	}
	assert_int_equal(v.at[0], 5);
	BOB_VEC_FREE(&v);
}

static void test_no_memory(void **state)
{
	for (int after = 1; after < 8; after++) {
		struct table t = { 0 };
		size_t count = 0;

		no_memory_after = after;
		while (BOB_VEC_PUSH(&t))
			t.at[t.count - 1].key = ++count;
		assert_int_equal(t.count, count);
		assert_int_equal(BOB_VEC_ADD(&t, (struct row){ 0 }), BOB_ERR_NOMEM);
		assert_int_equal(t.count, count);
		assert_int_equal(count, after > 1 ? 8u << (after - 2) : 0);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(t.at[i].key, i + 1);
		no_memory_after = -1;
		BOB_VEC_FREE(&t);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contents),
		cmocka_unit_test(test_reserve),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
