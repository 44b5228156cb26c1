/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks of synchronisation by object: the rows have all marks that reading them one by one gives,
 * whether objects are pieces, walked or at once, or follow no rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../golden/traces.h"
#include "analysis/memory/syncs.h"

#define OBJECTS 4096

/* Of one kind: marks, different objects, threads. */
struct naive {
	uint64_t marks, threads, object[OBJECTS];
	size_t objects;
};

static void note(struct naive *n, uint64_t object, int is_new_thread)
{
	size_t i = 0;

	n->marks++;
	n->threads += (uint64_t)is_new_thread;
	while (i < n->objects && n->object[i] != object)
		i++;
	assert_true(i < OBJECTS);
	n->object[i] = object;
	n->objects += i == n->objects;
}

static void read_thread(const struct bob_trace *t, uint32_t thread, struct naive *kinds)
{
	uint8_t seen[BOB_SYNC_KIND_COUNT] = { 0 };
	struct bob_access_cursor *c;
	struct bob_access none;
	size_t n;

	assert_int_equal(bob_access_cursor_open(t, thread, &c, NULL), BOB_OK);
	bob_access_cursor_stop_at_syncs(c, 1);
	while (bob_access_cursor_read(c, &none, 1, &n, NULL) == BOB_NONE) {
		struct bob_sync_event e;

		bob_access_cursor_sync(c, &e);
		note(&kinds[e.kind], e.object, !seen[e.kind]);
		seen[e.kind] = 1;
	}
	bob_access_cursor_close(c);
}

/* Of a trace without call sites: rows of one kind differ by variable only. */
static void check(const struct build *files, size_t count, uint64_t marks)
{
	struct naive *kinds = calloc(BOB_SYNC_KIND_COUNT, sizeof(*kinds));
	uint64_t rows_marks[BOB_SYNC_KIND_COUNT] = { 0 }, rows_objects[BOB_SYNC_KIND_COUNT] = { 0 };
	uint64_t most[BOB_SYNC_KIND_COUNT] = { 0 }, all = 0, before = ~0ull;
	struct bob_memory_file file[4];
	uint32_t threads[8], n;
	struct bob_sync_table *table;
	const struct bob_sync_row *row;
	struct bob_trace *t;
	size_t rows;

	assert_non_null(kinds);
	for (size_t i = 0; i < count; i++)
		file[i] = (struct bob_memory_file){ files[i].name, files[i].bytes, files[i].len };
	assert_int_equal(bob_archive_open_memory(file, count, &t, NULL), BOB_OK);
	n = bob_trace_thread_count(t);
	for (uint32_t i = 0; i < n; i++) {
		read_thread(t, i, kinds);
		threads[i] = i;
	}
	assert_int_equal(bob_sync_table_create(t, threads, n, &table, NULL), BOB_OK);
	row = bob_sync_table_rows(table, &rows);
	for (size_t i = 0; i < rows; i++) {
		assert_int_equal(row[i].site_image, ~0u);
		assert_true(row[i].total <= before);
		before = row[i].total;
		rows_marks[row[i].kind] += row[i].count;
		rows_objects[row[i].kind] += row[i].objects;
		if (row[i].threads > most[row[i].kind])
			most[row[i].kind] = row[i].threads;
		all += row[i].count;
	}
	for (uint32_t k = 1; k < BOB_SYNC_KIND_COUNT; k++) {
		assert_int_equal(rows_marks[k], kinds[k].marks);
		assert_int_equal(rows_objects[k], kinds[k].objects);
		assert_true(most[k] <= kinds[k].threads && (most[k] > 0) == (kinds[k].marks > 0));
	}
	assert_int_equal(all, marks);
	bob_sync_table_destroy(table);
	bob_trace_close(t);
	free(kinds);
}

static const struct bob_sync_row *find(const struct bob_sync_row *row, size_t rows, uint32_t kind,
				       const char *name)
{
	for (size_t i = 0; i < rows; i++)
		if (row[i].kind == kind && !strcmp(row[i].name, name))
			return &row[i];
	return NULL;
}

static void test_golden(void **state)
{
	const uint32_t thread[2] = { 1, 2 };
	struct bob_memory_file file[3];
	struct golden g = { .count = 0 };
	const struct bob_sync_row *row, *lock, *arrive;
	struct bob_sync_table *table;
	struct bob_trace *t;
	size_t rows;

	(void)state;
	golden_syncs_trace(&g);
	/* 2 threads made; 100 times lock and unlock; 25 kinds once; 5 rounds of 3; 4 regions */
	check(g.files, g.count, 2 * 3 + 2 * 100 + 27 + 5 * 6 + 4 * 10);
	for (size_t i = 0; i < g.count; i++)
		file[i] = (struct bob_memory_file){ g.files[i].name, g.files[i].bytes,
						    g.files[i].len };
	assert_int_equal(bob_archive_open_memory(file, g.count, &t, NULL), BOB_OK);
	assert_int_equal(bob_sync_table_create(t, thread, 2, &table, NULL), BOB_OK);
	row = bob_sync_table_rows(table, &rows);
	lock = find(row, rows, BOB_SYNC_LOCK, "lock");
	assert_non_null(lock);
	assert_int_equal(lock, row);	/* the most used one is first */
	assert_string_equal(lock->what, "mutex");
	assert_string_equal(lock->image, "kernel");
	assert_int_equal(lock->where, BOB_SYNC_VARIABLE);
	assert_int_equal(lock->threads, 2);
	assert_int_equal(lock->objects, 1);
	arrive = find(row, rows, BOB_SYNC_ARRIVE, "lock"); /* 40 bytes of it, from 0x4040 on */
	assert_non_null(arrive);
	assert_int_equal(arrive->count, 10);
	bob_sync_table_destroy(table);
	bob_trace_close(t);
	golden_free(&g);
}

/* One thread takes locks in a triangle, the other any of nine; and one that never moves, very
 * often. */
static void test_shapes(void **state)
{
	struct sync_program *p = calloc(1, sizeof(*p));
	struct build b;

	(void)state;
	assert_non_null(p);
	golden_memory_images(&b, 800);
	p->b = &b;
	sync_descs(p);
	sync_threads(p);
	for (uint64_t i = 0; i < 40; i++) {
		for (uint64_t k = 0; k < i; k++)
			sync_turn(p, 1, BOB_SYNC_LOCK, 0x7f0000001000 + 64 * k);
		sync_turn(p, 1, BOB_SYNC_SEM_POST, 0x7f0000000000);
	}
	for (uint64_t i = 0; i < 500; i++) {
		p->random = p->random * 6364136223846793005u + 1442695040888963407u;
		sync_turn(p, 2, BOB_SYNC_SPIN_LOCK, 0x7f0000002000 + 8 * ((p->random >> 33) % 9));
		sync_turn(p, 2, BOB_SYNC_SEM_WAIT, 0x7f0000000000);
	}
	for (uint64_t i = 0; i < 300000; i++)
		sync_mark(p, 1, BOB_SYNC_SHARE, 0, 0);
	folded_end(&p->folded[1]);
	folded_end(&p->folded[2]);
	build_mem_raw(&b, 0, MEM_WORDS(MEM_HEAD(BOB_SYNC_SHARE), 3), 0, MEM_SEALED);
	bob_file_end(build_head(&b), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	check(&b, 1, 40 * 39 / 2 + 40 + 1000 + 300000 + 1);
	build_free(&b);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
