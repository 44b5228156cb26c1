/* SPDX-License-Identifier: BSD-3-Clause */
/* Footprints of random rows of accesses against the set of all their bytes; rows of real programs
 * exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/memory/footprint.h"
#include "fold/piece.h"

#define BYTES 65536u

static uint64_t seed = 1;

static unsigned roll(unsigned below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(seed >> 33) % below;
}

static uint8_t touched[BYTES];

static void touch(const struct bob_piece *p, unsigned size)
{
	struct bob_piece_walk w;

	for (bob_status st = bob_piece_begin(p, 0, 0, &w); st == BOB_OK;
	     st = bob_piece_next(p, 0, &w)) {
		assert_true(w.value + size <= BYTES);
		memset(touched + w.value, 1, size);
	}
}

static uint64_t count_touched(void)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < BYTES; i++)
		n += touched[i];
	return n;
}

static struct bob_piece random_piece(int triangles)
{
	static const int64_t steps[] = { 0, 4, 8, -8, 16, 24, 32, 64, 100, -320, 800 };
	struct bob_piece p = { .base = 24000 + 8 * roll(200), .dims = roll(4) };

	for (uint32_t d = 0; d < p.dims; d++) {
		p.count[d] = 1 + roll(6);
		p.step[d] = (uint64_t)steps[roll(sizeof(steps) / sizeof(*steps))];
	}
	if (triangles && p.dims > 1 && !roll(2))
		p.grow[bob_piece_pair(0, 1)] = 1 + roll(2);
	return p;
}

static void bounds(void **state)
{
	unsigned exact = 0, rounds = 4000;

	(void)state;
	for (unsigned i = 0; i < rounds; i++) {
		struct bob_footprint f = { 0 };
		uint64_t least, most, n;

		memset(touched, 0, sizeof(touched));
		for (unsigned k = 1 + roll(4); k; k--) {
			struct bob_piece p = random_piece(i % 2);
			unsigned size = 4u << roll(3);

			touch(&p, size);
			assert_int_equal(bob_footprint_add(&f, &p, 0, size), 0);
		}
		bob_footprint_count(&f, &least, &most);
		n = count_touched();
		if (least > n || most < n)
			fail_msg("round %u: %lu bytes, not %lu to %lu", i, (unsigned long)n,
				 (unsigned long)least, (unsigned long)most);
		exact += least == most;
		bob_footprint_free(&f);
	}
	assert_true(exact > rounds / 4); /* else nothing is known */
}

static void expect(const struct bob_piece *p, const int64_t *offset, unsigned count, unsigned size,
		   uint64_t want)
{
	struct bob_footprint f = { 0 };
	uint64_t least, most;

	for (unsigned i = 0; i < count; i++)
		assert_int_equal(bob_footprint_add(&f, p, offset[i], size), 0);
	bob_footprint_count(&f, &least, &most);
	assert_int_equal(least, want);
	assert_int_equal(most, want);
	bob_footprint_free(&f);
}

static void known(void **state)
{
	/* B of a matrix product, as it is walked; a column; an unrolled loop; the lower triangle */
	const struct bob_piece matrix = { 0x10000, 3, { 100, 100, 100 }, { 800, 8, 0 }, { 0 } };
	const struct bob_piece column = { 0x10000, 2, { 100, 7 }, { 800, 0 }, { 0 } };
	const struct bob_piece unrolled = { 0x10000, 1, { 50 }, { 32 }, { 0 } };
	struct bob_piece triangle = { 0x10000, 2, { 1, 60 }, { 8, 480 }, { 0 } };
	const int64_t one[] = { 0 }, four[] = { 0, 8, 16, 24 }, pair[] = { 0, 16 };

	(void)state;
	triangle.grow[bob_piece_pair(0, 1)] = 1;
	expect(&matrix, one, 1, 8, 80000);
	expect(&column, one, 1, 8, 800);
	expect(&unrolled, four, 4, 8, 1600);
	expect(&unrolled, pair, 2, 16, 1600);
	expect(&triangle, one, 1, 8, 60 * 61 / 2 * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(bounds), cmocka_unit_test(known) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
