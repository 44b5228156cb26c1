/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../share.h"
#include "events.h"

static uint64_t state_of_draw;

static uint64_t draw(uint64_t n)
{
	state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
	return (state_of_draw >> 33) % n;
}

static void is_null(const char *wrong, const struct events *e, const char *what)
{
	if (wrong)
		print_message("%s: %s at event %zu of %zu\n", what, wrong, e->done, e->count);
	assert_null(wrong);
}

static void put2(struct events *e, uint32_t shape, uint64_t a, uint64_t b)
{
	const uint64_t word[2] = { a, b };

	events_put_words(e, shape, word, 2);
}

/* c[i][j] += a[i][k] * b[k][j], and the triangle of a Cholesky factorisation. */
static void matmul(struct events *e, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t j = 0; j < n; j++) {
			put2(e, 1, 1000 + 8 * (i * n + j), i);
			for (uint64_t k = 0; k < n; k++)
				put2(e, 2, 9000000 + 8 * (i * n + k), 5000000 + 8 * (k * n + j));
		}
}

static void triangle(struct events *e, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		for (uint64_t j = 0; j < i; j++) {
			put2(e, 5, 8 * (i * n + j), j);
			for (uint64_t k = 0; k < j; k++)
				put2(e, 3, 8 * (i * n + k), 8 * (j * n + k));
		}
		put2(e, 4, i, 8 * (i * n + i));
	}
}

/* The same with the event of the middle loop after the inner one: control begins the loops
 * elsewhere, and rows of trip counts take turns with single ones. */
static void late_triangle(struct events *e, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		for (uint64_t j = 0; j < i; j++) {
			for (uint64_t k = 0; k < j; k++)
				put2(e, 3, 8 * (i * n + k), 8 * (j * n + k));
			put2(e, 5, 8 * (i * n + j), j);
		}
		put2(e, 4, i, 8 * (i * n + i));
	}
}

/* Three arrays in turn, at places that have nothing to do with each other; a buffer that goes
 * round. */
static void turns(struct events *e, uint64_t n)
{
	static const uint64_t array[3] = { 1000000, 7340032, 123456 };

	for (uint64_t i = 0; i < n; i++) {
		for (uint64_t k = 0; k < 10 + i % 2 * 5; k++)
			put2(e, 1, array[i % 3] + 8 * k, i % 4);
		put2(e, 2, array[i % 2] + i, array[i % 3]);
	}
}

/* The rows of a grid's matrix, time and again: runs of equal lengths, which are no pattern. */
static void grid(struct events *e, uint64_t times)
{
	for (uint64_t t = 0; t < times; t++)
		for (uint64_t i = 0, row = 0; i < 1200; i++) {
			uint64_t x = i % 24, y = i / 24 % 10, z = i / 240;
			uint64_t len = 7 - !x - (x == 23) - !y - (y == 9) - !z - (z == 4);

			put2(e, 1, 8 * i, 4096 + 8 * i);
			for (uint64_t k = 0; k < len; k++)
				put2(e, 2, 8 * (row + k), 16 * (row + k));
			row += len;
		}
}

/* A part of a sparse product, time and again: a hundred rows of uneven length, and much that is not
 * a row. */
static void gather(struct events *e, uint64_t times)
{
	for (uint64_t t = 0; t < times; t++) {
		state_of_draw = 1;
		for (uint64_t i = 0, row = 0; i < 2000; i++) {
			uint64_t len = i < 100 ? 1 + draw(40) : 0;

			for (uint64_t k = 0; k < len; k++)
				put2(e, 1, 8 * row++, 1);
			put2(e, 2, 8 * draw(2000), 1);
		}
	}
}

/* Much more of the same takes little more. */
static void same_again(void (*events)(struct events *e, uint64_t times))
{
	size_t bytes[2];

	for (int large = 0; large < 2; large++) {
		struct events e;

		events_begin(&e);
		events(&e, large ? 50 : 5);
		is_null(events_rest(&e), &e, "rest of what comes again");
		is_null(events_end(&e), &e, "what comes again");
		bytes[large] = e.out.len;
		events_free(&e);
	}
	assert_in_range(bytes[1], 100, bytes[0] + 1500);
}

static void test_same_again(void **state)
{
	(void)state;
	same_again(grid);
	same_again(gather);
}

static void test_dense(void **state)
{
	static void (*const kind[])(struct events *, uint64_t) = { matmul, triangle, late_triangle,
								   turns };

	(void)state;
	for (size_t k = 0; k < sizeof(kind) / sizeof(*kind); k++) {
		size_t bytes[2];

		for (int large = 0; large < 2; large++) {
			struct events_bytes packed = { 0 };
			struct bob_folded *f;
			struct events e;

			events_begin(&e);
			kind[k](&e, large ? 60 : 24);
			is_null(events_rest(&e), &e, "rest of dense");
			is_null(events_end(&e), &e, "dense");
			assert_int_equal(bob_folded_open(e.out.at, e.out.len, 1, &events_alloc, &f),
					 BOB_OK);
			assert_int_equal(bob_folded_pack(f, events_write, &packed), BOB_OK);
			bytes[large] = packed.len;
			free(packed.at);
			bob_folded_close(f);
			events_free(&e);
		}
		assert_in_range(bytes[0], 20, 400);
		assert_in_range(bytes[1], 20, bytes[0] + 20); /* numbers are longer */
	}
}

/* A value of one of many kinds: affine in i, repeated, random of few or many bits, hostile. */
static uint64_t value_of(uint64_t kind, uint64_t i)
{
	switch (kind % 7) {
	case 0:
		return 77;
	case 1:
		return 64 * i;
	case 2:
		return (i % 10) * 8 + (i / 10) * 1000;
	case 3:
		return draw(4);
	case 4:
		return draw(1u << 30);
	case 5:
		return (i * 2654435761u) % 97; /* a period, not affine */
	default:
		return draw(9) ? UINT64_MAX - i : (uint64_t)1 << 63;
	}
}

static void random_events(struct events *e, uint64_t seed)
{
	uint64_t n[8] = { 0 };

	state_of_draw = seed;
	uint64_t body = 1 + draw(7), outer = 1 + draw(40);
	for (uint64_t i = 0; i < outer; i++)
		for (uint64_t s = 0; s < body; s++) {
			uint64_t trips = s % 3 == 1 ? draw(30) : s % 3 == 2 ? i : 1;

			for (uint64_t t = 0; t < trips; t++, n[s]++) {
				uint64_t word[4];
				uint32_t words = (uint32_t)((seed + s) % 5);

				for (uint32_t w = 0; w < words; w++)
					word[w] = value_of(seed / 3 + s + w, n[s]);
				events_put_words(e, (uint32_t)s, word, words);
			}
		}
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 400; seed += share_every()) {
		struct events e;

		events_begin(&e);
		random_events(&e, seed);
		is_null(events_rest(&e), &e, "rest of random");
		state_of_draw = seed + 1;
		for (int i = 0; i < 300; i++) {
			put2(&e, 9, draw(99), (uint64_t)i);
			if (i % 97 == 96)
				is_null(events_rest(&e), &e, "rest after random");
		}
		is_null(events_end(&e), &e, "random");
		events_free(&e);
	}
}

/* Loops whose words step, in part or at all: in rows, or (`single`) event by event. */
static void put_rows(struct events *e, uint64_t seed, int single)
{
	state_of_draw = seed;
	uint64_t base = draw(1000), even = draw(4), more_words = draw(3);
	uint32_t words = (uint32_t)(even + more_words),
		 shape = 20 + (uint32_t)(even * 3 + more_words);

	for (uint64_t row = 0; row < 60; row++) {
		uint64_t word[8], step[8], more[40 * 3], count = draw(3) ? draw(40) : 7;

		for (uint32_t w = 0; w < even; w++) {
			step[w] = 8 * w;
			word[w] = draw(9) ? base : draw(5000); /* rows that go on, and others */
			word[w] += draw(4) ? 0 : row;
		}
		for (uint64_t i = 0; i < count * more_words; i++)
			more[i] = draw(30) ? draw(1u << 30) : i ? more[i / 2] : 0;
		for (uint64_t i = 0; i < count; i++) {
			uint64_t all[8];

			for (uint32_t w = 0; w < even; w++)
				all[w] = word[w] + i * step[w];
			memcpy(all + even, more + i * more_words, more_words * sizeof(*all));
			if (single)
				events_put_words(e, shape, all, words);
			else
				events_note(e, shape, all, words);
		}
		if (!single && count)
			bob_folder_put_row(e->folder, e->shape[shape] - 1, word, step,
					   (uint32_t)even, more, count);
		base += 8 * count;
		if (draw(5))
			put2(e, 9, row, draw(3));
	}
}

/* Rows are what their events are: the same comes out, of as many bytes. */
static void test_rows(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed += share_every()) {
		size_t bytes[2];

		for (int single = 0; single < 2; single++) {
			struct events e;

			events_begin(&e);
			for (uint64_t part = 0; part < 3; part++)
				put_rows(&e, seed * 3 + part, single);
			is_null(events_rest(&e), &e, "rest of rows");
			is_null(events_end(&e), &e, "rows");
			bytes[single] = e.out.len;
			events_free(&e);
		}
		assert_int_equal(bytes[0], bytes[1]);
	}
}

#define PAIRS_ROUND 40u

/* Loops of one-word shapes in each other: inner ones that run or not, of one shape and of more,
 * addresses that step, come again, or have no rule. */
static size_t make_pairs(uint64_t seed, uint64_t (*pair)[2])
{
	size_t n = 0;
	uint64_t x, branches, length, rule;

	state_of_draw = seed;
	branches = draw(3);
	length = draw(9);
	rule = 1 + draw(3);
	for (uint64_t i = 0; i < 150; i++) {
		pair[n][0] = 20;
		pair[n++][1] = 4096 + 8 * i;
		for (uint64_t k = branches ? draw(length + 1) : length; k; k--) {
			pair[n][0] = 21;
			pair[n][1] = draw(rule) ? draw(1u << 20) : 8192 + 8 * n;
			n++;
			pair[n][0] = 22;
			pair[n++][1] = draw(99) ? 16 * k : i;
		}
		for (uint64_t k = draw(branches + 1); k; k--) {
			pair[n][0] = 23;
			pair[n++][1] = draw(1u << 30);
		}
		x = draw(branches * branches + 1);
		if (x < 2) {
			pair[n][0] = 24 + x;
			pair[n++][1] = 100 * x;
		}
	}
	return n;
}

/* Events that are announced by marks are the same as one by one: the same comes out, of as many
 * bytes. */
static void test_marked(void **state)
{
	static uint64_t pair[150 * PAIRS_ROUND][2];

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed += share_every()) {
		size_t n = make_pairs(seed, pair), bytes[2];

		assert_in_range(n, 1, 150 * PAIRS_ROUND);
		for (int marked = 0; marked < 2; marked++) {
			struct events e;

			events_begin(&e);
			for (int sweep = 0; sweep < 3; sweep++) {
				for (size_t i = 0; i < n; i++) {
					events_note(&e, (uint32_t)pair[i][0], &pair[i][1], 1);
					if (!marked)
						bob_folder_put(e.folder, e.shape[pair[i][0]] - 1,
							       &pair[i][1]);
				}
				if (marked) {
					events_put_pairs(&e, pair[0], n / 3);
					events_put_pairs(&e, pair[n / 3], n - n / 3);
				}
				is_null(events_rest(&e), &e, "rest of marked");
			}
			is_null(events_end(&e), &e, "marked");
			bytes[marked] = e.out.len;
			events_free(&e);
		}
		assert_int_equal(bytes[0], bytes[1]);
	}
}

/* Every stream is completed at every place, and goes on as if nothing had been. */
static void test_rest_everywhere(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct events e;

		state_of_draw = seed;
		events_begin(&e);
		for (uint64_t i = 0, kinds = 1 + draw(3), trips = 1 + draw(5); i < 60; i++) {
			put2(&e, (uint32_t)(draw(4) ? i / trips % kinds : draw(3)), i, draw(2));
			is_null(events_rest(&e), &e, "rest");
		}
		is_null(events_end(&e), &e, "after rests");
		events_free(&e);
	}
}

static void test_again(void **state)
{
	struct events e;

	(void)state;
	events_begin(&e);
	for (int i = 0; i < 5; i++) {
		random_events(&e, (uint64_t)i);
		if (i < 4)
			events_again(&e);
	}
	is_null(events_rest(&e), &e, "rest of parts");
	is_null(events_end(&e), &e, "parts");
	events_free(&e);
}

/* More columns than can be folded at once: the others are still kept. */
static void test_many_columns(void **state)
{
	struct events e;

	(void)state;
	events_begin(&e);
	for (uint64_t i = 0; i < 12; i++)
		for (uint32_t s = 0; s < 4000; s++)
			put2(&e, s, i * 8, s + i * i);
	is_null(events_rest(&e), &e, "rest of many");
	is_null(events_end(&e), &e, "many");
	events_free(&e);
}

static void test_paths(void **state)
{
	static const uint64_t places[] = { 5, 6, 5, 6, 7, 7, 7, 5 };
	uint32_t path = 0, first, second, third, n = 0;
	struct events e;

	(void)state;
	events_begin(&e);
	struct bob_folder *f = e.folder;
	assert_int_equal(bob_folder_path(f, 0, 5, &first), BOB_OK);
	assert_int_equal(bob_folder_path(f, first, 6, &second), BOB_OK);
	assert_int_equal(bob_folder_path(f, second, 7, &third), BOB_OK);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		assert_int_equal(bob_folder_path(f, path, places[i], &path), BOB_OK);
	assert_int_equal(path, first); /* recursion leads back */
	assert_int_equal(bob_folder_path(f, third, 7, &path), BOB_OK);
	assert_int_equal(path, third);
	assert_int_equal(bob_folder_path(f, 0, 6, &path), BOB_OK);
	assert_int_not_equal(path, second); /* the way there differs */
	assert_int_equal(bob_folder_path(f, 99, 6, &path), BOB_ERR_INVAL);
	for (bob_status st = BOB_OK; st == BOB_OK; n++)
		st = bob_folder_path(f, 0, 1000 + n, &path);
	assert_in_range(n, 10000, 100000);
	assert_int_equal(bob_folder_path(f, 0, 5, &path), BOB_OK); /* is there already */
	assert_int_equal(path, first);
	events_free(&e);
}

static void test_shapes(void **state)
{
	uint32_t shape, same, other, n = 0;
	uint8_t key[300] = { 0 };
	struct events e;

	(void)state;
	events_begin(&e);
	struct bob_folder *f = e.folder;
	assert_int_equal(bob_folder_shape(f, "ab", 2, 0, 3, &shape), BOB_OK);
	assert_int_equal(bob_folder_shape(f, "ab", 2, 0, 3, &same), BOB_OK);
	assert_int_equal(shape, same);
	assert_int_equal(bob_folder_shape(f, "abc", 3, 0, 3, &other), BOB_OK);
	assert_int_not_equal(shape, other);
	assert_int_equal(bob_folder_shape(f, "ab", 2, 0, 2, &other), BOB_ERR_INVAL);
	assert_int_equal(bob_folder_shape(f, "ab", 2, 9, 3, &other), BOB_ERR_INVAL);
	assert_int_equal(bob_folder_shape(f, "x", 1, 0, 129, &other), BOB_ERR_INVAL);
	assert_int_equal(bob_folder_shape(f, key, 300, 0, 1, &other), BOB_ERR_INVAL);
	for (bob_status st = BOB_OK; st == BOB_OK; n++)
		st = bob_folder_shape(f, &n, sizeof(n), 0, 2, &other);
	assert_in_range(n, 10000, 100000);
	events_free(&e);
}

static void test_nothing(void **state)
{
	struct events e;

	(void)state;
	events_begin(&e);
	is_null(events_rest(&e), &e, "rest of nothing");
	is_null(events_end(&e), &e, "nothing");
	events_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_again), cmocka_unit_test(test_dense),
		cmocka_unit_test(test_random), cmocka_unit_test(test_rows),
		cmocka_unit_test(test_marked), cmocka_unit_test(test_rest_everywhere),
		cmocka_unit_test(test_again), cmocka_unit_test(test_many_columns),
		cmocka_unit_test(test_paths), cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
