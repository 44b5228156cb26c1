/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of memory accesses, caches and synchronisation of golden traces: they have the rows of the
 * analyses, and their sums are those of the trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../golden/traces.h"
#include "analysis/cache/tables.h"
#include "analysis/memory/tables.h"

#define THREADS_MAX 64u

static const char *number_text(void *ctx, uint32_t number)
{
	snprintf(ctx, 32, "f%u", number);
	return ctx;
}

static const char *symbol_text(void *ctx, const char *name)
{
	(void)ctx;
	return name;
}

static const char *place_text(void *ctx, const struct bob_trace *t, uint32_t process,
			      uint32_t image, uint64_t pc)
{
	(void)t;
	(void)process;
	snprintf(ctx, 32, "%u:%lx", image, (unsigned long)pc);
	return ctx;
}

static char buffer[32];
static const struct bob_naming names = { number_text, number_text, symbol_text, place_text,
					 buffer };

struct opened {
	struct golden g;
	struct bob_trace *t;
	uint32_t thread[THREADS_MAX], threads;
	uint64_t accesses;
};

static void open_trace(struct opened *o, void (*make)(struct golden *g))
{
	struct bob_memory_file file[GOLDEN_FILES];

	memset(o, 0, sizeof(*o));
	make(&o->g);
	for (size_t i = 0; i < o->g.count; i++)
		file[i] = (struct bob_memory_file){ o->g.files[i].name, o->g.files[i].bytes,
						    o->g.files[i].len };
	assert_int_equal(bob_archive_open_memory(file, o->g.count, &o->t, NULL), BOB_OK);
	o->threads = bob_trace_thread_count(o->t);
	assert_true(o->threads <= THREADS_MAX);
	for (uint32_t i = 0; i < o->threads; i++) {
		o->thread[i] = i;
		o->accesses += bob_trace_accesses(o->t, i);
	}
	assert_true(o->accesses > 0);
}

static void close_trace(struct opened *o)
{
	bob_trace_close(o->t);
	golden_free(&o->g);
}

static uint64_t sum_of(const struct bob_table *t, const char *column)
{
	const size_t at = bob_table_find(t, column, strlen(column));
	uint64_t sum = 0;

	assert_int_not_equal(at, SIZE_MAX);
	for (size_t i = 0; i < bob_table_rows(t); i++)
		sum += bob_table_at(t, i)[at].count;
	return sum;
}

static void accesses_by(struct opened *o, enum bob_memory_by by)
{
	struct bob_memory *m;
	struct bob_table *t;
	size_t rows, unfolded;

	assert_int_equal(bob_memory_create(o->t, o->thread, o->threads, by, &m, NULL), BOB_OK);
	(void)bob_memory_rows(m, &rows);
	t = bob_memory_table(m, &names);
	assert_false(bob_table_is_incomplete(t));
	assert_int_equal(bob_table_rows(t), rows);
	assert_int_equal(sum_of(t, "accesses"), o->accesses);
	assert_int_equal(sum_of(t, "loads") + sum_of(t, "stores"), o->accesses);
	bob_table_destroy(t);
	(void)bob_memory_unfolded(m, &unfolded);
	t = bob_memory_unfolded_table(m, &names);
	assert_false(bob_table_is_incomplete(t));
	assert_int_equal(bob_table_rows(t), unfolded);
	bob_table_destroy(t);
	bob_memory_destroy(m);
}

static void accesses_are_all_there(void **state)
{
	void (*const make[])(struct golden * g) = { golden_memory_trace, golden_folded_trace };
	struct opened o;

	(void)state;
	for (size_t i = 0; i < sizeof(make) / sizeof(make[0]); i++) {
		open_trace(&o, make[i]);
		for (int by = BOB_MEMORY_FUNCTION; by <= BOB_MEMORY_VARIABLE; by++)
			accesses_by(&o, (enum bob_memory_by)by);
		close_trace(&o);
	}
}

static void marks_are_all_there(void **state)
{
	const struct bob_sync_row *row;
	struct bob_sync_table *s;
	struct bob_table *t;
	struct opened o;
	uint64_t marks = 0;
	size_t rows;

	(void)state;
	open_trace(&o, golden_syncs_trace);
	assert_int_equal(bob_sync_table_create(o.t, o.thread, o.threads, &s, NULL), BOB_OK);
	row = bob_sync_table_rows(s, &rows);
	for (size_t i = 0; i < rows; i++)
		marks += row[i].count;
	t = bob_syncs_table(s, &names);
	assert_false(bob_table_is_incomplete(t));
	assert_int_equal(bob_table_rows(t), rows);
	assert_int_equal(sum_of(t, "marks"), marks);
	bob_table_destroy(t);
	bob_sync_table_destroy(s);
	close_trace(&o);
}

/* Misses of the rows are those of the levels, whatever the rows are; without rows there are the
 * same columns. */
static void misses_by(struct opened *o, struct bob_functions *f, enum bob_cache_by by)
{
	const struct bob_cache_replay_options options = { 0, 0, by == BOB_CACHE_BY_VARIABLE };
	struct bob_cache_config config;
	struct bob_cache_rows rows = { .trace = o->t, .config = &config, .by = by };
	struct bob_cache_replay *replay;
	struct bob_table *t, *levels;
	size_t columns;

	assert_int_equal(bob_cache_preset("tiny", &config), BOB_OK);
	t = bob_cache_rows_table(&rows, &names);
	columns = bob_table_columns(t);
	assert_int_equal(bob_table_rows(t), 0);
	bob_table_destroy(t);
	assert_int_equal(bob_cache_replay_create(f, o->t, 0, o->thread, o->threads, &config,
						 &options, &replay, NULL),
			 BOB_OK);
	assert_int_equal(bob_cache_rows_add(&rows, replay, 0), BOB_OK);
	bob_cache_rows_finish(&rows);
	t = bob_cache_rows_table(&rows, &names);
	assert_int_equal(bob_table_columns(t), columns);
	levels = bob_cache_levels_table(&rows);
	assert_int_equal(bob_table_rows(levels), 2);
	assert_int_equal(sum_of(t, "L1") + sum_of(t, "L2"), sum_of(levels, "misses"));
	assert_true(sum_of(t, "L1") > 0);
	for (size_t i = 1; i < bob_table_rows(t); i++)
		assert_true(bob_table_at(t, i - 1)[bob_table_find(t, "L2", 2)].count >=
			    bob_table_at(t, i)[bob_table_find(t, "L2", 2)].count);
	bob_table_destroy(levels);
	bob_table_destroy(t);
	bob_cache_replay_destroy(replay);
	bob_cache_rows_fini(&rows);
}

static void misses_are_all_there(void **state)
{
	struct bob_functions *f;
	struct opened o;

	(void)state;
	open_trace(&o, golden_folded_trace);
	assert_int_equal(bob_functions_create(o.t, &f), BOB_OK);
	for (int by = BOB_CACHE_BY_FUNCTION; by <= BOB_CACHE_BY_ANY; by++)
		misses_by(&o, f, (enum bob_cache_by)by);
	bob_functions_destroy(f);
	close_trace(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_are_all_there),
		cmocka_unit_test(marks_are_all_there),
		cmocka_unit_test(misses_are_all_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
