/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of hooks: whatever the order and the tree in which they come together, the same bytes
 * come out; hostile ones are refused. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive/events/value_numbers.h"
#include "archive/events/value_sets.h"

#define MOST 2000u

static uint64_t seed = 1;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Sums are exact: integers. */
static double make(unsigned kind)
{
	switch (kind) {
	case 0:
		return (double)(random64() % 20);
	case 1:
		return (double)(int64_t)(random64() % 4000) - 2000;
	case 2:
		return (double)(1u << random64() % 24) * (random64() % 2 ? 1 : -1);
	default:
		return (double)(random64() % 3) * (double)(random64() % (1 << 20));
	}
}

static size_t bytes_of(const struct bob_value_numbers *n, uint8_t *to)
{
	size_t len = bob_value_pack(n, to, BOB_VALUE_BYTES_MAX);

	assert_true(len <= BOB_VALUE_BYTES_MAX && bob_value_is_valid(n));
	return len;
}

/* Of a random tree over value[from..to). */
static void unite(const double *value, size_t from, size_t to, struct bob_value_numbers *out)
{
	struct bob_value_numbers left, right;
	size_t mid;

	memset(out, 0, sizeof(*out));
	if (to - from <= 1 + random64() % 40) {
		for (; from < to; from++)
			bob_value_add(out, value[from]);
		return;
	}
	mid = from + random64() % (to - from + 1);
	unite(value, from, mid, &left);
	unite(value, mid, to, &right);
	bob_value_unite(out, random64() % 2 ? &left : &right);
	memset(out, 0, sizeof(*out));
	bob_value_unite(out, &left);
	bob_value_unite(out, &right);
}

static void any_tree(void **state)
{
	static double value[MOST];

	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		const size_t n = 1 + random64() % (round % 10 ? 100 : MOST);
		uint8_t one[BOB_VALUE_BYTES_MAX], other[BOB_VALUE_BYTES_MAX];
		struct bob_value_numbers a, b;
		size_t len;

		for (size_t i = 0; i < n; i++)
			value[i] = make(round % 4);
		memset(&a, 0, sizeof(a));
		for (size_t i = 0; i < n; i++)
			bob_value_add(&a, value[i]);
		len = bytes_of(&a, one);
		for (size_t i = 0; i < n; i++) {
			const size_t k = random64() % n;
			const double d = value[i];

			value[i] = value[k];
			value[k] = d;
		}
		unite(value, 0, n, &b);
		assert_int_equal(bytes_of(&b, other), len);
		assert_memory_equal(one, other, len);
		assert_int_equal(bob_value_unpack(one, len, &b), BOB_OK);
		assert_int_equal(bytes_of(&b, other), len);
		assert_memory_equal(one, other, len);
	}
}

static void bins(void **state)
{
	static const double values[] = { -DBL_MAX, -1, -DBL_MIN, 0,	  DBL_TRUE_MIN,
					 1,	   2,  DBL_MAX,	 INFINITY };
	struct bob_value_numbers n = { 0 };

	(void)state;
	bob_value_add(&n, -0.0);
	bob_value_add(&n, 0.0);
	assert_int_equal(n.bins, 1);
	memset(&n, 0, sizeof(n));
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		bob_value_add(&n, values[i]);
	bob_value_add(&n, NAN);
	assert_int_equal(n.bins, 10);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_true(bob_value_of_bin(n.bin[i].bin, 0) == values[i]);
	memset(&n, 0, sizeof(n));
	for (int i = 0; i < 49; i++)
		bob_value_add(&n, 64 + i); /* two to four, of four bins each */
	assert_int_equal(n.shift, 50);
	for (uint32_t i = 0; i < n.bins; i++) {
		const double low = bob_value_of_bin(n.bin[i].bin, n.shift);

		assert_true(low >= 64 && low <= 112 && (int)low % 16 == 0);
		assert_int_equal(n.bin[i].count, low == 112 ? 1 : 16);
	}
}

static void hostile(void **state)
{
	uint8_t bytes[BOB_VALUE_BYTES_MAX], *copy;
	struct bob_value_numbers n = { 0 }, out;
	struct bob_set s;
	size_t len;

	(void)state;
	for (int i = 0; i < 60; i++)
		bob_value_add(&n, i * i);
	len = bytes_of(&n, bytes);
	for (size_t i = 0; i < len; i++) {
		copy = malloc(i ? i : 1); /* so that a sanitizer sees reads after its end */
		assert_non_null(copy);
		memcpy(copy, bytes, i);
		assert_int_equal(bob_value_unpack(copy, i, &out), BOB_ERR_CORRUPT);
		free(copy);
	}
	for (unsigned round = 0; round < 20000; round++) {
		const uint8_t *at;

		copy = malloc(len);
		assert_non_null(copy);
		memcpy(copy, bytes, len);
		copy[random64() % len] = (uint8_t)random64();
		copy[random64() % 12] = (uint8_t)random64();
		if (bob_value_unpack(copy, len, &out) == BOB_OK)
			assert_true(bob_value_is_valid(&out));
		at = copy;
		while (bob_set_next(&at, copy + len, &s) == BOB_OK)
			assert_true(at > copy && at <= copy + len);
		free(copy);
	}
}

/* A set of a place: as it was written; cut off, or of no call or too many, it is invalid. */
static void places(void **state)
{
	struct bob_set_call call[BOB_SET_DEPTH_MAX], out[BOB_SET_DEPTH_MAX];
	static uint8_t bytes[32 + BOB_SET_DEPTH_MAX * BOB_SET_CALLS_BYTES];
	struct bob_set s;

	(void)state;
	for (uint32_t depth = 1; depth <= BOB_SET_DEPTH_MAX; depth = depth * 3 / 2 + 1) {
		static const uint8_t head[] = { 2, 'h', 'k', 1, 'e', 3 };
		static const uint8_t rest[] = { 1, 2, 7, 8, 0 };
		const uint8_t *at = bytes;
		uint8_t *copy;
		size_t len = sizeof(head);

		memcpy(bytes, head, sizeof(head));
		for (uint32_t i = 0; i < depth; i++)
			call[i] = (struct bob_set_call){ random64() % 2 ? random64() | 2 : 1,
							 random64() >> random64() % 64 };
		if (depth > 2)
			call[1].image = call[0].image;
		len += bob_set_put_calls(bytes + len, call, depth);
		memcpy(bytes + len, rest, sizeof(rest));
		len += sizeof(rest);
		assert_int_equal(bob_set_next(&at, bytes + len, &s), BOB_OK);
		assert_ptr_equal(at, bytes + len);
		assert_true(s.phase == 1 && s.kind == BOB_SET_OWN && s.depth == depth);
		assert_true(s.len == 2 && s.bytes[1] == 8 && !s.text_len && s.hook_len == 2);
		bob_set_calls(&s, out);
		assert_memory_equal(out, call, depth * sizeof(*call));
		for (size_t cut = 1; cut < len; cut++) {
			copy = malloc(cut);
			assert_non_null(copy);
			memcpy(copy, bytes, cut);
			at = copy;
			assert_int_equal(bob_set_next(&at, copy + cut, &s), BOB_ERR_CORRUPT);
			free(copy);
		}
	}
	{
		uint8_t none[] = { 0, 0, 2, 0, 1, 0, 0 }, first[] = { 0, 0, 2, 1, 0, 5, 1, 0, 0 },
			many[] = { 0, 0, 2, 0x81, 2, 1, 0, 0, 0 };
		const uint8_t *at = none;

		assert_int_equal(bob_set_next(&at, none + sizeof(none), &s), BOB_ERR_CORRUPT);
		at = first; /* as the call before the first */
		assert_int_equal(bob_set_next(&at, first + sizeof(first), &s), BOB_ERR_CORRUPT);
		first[4] = 1;
		assert_int_equal(bob_set_next(&at, first + sizeof(first), &s), BOB_OK);
		at = many;
		assert_int_equal(bob_set_next(&at, many + sizeof(many), &s), BOB_ERR_CORRUPT);
	}
}

static bob_status open_names(const uint8_t *bytes, size_t len, uint32_t *count, uint64_t *times,
			     size_t *left)
{
	uint8_t *copy = malloc(len ? len : 1); /* so that a sanitizer sees reads after its end */
	const uint8_t *at = copy, *names;
	bob_status st;

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	st = bob_sets_open(&at, copy + len, &names, count, times);
	if (st == BOB_OK) {
		assert_true(!*count || (names > copy && names + 8ull * *count == at));
		*left = (size_t)(copy + len - at);
	}
	free(copy);
	return st;
}

static void names(void **state)
{
	const struct bob_sets_head h = { .version = BOB_SETS_NAMED, .names = 3, .times = 7 };
	uint8_t bytes[sizeof(h) + 3 * 8 + 5] = { 0 };
	uint64_t times;
	uint32_t count;
	size_t left;

	(void)state;
	memcpy(bytes, &h, sizeof(h));
	assert_int_equal(open_names(bytes, sizeof(bytes), &count, &times, &left), BOB_OK);
	assert_true(count == 3 && times == 7 && left == 5);
	for (size_t len = 0; len < sizeof(h) + 3 * 8; len++)
		assert_int_equal(open_names(bytes, len, &count, &times, &left), BOB_ERR_CORRUPT);
	memset(bytes + 4, 0, 4); /* it has no name */
	assert_int_equal(open_names(bytes, sizeof(bytes), &count, &times, &left), BOB_ERR_CORRUPT);
	memset(bytes + 4, 255, 4);
	assert_int_equal(open_names(bytes, sizeof(bytes), &count, &times, &left), BOB_ERR_CORRUPT);
	for (int version = 0; version < 256; version++) {
		bytes[0] = (uint8_t)version;
		bytes[4] = 1;
		memset(bytes + 5, 0, 3);
		assert_int_equal(open_names(bytes, sizeof(bytes), &count, &times, &left),
				 version == BOB_SETS_ALONE || version == BOB_SETS_NAMED ?
					 BOB_OK :
					 BOB_ERR_CORRUPT);
		assert_true(version != BOB_SETS_ALONE || (!count && left == sizeof(bytes) - 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_tree),
		cmocka_unit_test(bins),
		cmocka_unit_test(hostile),
		cmocka_unit_test(places),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
