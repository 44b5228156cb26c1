/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of numbers as bytes: what was put comes back, whatever the row; numbers that depend on the
 * low zero bits of their place take space for each bit; numbers without a rule as many bits as they
 * differ by; numbers that are affine in each bit of their place a step for each bit; damaged bytes
 * are refused or are a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
#include "fold/halves.h"

#define MOST (1u << 19)

static void *resize(void *ctx, void *old, size_t old_size, size_t size)
{
	(void)ctx;
	(void)old_size;
	if (size)
		return realloc(old, size);
	free(old);
	return NULL;
}

static const struct bob_alloc alloc = { resize, NULL };
static uint64_t value[MOST];

static void put(struct bob_buffer *b, const uint64_t *values, uint32_t n)
{
	struct bob_series_writer w;

	bob_series_begin(&w, &b->alloc);
	for (uint32_t i = 0; i < n; i++)
		bob_series_add(&w, values[i]);
	bob_series_end(&w, b);
	bob_series_free(&w);
}

/* The bytes of the first `n` numbers, once they have been read. */
static size_t round_trip(uint32_t n)
{
	struct bob_buffer b = { .alloc = alloc };
	struct bob_series_reader r;
	uint64_t v = 0;
	size_t len;

	put(&b, value, n);
	assert_false(b.failed);
	assert_int_equal(bob_series_open(&r, &alloc, b.at, b.at + b.len), BOB_OK);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(bob_series_next(&r, &v), BOB_OK);
		assert_true(v == value[i]);
	}
	assert_int_equal(bob_series_next(&r, &v), BOB_END);
	assert_ptr_equal(r.at, b.at + b.len);
	bob_series_close(&r);
	len = b.len;
	bob_buffer_free(&b);
	return len;
}

static uint64_t low_zeros(uint64_t n)
{
	return n ? (uint64_t)__builtin_ctzll(n) : 64;
}

/* How many children rank `r` of `ranks` has, and who is its parent. */
static uint64_t children(uint64_t r, uint64_t ranks)
{
	uint64_t n = 0;

	for (uint64_t bit = 1; bit < ranks && !(r & bit); bit *= 2)
		n += r + bit < ranks;
	return n;
}

static void test_tree(void **state)
{
	(void)state;
	for (uint32_t ranks = 1 << 6; ranks <= MOST / 4; ranks *= 2) {
		for (uint32_t r = 0; r < ranks; r++)
			value[r] = 20 * children(r, ranks) + 4;
		assert_true(round_trip(ranks) <= 16 + 12 * low_zeros(ranks));
		for (uint32_t r = 1; r < ranks; r++)
			value[r - 1] = r & (r - 1); /* all but the root */
		assert_true(round_trip(ranks - 1) <= 16 + 12 * low_zeros(ranks));
	}
}

/* Ranks that are no power of two: some near the end have fewer children. */
static void test_tree_of_any_size(void **state)
{
	static const uint32_t size[] = { 65, 100, 127, 1000, 1023, 1025, 10000, 99999 };

	(void)state;
	for (size_t i = 0; i < sizeof(size) / sizeof(*size); i++) {
		for (uint32_t r = 0; r < size[i]; r++)
			value[r] = children(r, size[i]);
		assert_true(round_trip(size[i]) <= 450);
	}
}

/* Places of both kinds of parity, with and without exceptions; then anything. */
static void test_any(void **state)
{
	(void)state;
	for (uint32_t n = 1; n < 300; n++)
		for (uint32_t first = 0; first < 9; first++) {
			for (uint32_t i = 0; i < n; i++)
				value[i] = low_zeros(i + first) * i;
			if (first % 3 == 2)
				value[n / 2] = ~0ull << first;
			round_trip(n);
		}
	for (uint32_t n = 1; n < 3000; n += n / 3 + 1)
		for (uint32_t kind = 0; kind < 6; kind++) {
			for (uint32_t i = 0; i < n; i++) {
				uint64_t x = bob_hash_mix(i * 7ull + kind);

				value[i] = kind < 2 ? x : kind < 4 ? x % 3 : i & 1 ? x : 5ull * i;
			}
			round_trip(n);
		}
}

/* No rule: of each 64 numbers the least one, and the bits by which the others differ from it;
 * likewise if they step, but not evenly, and if they drift. */
static void test_narrow(void **state)
{
	static const uint32_t least[] = { 16, 64, 65, 1000, 10000 };

	(void)state;
	for (uint32_t bits = 1; bits < 60; bits += 4)
		for (size_t i = 0; i < sizeof(least) / sizeof(*least); i++)
			for (uint32_t kind = 0; kind < 4; kind++) {
				const uint32_t n = least[i], blocks = (n + 63) / 64;

				for (uint32_t k = 0; k < n; k++) {
					uint64_t any = bob_hash_mix(n * 60ull + k) >> (64 - bits);

					value[k] = kind == 0 ? any :
						   kind == 1 ? any - (1ull << (bits - 1)) :
						   kind == 2 ? any + k / 64 * 12345 :
						   k	     ? value[k - 1] + 1000000 + any :
							       1000000;
				}
				assert_true(round_trip(n) <=
					    16 + (n * (size_t)bits + 7) / 8 + blocks * 12ull);
			}
}

static void test_all_bits(void **state)
{
	(void)state;
	for (uint32_t n = 5; n < 300; n += 7)
		for (uint32_t kind = 0; kind < 3; kind++) {
			for (uint32_t i = 0; i < n; i++) {
				uint64_t any = bob_hash_mix(i * 3ull + kind);

				value[i] = kind == 0 ? any :
					   kind == 1 ? any >> any % 64 :
					   i % 2     ? any :
						       ~any;
			}
			round_trip(n);
		}
}

/* The bits of `i`, of which there are `bits`, with the lower and the upper half swapped. */
static uint64_t transposed(uint64_t i, uint32_t bits)
{
	const uint32_t low = bits / 2;

	return (i & ((1u << low) - 1)) << (bits - low) | i >> low;
}

/* Partners in a butterfly and in a transposition; of a million, too, although they are more pieces
 * than anybody looks through for turns. */
static void test_bits(void **state)
{
	(void)state;
	for (uint32_t n = 5; n <= MOST; n = n < 300 ? n + 1 : n * 2 + n % 3) {
		for (uint32_t bit = 1; bit < n; bit *= 2) {
			for (uint32_t i = 0; i < n; i++)
				value[i] = i ^ bit;
			assert_true(round_trip(n) <= 48);
			if (n > 5000)
				bit *= 4;
		}
		for (uint32_t i = 0; i < n; i++)
			value[i] = 1000 - 3 * transposed(i, 20) % 1000003 + (i >> 5);
		round_trip(n);
	}
	for (uint32_t bits = 6; 1u << bits <= MOST; bits++) {
		for (uint32_t i = 0; i < 1u << bits; i++)
			value[i] = transposed(i, bits) - i;
		assert_true(round_trip(1u << bits) <= 12 + 4 * bits);
	}
}

/* Not if one is another one, wherever that is. */
static void test_not_bits(void **state)
{
	(void)state;
	for (uint32_t n = 6; n < 140; n++)
		for (uint32_t other = 0; other < n; other++) {
			for (uint32_t i = 0; i < n; i++)
				value[i] = (i ^ 2) + (i == other);
			round_trip(n);
		}
}

/* Whatever is damaged is refused, or is a row. */
static void damage(struct bob_buffer b, uint32_t most)
{
	uint64_t v;

	for (uint32_t i = 0; i < b.len; i++)
		for (uint32_t k = 0; k < 9; k++) {
			uint8_t was = b.at[i];
			struct bob_series_reader r;
			bob_status st;

			b.at[i] = k < 8 ? was ^ (uint8_t)(1 << k) : 0;
			st = bob_series_open(&r, &alloc, b.at, b.at + (k ? b.len : i));
			for (uint32_t n = 0; n < most && st == BOB_OK; n++)
				st = bob_series_next(&r, &v);
			assert_true(st == BOB_OK || st == BOB_END || st == BOB_ERR_CORRUPT);
			bob_series_close(&r);
			b.at[i] = was;
		}
}

static void test_damage(void **state)
{
	struct bob_buffer b = { .alloc = alloc };

	(void)state;
	for (uint32_t r = 0; r < 1000; r++)
		value[r] = children(r, 1000);
	put(&b, value, 1000);
	assert_false(b.failed);
	assert_true(!b.at[0] && !b.at[1] && b.at[2]); /* by halves */
	damage(b, 2000);
	b.len = 0;
	for (uint32_t i = 0; i < 150; i++)
		value[i] = bob_hash_mix(i) % 1000;
	put(&b, value, 150);
	assert_false(b.failed);
	assert_true(!b.at[0] && !b.at[1] && !b.at[2] && b.at[3]); /* narrow */
	damage(b, 2000);
	b.len = 0;
	for (uint32_t i = 0; i < 1000; i++)
		value[i] = i ^ 64;
	put(&b, value, 1000);
	assert_false(b.failed);
	assert_true(!b.at[0] && !b.at[1] && !b.at[2] && !b.at[3]); /* by bits */
	damage(b, 2000);
	bob_buffer_free(&b);
}

/* Halves of halves are refused: depth is bounded. */
static void test_no_halves_inside(void **state)
{
	static const uint8_t flat[] = { 0, 0, 6, 0, 0, 3, 1, 0, 6 }; /* no level, and 1 piece: 3 */
	static const uint8_t outer[] = { 0, 0, 12, 0, 0, 9, 0, 0, 6, 0, 0, 3, 1, 0, 6 };
	struct bob_series_reader r;
	uint64_t v;

	(void)state;
	assert_int_equal(bob_series_open(&r, &alloc, flat, flat + sizeof(flat)), BOB_OK);
	assert_int_equal(bob_series_next(&r, &v), BOB_OK);
	assert_true(v == 3);
	bob_series_close(&r);
	assert_int_equal(bob_series_open(&r, &alloc, outer, outer + sizeof(outer)),
			 BOB_ERR_CORRUPT);
	bob_series_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),	 cmocka_unit_test(test_tree_of_any_size),
		cmocka_unit_test(test_any),	 cmocka_unit_test(test_damage),
		cmocka_unit_test(test_no_halves_inside), cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_all_bits), cmocka_unit_test(test_bits),
		cmocka_unit_test(test_not_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
