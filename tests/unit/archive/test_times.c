/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of times: what is counted is what came; the order of adding does not matter; to bytes
 * and back; hostile bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "archive/merge/merging.h"
#include "archive/events/times.h"

#define PAIRS 50u
#define THREADS 5u

static uint64_t seed;

static uint64_t next(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 24;
}

/* --- in the traced process --- */

static struct bob_chunk_head *chunks[100];
static uint32_t chunk_count, chunk_limit;

static struct bob_chunk_head *new_chunk(void *ctx, enum bob_chunk_kind kind, uint32_t stream,
					uint64_t size, uint64_t aux, uint64_t *off)
{
	struct bob_chunk_head *c;

	(void)ctx;
	if (chunk_count == chunk_limit)
		return NULL;
	c = calloc(1, bob_chunk_bytes(size));
	bob_chunk_begin(c, kind, stream, size, aux);
	*off = 0;
	return chunks[chunk_count++] = c;
}

static void free_chunks(void)
{
	while (chunk_count)
		free(chunks[--chunk_count]);
}

static const struct bob_time_slot *slot_of(uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < chunk_count; i++) {
		const struct bob_time_slot *s = bob_chunk_data(chunks[i]);

		for (uint64_t k = 0; k < chunks[i]->len / sizeof(*s); k++)
			if (s[k].from == from && s[k].to == to)
				return &s[k];
	}
	return NULL;
}

static void test_slots(void **state)
{
	static struct {
		uint64_t count, sum, min, max, ones;
	} want[PAIRS][PAIRS];
	void *mem = calloc(1, bob_times_size());
	struct bob_times *t = bob_times_begin(mem, new_chunk, NULL, 3);

	(void)state;
	chunk_limit = 100;
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t from = (uint32_t)(next() % PAIRS), to = (uint32_t)(next() % PAIRS);
		uint64_t interval = next() >> next() % 40, duration = next() % 4;

		bob_times_add(t, from ? from : BOB_TIME_NONE, to, interval, duration);
		if (!want[from][to].count || interval < want[from][to].min)
			want[from][to].min = interval;
		if (interval > want[from][to].max)
			want[from][to].max = interval;
		want[from][to].count++;
		want[from][to].sum += interval;
		want[from][to].ones += duration == 1;
	}
	for (uint32_t from = 0; from < PAIRS; from++) {
		for (uint32_t to = 0; to < PAIRS; to++) {
			const struct bob_time_slot *s = slot_of(from ? from : BOB_TIME_NONE, to);

			assert_true(s || !want[from][to].count);
			if (!s)
				continue;
			assert_int_equal(s->count, want[from][to].count);
			assert_int_equal(s->interval.sum, want[from][to].sum);
			assert_int_equal(s->interval.min, want[from][to].min);
			assert_int_equal(s->interval.max, want[from][to].max);
			assert_int_equal(s->duration.bin[1], want[from][to].ones);
		}
	}
	assert_int_equal(bob_times_left_out(t), 0);
	free_chunks();
	free(mem);
}

/* No space in the file: existing pairs continue, the rest is counted. */
static void test_full(void **state)
{
	void *mem = calloc(1, bob_times_size());
	struct bob_times *t = bob_times_begin(mem, new_chunk, NULL, 3);

	(void)state;
	chunk_limit = 1;
	for (uint32_t i = 0; i < 100; i++)
		bob_times_add(t, 0, i % 20, i, i);
	assert_int_equal(chunks[0]->len, 8 * sizeof(struct bob_time_slot));
	assert_int_equal(bob_times_left_out(t), 5 * 12);
	assert_int_equal(slot_of(0, 7)->count, 5);
	free_chunks();
	free(mem);
}

/* --- rows --- */

static void take(struct bob_time_sums *s, uint64_t count, uint64_t ns)
{
	struct bob_time_sums one = { .min = ns, .max = ns, .sum = ns };
	unsigned __int128 square = (unsigned __int128)ns * ns;

	one.square[0] = (uint64_t)square;
	one.square[1] = (uint64_t)(square >> 64);
	one.bin[bob_time_bin(ns)] = 1;
	bob_time_sums_add(s, count, &one);
}

/* Rows of a thread; each pair comes 0 to 3 times. */
static void thread_rows(uint32_t thread, struct bob_time_row *row)
{
	seed = thread + 1;
	for (uint32_t i = 0; i < PAIRS; i++) {
		memset(&row[i], 0, sizeof(row[i]));
		row[i].from = i % 7 ? i % 7 : BOB_TIME_NO_SHAPE;
		row[i].to = i / 7;
		row[i].interval_of = row[i].duration_of =
			(struct bob_time_extremes){ thread, thread };
		for (uint64_t n = next() % 4; n; n--) {
			take(&row[i].interval, row[i].count, next() >> next() % 40);
			take(&row[i].duration, row[i].count, next() % 3 ? ~0ull >> 3 : 5);
			row[i].count++;
		}
	}
}

static void make_rows(struct bob_time_rows *r, uint32_t first, uint32_t step)
{
	struct bob_time_row row[PAIRS];

	memset(r, 0, sizeof(*r));
	for (uint32_t t = 0; t < THREADS; t++) {
		thread_rows((first + t * step) % THREADS, row);
		for (uint32_t i = 0; i < PAIRS; i++)
			assert_int_equal(bob_time_rows_add(r, &row[(i * step + first) % PAIRS]),
					 BOB_OK);
	}
	bob_time_rows_finish(r);
}

static void test_order(void **state)
{
	struct bob_time_rows a, b;
	struct bob_bytes x = { 0 }, y = { 0 };

	(void)state;
	make_rows(&a, 0, 1);
	make_rows(&b, 3, 3);
	bob_time_rows_pack(&a, &x);
	bob_time_rows_pack(&b, &y);
	assert_int_equal(x.len, y.len);
	assert_memory_equal(x.at, y.at, x.len);
	free(x.at);
	free(y.at);
	bob_time_rows_free(&a);
	bob_time_rows_free(&b);
}

static void test_bytes(void **state)
{
	struct bob_time_rows a, b;
	struct bob_bytes x = { 0 };

	(void)state;
	make_rows(&a, 0, 1);
	bob_time_rows_pack(&a, &x);
	assert_int_equal(bob_time_rows_unpack(x.at, x.len, PAIRS, THREADS, &b), BOB_OK);
	assert_int_equal(a.count, b.count);
	assert_memory_equal(a.row, b.row, a.count * sizeof(*a.row));
	bob_time_rows_free(&b);
	assert_int_equal(bob_time_rows_unpack(x.at, x.len, 3, THREADS, &b), BOB_ERR_CORRUPT);
	assert_int_equal(bob_time_rows_unpack(x.at, x.len, PAIRS, 2, &b), BOB_ERR_CORRUPT);
	for (size_t n = 0; n < x.len; n++)
		assert_int_equal(bob_time_rows_unpack(x.at, n, PAIRS, THREADS, &b),
				 BOB_ERR_CORRUPT);
	for (size_t n = 0; n < 8 * x.len; n++) { /* whatever comes out of it, memory is safe */
		x.at[n / 8] ^= (uint8_t)(1 << n % 8);
		if (bob_time_rows_unpack(x.at, x.len, PAIRS, THREADS, &b) == BOB_OK)
			bob_time_rows_free(&b);
		x.at[n / 8] ^= (uint8_t)(1 << n % 8);
	}
	free(x.at);
	bob_time_rows_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
