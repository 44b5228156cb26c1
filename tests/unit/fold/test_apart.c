/* SPDX-License-Identifier: BSD-3-Clause */
/* Participants that number and place things each for itself: common names, and shifts that are kept
 * apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "events.h"

#define MANY 64u

static uint64_t state_of_draw = 9;

static uint64_t draw(uint64_t n)
{
	state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
	return (state_of_draw >> 33) % n;
}

static struct bob_folded *open_folded(const struct events *e, uint64_t id)
{
	struct bob_folded *f;

	assert_int_equal(bob_folded_open(e->out.at, e->out.len, id, &events_alloc, &f), BOB_OK);
	return f;
}

static void put(struct events *e, uint32_t shape, uint64_t a, uint64_t b)
{
	const uint64_t word[2] = { a, b };

	events_put_words(e, shape, word, 2);
}

/* --- names --- */

static uint64_t next_id(void *ctx, uint64_t id)
{
	return id + *(uint64_t *)ctx;
}

/* Keys are numbers of 32 bits here. */
static bob_status next_key(void *ctx, const uint8_t *key, size_t len, uint8_t *to, size_t *to_len)
{
	uint32_t number;

	assert_int_equal(len, sizeof(number));
	memcpy(&number, key, sizeof(number));
	number = (number + (uint32_t) * (uint64_t *)ctx) % 12;
	memcpy(to, &number, sizeof(number));
	*to_len = sizeof(number);
	return BOB_OK;
}

static uint64_t next_place(void *ctx, uint64_t place)
{
	(void)ctx;
	return place ^ 3;
}

/* The same program, `turn` added to all its names. Places are 1 and 2, or the other way round. */
static void program(struct events *e, uint32_t turn)
{
	events_begin(e);
	for (uint64_t i = 0; i < 30; i++) {
		put(e, (0 + turn) % 12, i, 7);
		for (uint64_t k = 0; k < i; k++)
			put(e, (6 + turn) % 12, 8 * k, i);
	}
	bob_folder_end(e->folder);
}

static void test_rename(void **state)
{
	uint64_t by = 6;
	const struct bob_fold_rename names = { next_id, next_key, next_place, &by };
	struct bob_folded *f, *g, *both;
	struct events a, b;
	uint64_t place, was;
	uint32_t parent;

	(void)state;
	program(&a, 1);
	program(&b, 7);
	f = open_folded(&a, 1);
	assert_int_equal(bob_folded_rename(f, &names, &events_alloc, &g), BOB_OK);
	assert_int_equal(bob_folded_id(g, 0), 7);
	assert_null(events_same(&b, g, 0)); /* the names of b, the values of both */
	assert_true(bob_folded_path(f, 1, &parent, &was));
	assert_true(bob_folded_path(g, 1, &parent, &place));
	assert_int_equal(place, was ^ 3);
	bob_folded_close(f);
	f = open_folded(&b, 8);
	assert_int_equal(bob_folded_merge(f, g, &events_alloc, &both), BOB_OK);
	assert_int_equal(bob_folded_count(both), 2);
	assert_int_equal(bob_folded_shapes(both), bob_folded_shapes(f));
	assert_null(events_same(&b, both, 0));
	assert_null(events_same(&b, both, 1));
	bob_folded_close(both);
	bob_folded_close(f);
	bob_folded_close(g);
	f = open_folded(&a, 1);
	g = open_folded(&b, 8);
	const struct bob_fold_source from[2] = { { .folded = f, .rename = &names },
						 { .folded = g, .rename = NULL } };
	assert_int_equal(bob_folded_merge_all(from, 2, &events_alloc, &both), BOB_OK);
	assert_int_equal(bob_folded_shapes(both), bob_folded_shapes(g));
	assert_int_equal(bob_folded_id(both, 0), 7);
	assert_null(events_same(&b, both, 0));
	assert_null(events_same(&b, both, 1));
	bob_folded_close(both);
	bob_folded_close(f);
	bob_folded_close(g);
	events_free(&a);
	events_free(&b);
}

static bob_status one_key(void *ctx, const uint8_t *key, size_t len, uint8_t *to, size_t *to_len)
{
	(void)ctx, (void)key, (void)len;
	to[0] = 1;
	*to_len = 1;
	return BOB_OK;
}

static uint64_t one_place(void *ctx, uint64_t place)
{
	(void)ctx, (void)place;
	return 5;
}

static uint64_t turned_id(void *ctx, uint64_t id)
{
	(void)ctx;
	return 100 - id;
}

/* Two things of one name, and participants in another order, are refused. */
static void test_refused(void **state)
{
	const struct bob_fold_rename keys = { .key = one_key }, places = { .place = one_place },
				     ids = { .id = turned_id };
	struct bob_folded *f, *g, *both;
	struct events e;

	(void)state;
	events_begin(&e);
	put(&e, 0, 1, 2);
	put(&e, 3, 1, 2); /* the same path */
	for (uint32_t i = 1; i < 6; i++)
		put(&e, i, 1, 2);
	bob_folder_end(e.folder);
	f = open_folded(&e, 1);
	assert_int_equal(bob_folded_rename(f, &keys, &events_alloc, &g), BOB_ERR_INVAL);
	assert_int_equal(bob_folded_rename(f, &places, &events_alloc, &g), BOB_ERR_INVAL);
	assert_int_equal(bob_folded_rename(f, &ids, &events_alloc, &g), BOB_OK);
	assert_int_equal(bob_folded_id(g, 0), 99);
	assert_int_equal(bob_folded_merge(f, g, &events_alloc, &both), BOB_OK);
	bob_folded_close(g);
	assert_int_equal(bob_folded_rename(both, &ids, &events_alloc, &g), BOB_ERR_INVAL);
	bob_folded_close(both);
	bob_folded_close(f);
	events_free(&e);
}

/* --- shifts --- */

struct two_rows {
	struct events_bytes bytes, apart;
	uint32_t shifts, trips;
};

static int is_pages(void *ctx, const struct bob_fold_shift *s)
{
	struct two_rows *t = ctx;
	uint64_t bits = 0;

	assert_true(s->count > 1);
	assert_int_equal(s->value[0], 0);
	assert_true(s->uses + s->trips > 0); /* a base by those that are less it */
	for (uint32_t i = 0; i < s->count; i++)
		bits |= s->value[i];
	t->trips += s->trips;
	if (bits % 4096)
		return 0;
	t->shifts++;
	return 1;
}

static void take_bytes(void *ctx, const void *bytes, size_t len)
{
	events_write(&((struct two_rows *)ctx)->bytes, bytes, len);
}

static void take_apart(void *ctx, const void *bytes, size_t len)
{
	events_write(&((struct two_rows *)ctx)->apart, bytes, len);
}

/* Stack and heap lie anywhere. The first does something else with the heap, the odd ones something
 * more, and so does each how often it likes. */
static void moved(struct events *e, uint32_t i)
{
	uint64_t stack = draw(1u << 30) << 12, heap = draw(1u << 30) << 12, trips = draw(50);

	events_begin(e);
	for (uint64_t k = 0; k < 9; k++) {
		put(e, 1, stack - 8, heap + 8 * k);
		put(e, 2, stack - 80, heap + (i ? 4096 + 16 * k : 800 + 16 * k));
		put(e, 3, stack + 4096 * i, heap + 24 * k);
		if (i % 2)
			put(e, 4, heap, stack);
	}
	for (uint64_t k = 0; k < 100 + trips; k++)
		put(e, 5, 0, 0);
	bob_folder_end(e->folder);
}

static struct bob_folded *merge_moved(struct events *e, uint32_t n)
{
	struct bob_folded *all = NULL;

	for (uint32_t i = 0; i < n; i++) {
		moved(&e[i], i);
		struct bob_folded *f = open_folded(&e[i], (uint64_t)i << 32), *both = f;

		if (all) {
			assert_int_equal(bob_folded_merge(all, f, &events_alloc, &both), BOB_OK);
			bob_folded_close(all);
			bob_folded_close(f);
		}
		all = both;
	}
	return all;
}

static size_t check_moved(uint32_t n)
{
	static struct events e[MANY];
	struct bob_folded *f = merge_moved(e, n), *again;
	struct two_rows rows = { .shifts = 0 };
	size_t len;

	assert_int_equal(bob_folded_pack_apart(f, is_pages, take_bytes, take_apart, &rows), BOB_OK);
	assert_int_equal(rows.shifts,
			 2); /* all else is said by these, or does not count in pages */
	assert_true(n < MANY || rows.trips > 0);
	assert_int_equal(bob_folded_unpack(rows.bytes.at, rows.bytes.len, &events_alloc, &again),
			 BOB_ERR_CORRUPT);
	assert_int_equal(bob_folded_unpack_apart(rows.bytes.at, rows.bytes.len, rows.apart.at,
						 rows.apart.len - 1, &events_alloc, &again),
			 BOB_ERR_CORRUPT);
	assert_int_equal(bob_folded_unpack_apart(rows.bytes.at, rows.bytes.len, rows.apart.at,
						 rows.apart.len, &events_alloc, &again),
			 BOB_OK);
	for (uint32_t i = 0; i < n; i++)
		assert_null(events_same(&e[i], again, i));
	len = rows.bytes.len;
	bob_folded_close(f);
	bob_folded_close(again);
	for (uint32_t i = 0; i < n; i++)
		events_free(&e[i]);
	free(rows.bytes.at);
	free(rows.apart.at);
	return len;
}

static void test_apart(void **state)
{
	size_t four = check_moved(4), many = check_moved(MANY);

	(void)state;
	print_message("4 and %u participants: %zu and %zu bytes\n", MANY, four, many);
	/* how often each goes round, and how many events that makes, are numbers of its own;
	 * nothing else is */
	assert_in_range(many, four, four + 4 * (MANY - 4) + 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rename),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
