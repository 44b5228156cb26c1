/* SPDX-License-Identifier: BSD-3-Clause */
/* What bob_bytes_* write, bob_reader_* read; cut at every byte the reader says so and stays where
 * the item began. Numbers above a bound, texts longer than the rest, memory that ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "no_memory.h"

#include "../../../src/base/host/bytes.c"
#include "../../../src/base/host/vec.c"

#include "base/reader.h"

#define LONG 102u

static void add_varint(struct bob_bytes *b, uint64_t v)
{
	uint8_t *to = bob_bytes_reserve(b, BOB_VARINT_MAX);

	b->len += to ? bob_varint_put(to, v) : 0;
}

static void write_all(struct bob_bytes *b)
{
	const uint32_t fixed = 0x01020304;
	uint8_t *to;

	add_varint(b, UINT64_MAX);
	add_varint(b, bob_zigzag(INT64_MIN));
	bob_bytes_add(b, "\xfe", 1);
	bob_bytes_add(b, &fixed, sizeof(fixed));
	add_varint(b, 4);
	bob_bytes_add(b, "text", 4);
	add_varint(b, 0);
	bob_bytes_add(b, NULL, 0);
	to = bob_bytes_reserve(b, LONG);
	if (to)
		memset(to, 'x', LONG);
	b->len += to ? LONG : 0;
	bob_bytes_take(b, "!", 1);
}

static int read_all(struct bob_reader *r)
{
	uint32_t fixed;
	size_t len, empty;
	const uint64_t v = bob_reader_varint(r);
	const int64_t s = bob_reader_signed(r);
	const uint8_t byte = bob_reader_byte(r), *text, *end;

	bob_reader_copy(r, &fixed, sizeof(fixed));
	text = bob_reader_text(r, &len);
	bob_reader_text(r, &empty);
	end = bob_reader_bytes(r, LONG + 1);
	if (r->bad)
		return 0;
	assert_true(v == UINT64_MAX && s == INT64_MIN && byte == 0xfe && fixed == 0x01020304);
	assert_int_equal(len, 4);
	assert_memory_equal(text, "text", 4);
	assert_int_equal(empty, 0);
	assert_memory_equal(end, "xxxxx", 5);
	assert_memory_equal(end + LONG - 2, "xx!", 3);
	return 1;
}

static void test_round_trip(void **state)
{
	struct bob_bytes b = { 0 };
	struct bob_reader r;

	(void)state;
	write_all(&b);
	assert_int_equal(b.failed, 0);
	r = bob_reader_of(b.at, b.len);
	assert_int_equal(read_all(&r), 1);
	assert_int_equal(bob_reader_is_done(&r), 1);
	for (size_t cut = 0; cut < b.len; cut++) {
		uint8_t *copy = malloc(cut + 1);

		memcpy(copy, b.at, cut);
		r = bob_reader_of(copy, cut);
		assert_int_equal(read_all(&r), 0);
		assert_int_equal(bob_reader_is_done(&r), 0);
		assert_true(r.at <= r.end);
		free(copy);
	}
	bob_bytes_free(&b);
	assert_null(b.at);
}

static void test_bad_stays(void **state)
{
	static const uint8_t bytes[] = { 5, 0x80, 1, 9, 'a', 'b' };
	struct bob_reader r = bob_reader_of(bytes, sizeof(bytes));
	uint64_t to = 1;
	size_t len;

	(void)state;
	assert_int_equal(bob_reader_up_to(&r, 5), 5);
	assert_int_equal(bob_reader_up_to(&r, 128), 128);
	assert_null(bob_reader_text(&r, &len)); /* 9 bytes of 2 */
	assert_int_equal(len, 0);
	assert_int_equal(r.bad, 1);
	assert_ptr_equal(r.at, bytes + 3);
	assert_int_equal(bob_reader_varint(&r), 0);
	assert_int_equal(bob_reader_byte(&r), 0);
	assert_null(bob_reader_bytes(&r, 0));
	bob_reader_copy(&r, &to, sizeof(to));
	assert_int_equal(to, 0);
	assert_ptr_equal(r.at, bytes + 3);
	r = bob_reader_of(bytes, sizeof(bytes));
	assert_int_equal(bob_reader_up_to(&r, 4), 0);
	assert_int_equal(r.bad, 1);
	assert_ptr_equal(r.at, bytes);
	r = bob_reader_of(bytes, sizeof(bytes));
	assert_null(bob_reader_bytes(&r, UINT64_MAX));
	r = bob_reader_of(NULL, 0);
	assert_int_equal(bob_reader_is_done(&r), 1);
	assert_int_equal(bob_reader_byte(&r), 0);
	assert_int_equal(bob_reader_is_done(&r), 0);
}

static void test_no_memory(void **state)
{
	struct bob_bytes all = { 0 };

	(void)state;
	write_all(&all);
	for (int after = 1; after < 8; after++) {
		struct bob_bytes b = { 0 };

		no_memory_after = after;
		write_all(&b);
		no_memory_after = -1;
		if (!b.failed)
			assert_int_equal(b.len, all.len);
		if (b.len)
			assert_memory_equal(b.at, all.at, b.len);
		bob_bytes_add(&b, "\1", 1); /* dropped when something was */
		assert_int_equal(b.len, b.failed ? b.len : all.len + 1);
		assert_true(after > 1 || b.failed);
		bob_bytes_free(&b);
	}
	assert_null(bob_bytes_reserve(&all, SIZE_MAX - 3));
	assert_int_equal(all.failed, 1);
	bob_bytes_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_bad_stays),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
