/* SPDX-License-Identifier: BSD-3-Clause */
/* Events with values of several processes, merged: each thread's come back as they were, and
 * statistics of their times add up -- whatever the order, at once or one by one, ended or
 * killed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../golden/events.h"
#include "event_text.h"

#define RANKS 5u
#define KILLED 2u		/* with folded events and a log */
#define LOGGED 3u		/* killed when it had a log only */

static struct build apart[RANKS],
	alone[RANKS]; /* as they were recorded; threads merged where the process was killed */

/* Rank 4 has one thread, the others have two; two ranks have the same images in the same order. */
static void build_process_of(struct build *p, uint32_t rank)
{
	uint32_t ranks[2] = { rank, RANKS };
	struct events_thread t;
	struct bob_meta meta;
	uint8_t buf[64];

	golden_memory_two_images(p, 700 + rank, rank % 2, 0x1000ull * rank);
	bob_meta_init(&meta, buf, sizeof(buf));
	bob_meta_put(&meta, BOB_REC_RANK, ranks, sizeof(ranks));
	build_sealed(p, BOB_CHUNK_META, 0, buf, meta.len);
	for (uint32_t i = 0; i < 1 + (rank != 4); i++) {
		events_begin(&t, p, "thread", rank % 2, 3 + rank * i);
		if (rank == 1)
			events_many(&t);
		events_rounds(&t, rank == KILLED && !i ? 230 : 10 + rank);
		if (rank == KILLED || rank == LOGGED) {
			events_hang(&t, i ? EVENT_WAITALL : EVENT_SPLIT, 3, 7, 1);
			events_killed(&t);
		} else {
			events_end(&t);
		}
	}
	if (rank != KILLED && rank != LOGGED)
		bob_file_end(build_head(p), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
}

static int set_up(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < RANKS; i++) {
		build_process_of(&apart[i], i);
		if (i == KILLED || i == LOGGED)
			build_merged(&apart[i], &alone[i]);
		else
			alone[i] = apart[i];
	}
	return 0;
}

static struct bob_trace *open_files(const struct build *from, size_t count)
{
	static struct bob_memory_file file[RANKS];
	struct bob_trace *t;

	for (size_t i = 0; i < count; i++)
		file[i] = (struct bob_memory_file){ from[i].name, from[i].bytes, from[i].len };
	assert_int_equal(bob_archive_open_memory(file, count, &t, NULL), BOB_OK);
	assert_int_equal(bob_trace_problem_count(t), 0);
	return t;
}

/* The moments of all events say what the statistics say. */
static void expect_sums(const struct bob_trace *t)
{
	struct pairs *all = pairs_of(t);
	uint64_t interval = 0, duration = 0, count = 0;

	for (size_t i = 0; i < all->count; i++) {
		interval += all->at[i].interval.sum_ns;
		duration += all->at[i].duration.sum_ns;
		count += all->at[i].count;
	}
	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		struct bob_span_cursor *c;
		struct bob_value_span s;

		assert_int_equal(bob_span_cursor_open(t, i, BOB_VALUES_MPI, &c, NULL), BOB_OK);
		while (bob_span_cursor_next(c, &s, NULL) == BOB_OK) {
			interval -= s.open ? 0 : s.interval_ns;
			duration -= s.end_ns - s.begin_ns;
			count -= !s.open;
		}
		bob_span_cursor_close(c);
	}
	assert_int_equal(interval, 0);
	assert_int_equal(duration, 0);
	assert_int_equal(count, 0);
	free_pairs(all);
}

/* --- tests --- */

/* `from` in one file: nothing of it has changed. */
static void check_files(const struct build *from, size_t count)
{
	struct bob_trace *was = open_files(apart, RANKS), *is;
	struct build merged;

	build_trace(from, count, &merged);
	is = open_files(&merged, 1);
	assert_int_equal(bob_trace_process_count(is), RANKS);
	expect_same(was, is);
	expect_sums(was);
	expect_sums(is);
	bob_trace_close(is);
	bob_trace_close(was);
	build_free(&merged);
}

static void test_at_once(void **state)
{
	(void)state;
	check_files(alone, RANKS);
}

/* Threads first, each process by itself. */
static void test_threads(void **state)
{
	struct build own[RANKS];
	struct bob_trace *was = open_files(apart, RANKS), *is;

	(void)state;
	for (uint32_t i = 0; i < RANKS; i++)
		build_merged(&apart[i], &own[i]);
	is = open_files(own, RANKS);
	expect_same(was, is);
	bob_trace_close(is);
	bob_trace_close(was);
	check_files(own, RANKS);
	for (uint32_t i = 0; i < RANKS; i++)
		build_free(&own[i]);
}

/* The same bytes, in whatever order the files are found. */
static void test_order(void **state)
{
	struct build turned[RANKS], a, b;

	(void)state;
	build_trace(alone, RANKS, &a);
	for (uint32_t i = 0; i < RANKS; i++)
		turned[i] = alone[(3 * i + 2) % RANKS];
	build_trace(turned, RANKS, &b);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.bytes, b.bytes, a.len);
	build_free(&a);
	build_free(&b);
}

/* Those that have been merged, and one that came late -- each of them in turn. */
static void test_late(void **state)
{
	(void)state;
	for (uint32_t late = 0; late < RANKS; late++) {
		struct build others[RANKS], two[2];
		uint32_t n = 0;

		for (uint32_t i = 0; i < RANKS; i++)
			if (i != late)
				others[n++] = alone[i];
		build_trace(others, n, &two[0]);
		two[1] = alone[late];
		check_files(two, 2);
		build_free(&two[0]);
	}
}

/* Killed, with a log only: it is there, and that it hung, too. */
static void test_log_only(void **state)
{
	struct bob_trace *t = open_files(&alone[LOGGED], 1);
	char *text = text_of(t);

	(void)state;
	assert_non_null(strstr(text, "+200c open\n"));
	assert_non_null(strstr(text, "process 0 thread 1\n"));
	free(text);
	bob_trace_close(t);
}

/* Killed between the bin and the count, every one of them: what is merged can be read, and counts
 * what was counted. */
static void bump_bins(struct build *b)
{
	for (uint64_t off = BOB_FILE_HEAD_BYTES; off < b->len;) {
		struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(b->bytes + off);
		struct bob_time_slot *s = bob_chunk_data(c);

		for (uint64_t i = 0; c->kind == BOB_CHUNK_TIMES && i < c->len / sizeof(*s); i++)
			s[i].interval.bin[2]++;
		off += bob_chunk_bytes(c->size);
	}
}

static void test_half_counted(void **state)
{
	struct build half[RANKS], merged;
	struct bob_trace *was, *is;

	(void)state;
	for (uint32_t i = 0; i < RANKS; i++) {
		build_process_of(&half[i], i);
		bump_bins(&half[i]);
		bob_file_end(build_head(&half[i]), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	}
	build_trace(half, RANKS, &merged);
	was = open_files(half, RANKS);
	is = open_files(&merged, 1);
	expect_same(was, is);
	bob_trace_close(was);
	bob_trace_close(is);
	build_free(&merged);
	for (uint32_t i = 0; i < RANKS; i++)
		build_free(&half[i]);
}

/* A definition with a number that so small a file cannot have come to: memory for all before it is
 * not taken. */
static void test_far_number(void **state)
{
	struct build b;
	struct bob_memory_file file;
	struct bob_trace *t;

	(void)state;
	build_process_of(&b, 0);
	for (uint64_t off = BOB_FILE_HEAD_BYTES; off < b.len;) {
		struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(b.bytes + off);
		uint64_t *v = bob_chunk_data(c);

		if (c->kind == BOB_CHUNK_EVENT_DEFS)
			v[0] |= BOB_EVENT_NUMBER_MAX - 1;
		off += bob_chunk_bytes(c->size);
	}
	file = (struct bob_memory_file){ b.name, b.bytes, b.len };
	assert_int_equal(bob_archive_open_memory(&file, 1, &t, NULL), BOB_OK);
	assert_int_equal(bob_trace_problem_count(t), 2);
	assert_string_equal(bob_trace_problem(t, 0)->text, "a definition of events is damaged");
	bob_trace_close(t);
	build_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once),	 cmocka_unit_test(test_threads),
		cmocka_unit_test(test_order),	 cmocka_unit_test(test_late),
		cmocka_unit_test(test_log_only), cmocka_unit_test(test_half_counted),
		cmocka_unit_test(test_far_number),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
