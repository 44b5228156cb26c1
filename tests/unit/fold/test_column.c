/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "values.h"

/* Ends `v`; at most `most` pieces. */
static void expect(struct values *v, size_t most, const char *what)
{
	const char *wrong = values_end(v);

	if (wrong || v->piece_count > most)
		print_message("%s: %s, %zu pieces in %zu bytes for %zu values\n", what,
			      wrong ? wrong : "too large", v->piece_count, v->bytes, v->count);
	assert_null(wrong);
	assert_true(v->piece_count <= most);
	values_free(v);
}

static void test_plain(void **state)
{
	static const uint64_t steps[] = { 0, 8, (uint64_t)-8, 1ull << 63, 12345678901234567ull };

	(void)state;
	for (size_t s = 0; s < 5; s++)
		for (size_t n = 0; n < 40; n++) {
			struct values v;

			values_begin(&v);
			for (size_t i = 0; i < n; i++)
				values_put(&v, 1000 + i * steps[s]);
			expect(&v, n < 3 ? n : 1, "constant step");
		}
}

/* Size does not depend on the length of any loop. */
static void test_rectangles(void **state)
{
	(void)state;
	for (uint64_t a = 3; a < 9; a++)
		for (uint64_t b = 3; b < 9; b++)
			for (uint64_t c = 3; c < 9; c++) {
				struct values v;

				values_begin(&v);
				for (uint64_t i = 0; i < a; i++)
					for (uint64_t j = 0; j < b; j++)
						for (uint64_t k = 0; k < c; k++)
							values_put(&v,
								   5 + i * 1000 + j * 33 + k * 8);
				expect(&v, 1, "rectangle");
			}
}

/* C = A B: the words of the three operands. Not of n = 3: three equal rows whose third is continued
 * by the next one are read as a longer row (docs/fold.md, Limits). */
static void test_matmul(void **state)
{
	(void)state;
	for (uint64_t n = 4; n < 40; n += 9) {
		struct values a, b, c;

		values_begin(&a);
		values_begin(&b);
		values_begin(&c);
		for (uint64_t i = 0; i < n; i++)
			for (uint64_t j = 0; j < n; j++)
				for (uint64_t k = 0; k < n; k++) {
					values_put(&a, 0x1000 + 8 * (i * n + k));
					values_put(&b, 0x90000 + 8 * (k * n + j));
					values_put(&c, 0x200000 + 8 * (i * n + j));
				}
		expect(&a, 1, "a");
		expect(&b, 1, "b");
		expect(&c, 1, "c");
	}
}

enum { LESS, LESS_EQUAL, REST, SHRINK, NESTED, CHOLESKY, TRIANGLES };

static void triangle(struct values *v, int kind, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		switch (kind) {
		case LESS:
			for (uint64_t j = 0; j < i; j++)
				values_put(v, 100 * i + 8 * j);
			break;
		case LESS_EQUAL:
			for (uint64_t j = 0; j <= i; j++)
				values_put(v, 100 * i + 8 * j);
			break;
		case REST:
			for (uint64_t j = i; j < n; j++)
				values_put(v, 100 * i + 8 * j);
			break;
		case SHRINK:
			for (uint64_t j = 0; j + 3 * i < 3 * n; j++)
				values_put(v, 7 * j);
			break;
		case NESTED:
			for (uint64_t j = 0; j < i; j++)
				for (uint64_t k = 0; k < j; k++)
					values_put(v, 10000 * i + 100 * j + k);
			break;
		default: /* the left operand of a Cholesky factorisation */
			for (uint64_t j = i; j < n; j++)
				for (uint64_t k = 0; k < i; k++)
					values_put(v, 8 * (j * n + k));
		}
}

/* Triangles fold, alone and repeated: the pieces do not become more with n. */
static void test_triangles(void **state)
{
	(void)state;
	for (int kind = 0; kind < TRIANGLES; kind++)
		for (int repeated = 1; repeated <= 20; repeated += 19) {
			struct values small, large;

			values_begin(&small);
			values_begin(&large);
			for (int r = 0; r < repeated; r++) {
				triangle(&small, kind, 12);
				triangle(&large, kind, 60);
			}
			expect(&small, 1, "small triangle");
			expect(&large, 1, "large triangle");
		}
}

/* Loops in loops that mostly do not run: more of them in a row than a walk passes. */
static void test_empty_loops(void **state)
{
	(void)state;
	for (int64_t rows = 20; rows <= 200; rows += 20)
		for (int falling = 0; falling < 2; falling++) {
			struct values v;

			values_begin(&v);
			for (int64_t i = 0; i < 5; i++)
				for (int64_t j = 0; j < rows; j++) {
					int64_t n = rows * i + 1 - (falling ? j : rows - 1 - j);

					for (int64_t k = 0; k < n; k++)
						values_put(&v, (uint64_t)(i << 20 | j << 10 | k));
				}
			expect(&v, rows <= 32 ? 1 : 3, "loops that do not run");
		}
}

/* An iteration that ends after loops that did not run: these are not pieces. */
static void test_empty_part(void **state)
{
	struct values v;

	(void)state;
	values_begin(&v);
	for (int64_t i = 0; i < 5; i++)
		for (int64_t j = 0; j < 5; j++)
			for (int64_t k = 0; k < 3 + 2 * j - i; k++)
				values_put(&v, (uint64_t)(52 + 5 * i + 1000 * j));
	values_put(&v, 1);
	expect(&v, 2, "empty part");
}

/* Inner loops of two. */
static void test_pairs(void **state)
{
	struct values v;

	(void)state;
	values_begin(&v);
	for (uint64_t i = 0; i < 1000; i++)
		for (uint64_t j = 0; j < 2; j++)
			values_put(&v, i * 24 + j * 1000);
	expect(&v, 1, "pairs");
}

static uint64_t state_of_draw;

static uint64_t draw(uint64_t n)
{
	state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
	return (state_of_draw >> 33) % n;
}

/* Any nest of loops with random bounds, steps and breaks, one after another. */
static void random_nest(struct values *v, unsigned depth, uint64_t base)
{
	uint64_t n = draw(7), step = draw(4) ? draw(40) : draw(1u << 30);
	int triangular = !draw(4);

	for (uint64_t i = 0; i < n; i++) {
		if (depth && draw(40)) {
			uint64_t before = state_of_draw;

			random_nest(v, depth - 1, base + i * step);
			if (draw(8)) /* mostly the same again */
				state_of_draw = before;
		} else {
			values_put(v, base + i * step);
		}
		if (triangular && n < 30)
			n += draw(2);
	}
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 3000; seed++) {
		struct values v;

		state_of_draw = seed;
		values_begin(&v);
		for (int i = 0; i < 6 && v.count < 4000; i++) {
			random_nest(&v, (unsigned)draw(5), draw(1000));
			if (!draw(3))
				values_put(&v, draw(1000));
		}
		expect(&v, v.count, "random nests");
	}
}

/* Every sequence of up to 10 values out of three. */
static void test_exhaustive(void **state)
{
	(void)state;
	for (unsigned n = 0, all = 1; n <= 10; n++, all *= 3)
		for (unsigned code = 0; code < all; code++) {
			struct values v;

			values_begin(&v);
			for (unsigned i = 0, c = code; i < n; i++, c /= 3)
				values_put(&v, c % 3);
			expect(&v, n, "short");
		}
}

static void test_hostile_bytes(void **state)
{
	(void)state;
	state_of_draw = 1;
	for (int round = 0; round < 200000; round++) {
		uint8_t bytes[64];
		size_t len = draw(sizeof(bytes));
		const uint8_t *at = bytes;
		struct bob_piece p;
		struct bob_piece_walk w;

		for (size_t i = 0; i < len; i++)
			bytes[i] = (uint8_t)(draw(3) ? draw(8) : draw(256));
		if (bob_piece_get(&at, bytes + len, 7, &p) != BOB_OK) {
			assert_ptr_equal(at, bytes);
			continue;
		}
		if (bob_piece_begin(&p, 0, 0, &w) == BOB_OK)
			for (int i = 0; i < 100 && bob_piece_next(&p, 0, &w) == BOB_OK; i++)
				;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),	   cmocka_unit_test(test_rectangles),
		cmocka_unit_test(test_matmul),	   cmocka_unit_test(test_triangles),
		cmocka_unit_test(test_pairs),	   cmocka_unit_test(test_empty_loops),
		cmocka_unit_test(test_empty_part), cmocka_unit_test(test_random),
		cmocka_unit_test(test_exhaustive), cmocka_unit_test(test_hostile_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
