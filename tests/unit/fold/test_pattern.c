/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns whose values come again without a rule among them: folded while they come in, so that
 * neither the folder's bytes nor the packed ones grow with how often; and nothing is lost, whatever
 * comes again and wherever it ends. */
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

static void is_null(const char *wrong, const struct events *e, uint64_t what)
{
	if (wrong)
		print_message("%llu: %s at event %zu of %zu\n", (unsigned long long)what, wrong,
			      e->done, e->count);
	assert_null(wrong);
}

static void put(struct events *e, uint64_t v)
{
	events_put_words(e, 1, &v, 1);
}

static size_t packed_size(const struct events *e)
{
	struct events_bytes packed = { 0 };
	struct bob_folded *f, *again;

	assert_int_equal(bob_folded_open(e->out.at, e->out.len, 1, &events_alloc, &f), BOB_OK);
	assert_int_equal(bob_folded_pack(f, events_write, &packed), BOB_OK);
	assert_int_equal(bob_folded_unpack(packed.at, packed.len, &events_alloc, &again), BOB_OK);
	bob_folded_close(f);
	bob_folded_close(again);
	free(packed.at);
	return packed.len;
}

struct sizes {
	size_t folder, packed;
};

static struct sizes sizes_of(void (*make)(struct events *, uint64_t, uint64_t), uint64_t n,
			     uint64_t times)
{
	struct sizes s;
	struct events e;

	events_begin(&e);
	make(&e, n, times);
	is_null(events_rest(&e), &e, n);
	is_null(events_end(&e), &e, n);
	s = (struct sizes){ e.out.len, packed_size(&e) };
	events_free(&e);
	return s;
}

/* --- sizes --- */

static uint64_t any_of(uint64_t n, uint64_t i)
{
	uint64_t x = (n * 131 + i) * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	return (x ^ x >> 27) * 0x94d049bb133111ebu >> 44;
}

/* The same n values, time and again. */
static void period(struct events *e, uint64_t n, uint64_t times)
{
	for (uint64_t t = 0; t < times; t++)
		for (uint64_t i = 0; i < n; i++)
			put(e, any_of(n, i));
}

/* Each of them several times in a row, as a row that grows, after one that says where: pieces of
 * many dimensions take turns. */
static void nested(struct events *e, uint64_t n, uint64_t times)
{
	for (uint64_t t = 0; t < times; t++) {
		put(e, 7 * t);
		for (uint64_t i = 0; i < n; i++)
			for (uint64_t k = 0; k < 2 + i % 3 * 2; k++)
				put(e, any_of(n, i) + k * (i % 5));
	}
}

/* Blocks of blocks: patterns within patterns, and each value goes on by a step of its own. */
static void blocks(struct events *e, uint64_t n, uint64_t times)
{
	for (uint64_t t = 0; t < times; t++) {
		for (uint64_t k = 0; k < 5; k++)
			for (uint64_t i = 0; i < n; i++)
				put(e, any_of(n, i) + k * any_of(i, 3) + (t << 32));
		put(e, 1000000007);
	}
}

static void test_sizes(void **state)
{
	static void (*const kind[])(struct events *, uint64_t, uint64_t) = { period, nested,
									     blocks };

	static const uint64_t most[] = {
		64, 44, 24
	}; /* that is 64 pieces; each value by a step of its own: 24 */

	(void)state;
	for (size_t k = 0; k < sizeof(kind) / sizeof(*kind); k++)
		for (uint64_t n = 2; n <= most[k]; n++) {
			uint64_t times = k == 2 ? 12 : 24;
			struct sizes few = sizes_of(kind[k], n, times),
				     many = sizes_of(kind[k], n, times * 10);

			/* counts are longer, and what has begun of the next time is one by one in
			 * the folder's bytes */
			if (many.packed > few.packed + 8 || many.folder > few.folder + 600)
				print_message("kind %zu, %llu values: %zu, %zu bytes; %zu, %zu\n",
					      k, (unsigned long long)n, few.folder, few.packed,
					      many.folder, many.packed);
			assert_in_range(many.packed, 20, few.packed + 8);
			assert_in_range(many.folder, 20, few.folder + 600);
		}
}

/* What does not come again is given up as before, at once. */
static void none(struct events *e, uint64_t n, uint64_t times)
{
	(void)times;
	for (uint64_t i = 0; i < n; i++)
		put(e, any_of(i, i * i));
}

static void test_given_up(void **state)
{
	struct sizes s;

	(void)state;
	s = sizes_of(none, 20000, 1);
	assert_in_range(s.packed, 20000 * 2, 20000 * 4); /* 20 bits each */
}

/* --- anything --- */

/* A program of repetitions: some values, or the same again, at most four deep. Values move on from
 * time to time, or do not. */
static void any(struct events *e, uint64_t depth, uint64_t base)
{
	uint64_t items = 1 + draw(depth ? 5 : 12), times = 1 + draw(9), move = draw(2) * draw(100);
	uint64_t seed = state_of_draw;

	for (uint64_t t = 0; t < times && e->count < 12000; t++) {
		if (draw(40))
			state_of_draw = seed; /* else another way for once */
		for (uint64_t i = 0; i < items && e->count < 12000; i++) {
			uint64_t next = base + move * t + draw(3) * draw(1000);

			if (depth && draw(2))
				any(e, depth - 1, next);
			else
				put(e, next);
		}
	}
}

static void test_any(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 400; seed += share_every()) {
		struct events e;

		state_of_draw = seed * 77 + 1;
		events_begin(&e);
		for (uint64_t k = 0; k < 30 && e.count < 12000; k++) {
			any(&e, 1 + draw(4), draw(50) * 1000);
			if (k % 10 == 3)
				is_null(events_rest(&e), &e, seed);
		}
		is_null(events_rest(&e), &e, seed);
		is_null(events_end(&e), &e, seed);
		(void)packed_size(&e);
		events_free(&e);
	}
}

/* A window is full, or a pattern of all it has is left at every place. */
static void test_every_end(void **state)
{
	(void)state;
	for (uint64_t n = 1; n <= 64; n += 9 * share_every())
		for (uint64_t end = 0; end <= 3 * n; end += 1 + n / 8) {
			struct events e;

			events_begin(&e);
			period(&e, n, 6);
			for (uint64_t i = 0; i < end; i++)
				put(&e, any_of(n, i % n) + (i >= 2 * n));
			is_null(events_rest(&e), &e, n);
			period(&e, 65, 3);
			period(&e, n, 4);
			is_null(events_end(&e), &e, n);
			events_free(&e);
		}
}

/* --- a complete column --- */

static void add_piece(struct bob_content *c, uint64_t base, uint64_t dims)
{
	uint8_t byte = (uint8_t)dims;

	bob_buffer_put(&c->structure, &byte, 1);
	bob_content_add(c, base);
	for (uint64_t d = 0; d < dims; d++) {
		bob_content_add(c, 2 + d);
		bob_content_add(c, base % 7);
	}
}

/* A group with the content, as a reader finds it. */
static void reopen(const struct bob_content *c, struct bob_buffer *b, struct bob_group_reader *r)
{
	assert_int_equal(bob_group_put_alone(b, c), BOB_OK);
	const struct bob_fold_bytes bytes = { b->at, b->len };
	assert_int_equal(bob_group_open_alone(r, &events_alloc, &bytes), BOB_OK);
}

static uint64_t *pieces_of(const struct bob_content *c, size_t *count)
{
	struct bob_buffer b = { .alloc = events_alloc };
	struct bob_group_reader r;
	struct bob_piece p;
	uint64_t *out = NULL;
	size_t capacity = 0;
	int given_up;

	*count = 0;
	reopen(c, &b, &r);
	while (bob_group_piece(&r, &p, &given_up) == BOB_OK)
		for (unsigned i = 0; i < 1 + 2 * p.dims; i++) {
			out = events_grow(out, *count, &capacity, sizeof(*out));
			out[(*count)++] = !i ? p.base : i % 2 ? p.count[i / 2] : p.step[i / 2 - 1];
		}
	bob_group_close(&r);
	bob_buffer_free(&b);
	return out;
}

/* Folding keeps the pieces, also when what is folded has patterns already; and never takes more. */
static void test_content(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed += share_every()) {
		struct bob_content c = { .structure.alloc = events_alloc };
		size_t before_count, after_count;
		uint64_t before = 0;

		state_of_draw = seed + 5;
		for (uint64_t k = 0; k < 4; k++) {
			uint64_t n = 1 + draw(9), times = 1 + draw(8), from = state_of_draw;

			for (uint64_t t = 0; t < times; t++) {
				state_of_draw = from;
				for (uint64_t i = 0; i < n; i++) {
					uint64_t base = draw(100) + (i % 2 ? t * 5 : 0);

					add_piece(&c, base - before, draw(3));
					before = base;
				}
			}
			/* what there is so far becomes patterns; what comes is relative to the last
			 * first number */
			uint64_t *want = pieces_of(&c, &before_count);
			uint32_t bytes = c.structure.len, numbers = c.count;
			assert_int_equal(bob_content_fold(&c, 1 + (uint32_t)draw(20)), BOB_OK);
			assert_in_range(c.structure.len, 1, bytes);
			assert_in_range(c.count, 1, numbers);
			uint64_t *got = pieces_of(&c, &after_count);
			assert_int_equal(before_count, after_count);
			assert_memory_equal(want, got, before_count * sizeof(*want));
			free(want);
			free(got);
			before = 0;
			const uint8_t *at = c.structure.at, *end = at + c.structure.len;
			for (uint32_t i = 0, n_of; at != end; i += n_of) {
				before += c.number[i];
				assert_int_equal(bob_element_skip(&at, end, &n_of), BOB_OK);
			}
		}
		bob_content_free(&c);
	}
}

/* --- as values --- */

/* *last is the base of the difference of a first value after them. */
static uint64_t *values_of(const struct bob_content *c, size_t *count, uint64_t *last)
{
	struct bob_buffer b = { .alloc = events_alloc };
	struct bob_group_reader r;
	struct bob_piece p;
	struct bob_piece_walk w;
	uint64_t *out = NULL;
	size_t capacity = 0;
	int given_up;

	*count = 0;
	reopen(c, &b, &r);
	while (bob_group_piece(&r, &p, &given_up) == BOB_OK)
		for (bob_status st = bob_piece_begin(&p, 0, 0, &w); st == BOB_OK;
		     st = bob_piece_next(&p, 0, &w)) {
			out = events_grow(out, *count, &capacity, sizeof(*out));
			out[(*count)++] = w.value;
		}
	*last = r.last;
	bob_group_close(&r);
	bob_buffer_free(&b);
	return out;
}

/* A row; how long it is and how far its values are apart may change with time, too. */
static void add_row(struct bob_content *c, uint64_t base, uint64_t count, uint64_t step)
{
	const uint8_t dims = 1;

	bob_buffer_put(&c->structure, &dims, 1);
	bob_content_add(c, base);
	bob_content_add(c, count);
	bob_content_add(c, step);
}

/* As they were, whatever depends on how often a pattern has come: bases and steps may, counts may
 * not, in patterns within neither; and what a column that is given up goes on from stays as it
 * was. */
static void test_plain(void **state)
{
	static const uint8_t given_up = BOB_COLUMN_GIVEN_UP;
	uint64_t want_last, got_last;
	size_t changed = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed += share_every()) {
		struct bob_content c = { .structure.alloc = events_alloc };
		uint64_t before = 0, inner = 1 + draw(4), rows, from, longer, steeper;
		size_t want_count, got_count;

		state_of_draw = seed + 9;
		rows = 1 + draw(4);
		longer = draw(4) == 0;
		steeper = draw(2);
		from = state_of_draw;
		for (uint64_t t = 0; t < 3 + inner; t++)
			for (uint64_t k = 0; k < 3 + inner + (seed % 11 == 3 ? t : 0); k++) {
				state_of_draw = from;
				for (uint64_t i = 0; i < rows; i++) {
					uint64_t base = draw(50) + t * draw(3) + k * draw(9);

					add_row(&c, base - before, 1 + draw(3) + longer * t,
						draw(3) + steeper * (t + 2 * k));
					before = base;
				}
				if (k == 2) {
					add_row(&c, 1000 + t - before, 1, 0);
					before = 1000 + t;
				}
			}
		if (seed % 2)
			bob_buffer_put(&c.structure, &given_up, 1);
		uint64_t *want = values_of(&c, &want_count, &want_last);
		assert_int_equal(bob_content_fold(&c, BOB_PATTERN_MAX), BOB_OK);
		uint32_t bytes = c.structure.len;
		assert_int_equal(bob_content_plain(&c), BOB_OK);
		changed += c.structure.len != bytes;
		uint64_t *got = values_of(&c, &got_count, &got_last);
		assert_int_equal(want_count, got_count);
		if (seed % 2)
			assert_int_equal(want_last, got_last);
		assert_memory_equal(want, got, want_count * sizeof(*want));
		free(want);
		free(got);
		bob_content_free(&c);
	}
	assert_in_range(changed, 100 / share_every(), 2000);
}

/* Each participant's numbers without a rule, some of them equal or in step: one structure for all,
 * so one group. */
static void test_one_group(void **state)
{
	struct bob_folded *all = NULL;
	uint32_t column = 0, groups = 0;

	(void)state;
	for (uint64_t id = 0; id < 24; id++) {
		struct events e;
		struct bob_folded *f, *both;
		uint64_t number[6];

		state_of_draw = id * 3 + 1;
		for (int i = 0; i < 6; i++)
			number[i] = draw(5);
		number[5] = number[0] + 7; /* not all equal */
		events_begin(&e);
		for (int t = 0; t < 40; t++)
			for (int i = 0; i < 18; i++)
				put(&e, number[i / 3]);
		is_null(events_end(&e), &e, id);
		assert_int_equal(bob_folded_open(e.out.at, e.out.len, id, &events_alloc, &f),
				 BOB_OK);
		if (all) {
			assert_int_equal(bob_folded_merge(all, f, &events_alloc, &both), BOB_OK);
			bob_folded_close(all);
			bob_folded_close(f);
			f = both;
		}
		all = f;
		is_null(events_same(&e, all, (uint32_t)id), &e, id);
		events_free(&e);
	}
	for (uint32_t i = all->column[column]; i; i = all->sharing[i - 1].next)
		groups++;
	bob_folded_close(all);
	assert_in_range(groups, 1, 3);
}

/* --- bytes that no writer makes --- */

static bob_status read_bytes(const uint8_t *bytes, size_t len)
{
	struct bob_content c = { .structure.alloc = events_alloc };
	const struct bob_fold_bytes b = { bytes, len };
	bob_status st = bob_content_read(&c, &b, 0);

	bob_content_free(&c);
	return st;
}

static void test_hostile(void **state)
{
	/* a pattern of two values, 1 and 3, four times; the same cut short, with a child too few,
	 * too deep, of too many */
	static const uint8_t good[] = { 18, 0, 0, 2, 4, 8, 0, 0, 0, 6 };
	uint8_t deep[] = { 17, 17, 17, 17, 17, 17, 17, 0, 2, 2, 2, 2, 2, 2, 2, 2 };
	static const uint8_t many[] = { 81, 0, 0 }, none_of[] = { 16, 0, 0, 0 };

	(void)state;
	assert_int_equal(read_bytes(good, sizeof(good)), BOB_OK);
	for (size_t len = 1; len < 8; len++)
		assert_int_equal(read_bytes(good, len), BOB_ERR_CORRUPT);
	assert_int_equal(read_bytes(deep, sizeof(deep)), BOB_ERR_CORRUPT);
	assert_int_equal(read_bytes(many, sizeof(many)), BOB_ERR_CORRUPT);
	assert_int_equal(read_bytes(none_of, sizeof(none_of)), BOB_ERR_CORRUPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),	  cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_any),	  cmocka_unit_test(test_every_end),
		cmocka_unit_test(test_content),	  cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_plain), cmocka_unit_test(test_one_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
