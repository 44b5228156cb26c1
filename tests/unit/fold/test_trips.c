/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trips.h"

static uint64_t state_of_draw;

static uint64_t draw(uint64_t n)
{
	state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
	return (state_of_draw >> 33) % n;
}

static void end(struct counted *s)
{
	const char *wrong = counted_end(s);

	if (wrong)
		print_message("%s\n", wrong);
	assert_null(wrong);
	counted_free(s);
}

/* The rows of a sparse matrix, `sweeps` times: each sweep but the first costs next to nothing. */
static size_t sweep(unsigned rows, unsigned sweeps, unsigned kinds)
{
	struct counted s;
	size_t bytes;

	counted_begin(&s);
	for (unsigned k = 0; k < sweeps; k++) {
		state_of_draw = 7;
		for (unsigned i = 0; i < rows; i++)
			assert_true(counted_put(&s, 3, draw(kinds)));
	}
	bytes = s.column[3].len + s.column[3].enc->enc.used;
	end(&s);
	return bytes;
}

static void test_sweeps(void **state)
{
	(void)state;
	assert_in_range(sweep(500, 1, 12), 400, 500 * 3 / 2);
	assert_in_range(sweep(500, 200, 12), 400,
			500 * 7 / 2); /* twice: a larger history begins empty */
	assert_in_range(sweep(20000, 1, 12), 15000, 22000);
	assert_in_range(sweep(20000, 40, 12), 15000, 35000);
	assert_in_range(sweep(20000, 40, 2), 10000, 35000); /* one like another, but in an order */
	assert_in_range(sweep(100000, 2, 12), 160000, 220000); /* no history is so long */
}

/* Whatever comes, also more columns than fit. */
static void test_kinds(void **state)
{
	(void)state;
	for (unsigned shift = 0; shift < 64; shift += 9) {
		struct counted s;
		unsigned refused = 0;

		counted_begin(&s);
		for (unsigned i = 0; i < 120000; i++) {
			unsigned number = (unsigned)(draw(2) ? draw(3) : draw(COUNTED_COLUMNS));
			uint64_t v = (draw(1u << 31) << 33 | draw(1u << 31)) >> shift;

			refused += !counted_put(&s, number, draw(4) ? v % 5 : v);
		}
		assert_true(refused > 0);
		end(&s);
	}
}

/* It may end anywhere, and go on. */
static void test_rests(void **state)
{
	struct counted s;

	(void)state;
	counted_begin(&s);
	for (unsigned i = 0; i < 10000; i++) {
		uint64_t more = draw(1u << 20), none = 0;
		size_t budget = BOB_TRIPS_BYTES;

		counted_put(&s, 0, i % 100 < 90 ? i % 10 : draw(100));
		if (i < 300 || (i > 1000 && i < 1050) || (i > 9200 && i < 9230) || i % 1000 == 0) {
			assert_null(counted_check(&s, 0,
						  draw(2) ? &more :
						  draw(2) ? &none :
							    NULL,
						  &budget));
			counted_free_blocks(&s);
		}
	}
	end(&s);
}

static void test_hostile_bytes(void **state)
{
	static const uint8_t large[] = { 17, 3 }, small[] = { 7, 3 }, good[] = { 8, 3 },
			     plain[] = { 0, 3, 4 };
	struct counted s = { 0 };
	size_t budget = BOB_TRIPS_HISTORY(8);
	struct bob_trips_dec d;
	uint64_t last = 5;

	(void)state;
	bob_trips_dec_init(&d, large, 2, counted_alloc, &s, &budget);
	assert_int_equal(bob_trips_get(&d, &last), BOB_ERR_CORRUPT);
	bob_trips_dec_init(&d, small, 2, counted_alloc, &s, &budget);
	assert_int_equal(bob_trips_get(&d, &last), BOB_ERR_CORRUPT);
	bob_trips_dec_init(&d, good, 2, counted_alloc, &s, &budget);
	assert_int_equal(bob_trips_get(&d, &last), BOB_OK);
	assert_int_equal(last, 4);
	bob_trips_dec_init(&d, good, 2, counted_alloc, &s, &budget); /* the budget is used up */
	assert_int_equal(bob_trips_get(&d, &last), BOB_ERR_CORRUPT);
	bob_trips_dec_init(&d, plain, 3, counted_alloc, &s, &budget);
	assert_int_equal(bob_trips_get(&d, &last), BOB_OK);
	assert_int_equal(last, 2);
	assert_int_equal(bob_trips_get(&d, &last), BOB_OK);
	assert_int_equal(last, 4);
	assert_int_equal(bob_trips_get(&d, &last), BOB_END);
	bob_trips_dec_init(&d, good, 0, counted_alloc, &s, &budget);
	assert_int_equal(bob_trips_get(&d, &last), BOB_END);
	budget = BOB_TRIPS_BYTES;
	s.has_no_memory = 1;
	bob_trips_dec_init(&d, good, 2, counted_alloc, &s, &budget);
	assert_int_equal(bob_trips_get(&d, &last), BOB_ERR_NOMEM);
	counted_free_blocks(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sweeps),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_rests),
		cmocka_unit_test(test_hostile_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
