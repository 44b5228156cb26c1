/* SPDX-License-Identifier: BSD-3-Clause */
/* What few threads do leaves a trace of several processes: threads of all of them are counted, and
 * nothing else goes. The processes are those of the golden trace `ranks`: two threads each in the
 * first three, the first rank's have loops besides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../golden/traces.h"
#include "archive/reader.h"

#define RANKS 4u
#define THREADS 6u
#define EVENTS 4096

struct thread {
	struct bob_access a[EVENTS];
	size_t count;
};

static void read_thread(const struct bob_trace *t, uint32_t thread, struct thread *to)
{
	struct bob_access_cursor *c;
	bob_status st;
	size_t n;

	to->count = 0;
	assert_int_equal(bob_access_cursor_open(t, thread, &c, NULL), BOB_OK);
	while ((st = bob_access_cursor_read(c, to->a + to->count, 64, &n, NULL)) == BOB_OK) {
		to->count += n;
		assert_true(to->count + 64 <= EVENTS);
	}
	assert_int_equal(st, BOB_END);
	bob_access_cursor_close(c);
}

static struct bob_trace *open_files(const struct build *b, size_t count)
{
	struct bob_memory_file file[RANKS];
	struct bob_trace *t;

	for (size_t i = 0; i < count; i++)
		file[i] = (struct bob_memory_file){ b[i].name, b[i].bytes, b[i].len };
	assert_int_equal(bob_archive_open_memory(file, count, &t, NULL), BOB_OK);
	assert_int_equal(bob_trace_problem_count(t), 0);
	return t;
}

static void merge(const struct build *from, size_t count, uint32_t below, struct build *to)
{
	struct bob_trace *t = open_files(from, count);
	uint8_t is_in[RANKS];
	FILE *f = tmpfile();

	assert_int_equal(bob_archive_merge_processes(t, below, f, is_in, NULL), BOB_OK);
	bob_trace_close(t);
	build_of_file(f, "trace.bob", to);
}

static int is_rare(const struct bob_access *a)
{
	uint64_t number = (a->pc - 0x1000) / 0x40; /* folded.h */

	return number == FOLD_LOOP || number == FOLD_GATHER;
}

/* Every thread of `after` has what it had, or, if it is of the first rank and `rare` is 0, that
 * without the loops. */
static void check(const struct build *before, const struct build *after, int rare)
{
	struct bob_trace *t = open_files(before, 1), *u = open_files(after, 1);
	static struct thread want, got;

	assert_int_equal(bob_trace_process_count(u), RANKS);
	assert_int_equal(bob_trace_thread_count(u), THREADS);
	for (uint32_t i = 0; i < THREADS; i++) {
		size_t n = 0, gone = 0;

		read_thread(t, i, &want);
		read_thread(u, i, &got);
		for (size_t k = 0; k < want.count; k++) {
			if (!rare && is_rare(&want.a[k]))
				gone++;
			else
				want.a[n++] = want.a[k];
		}
		assert_int_equal(gone > 0, i < 2 && !rare);
		assert_int_equal(got.count, n);
		assert_memory_equal(got.a, want.a, n * sizeof(*got.a));
	}
	bob_trace_close(t);
	bob_trace_close(u);
}

static void check_loss(const struct build *b, const char *want)
{
	struct bob_trace *t = open_files(b, 1);

	for (uint32_t i = 0; i < RANKS; i++) {
		const char *const *loss = bob_trace_process(t, i)->loss;

		if (want) {
			assert_string_equal(loss[0], want);
			assert_null(loss[1]);
		} else {
			assert_null(loss[0]);
		}
	}
	bob_trace_close(t);
}

static size_t stream_bytes(const struct build *b)
{
	struct bob_trace_sizes sizes;
	struct bob_trace *t = open_files(b, 1);

	bob_trace_sizes(t, &sizes);
	bob_trace_close(t);
	return sizes.stream_bytes;
}

/* Those of the loops are not there, others are. */
static void check_descs(const struct build *b)
{
	struct bob_trace *t = open_files(b, 1);
	uint32_t count = 0;

	for (uint32_t number = 0; number < 2 * FOLD_DESCS; number++) {
		const struct bob_mem_desc *d = bob_common_desc(t->commons[0], number);

		assert_true(!d || d->kind != BOB_MEM_LOOP);
		count += d != NULL;
	}
	assert_int_equal(count, 6); /* A, B, C, D and two calls */
	bob_trace_close(t);
}

static void test_all_processes(void **state)
{
	static const struct {
		uint32_t below;
		int rare;	/* what two threads do stays */
		const char *loss;
	} cases[] = {
		{ 0, 1, NULL },
		{ 1, 1, "drop-below=1 over 4 processes" },
		{ 2, 1, "drop-below=2 over 4 processes" },
		{ 3, 0, "drop-below=3 over 4 processes" },
		{ 6, 0, "drop-below=6 over 4 processes" },
		{ 7, 0, "drop-below=7 over 4 processes" }, /* there are only six */
	};
	struct build rank[RANKS], exact;

	(void)state;
	for (uint32_t i = 0; i < RANKS; i++)
		build_rank(&rank[i], i);
	merge(rank, RANKS, 0, &exact);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct build few;

		merge(rank, RANKS, cases[i].below, &few);
		check(&exact, &few, cases[i].rare);
		check_loss(&few, cases[i].loss);
		assert_int_equal(stream_bytes(&few) < stream_bytes(&exact), !cases[i].rare);
		build_free(&few);
	}
	build_free(&exact);
	for (uint32_t i = 0; i < RANKS; i++)
		build_free(&rank[i]);
}

/* Merged already: the same, and descriptors that no record names are not kept. */
static void test_merged_already(void **state)
{
	struct build exact, few, twice;
	struct bob_trace *t, *u;
	uint8_t is_in[RANKS];
	FILE *f = tmpfile();

	(void)state;
	golden_ranks_files(&exact);
	merge(&exact, 1, 3, &few);
	check(&exact, &few, 0);
	check_descs(&few);
	t = open_files(&exact, 1);
	assert_int_equal(bob_archive_merge_processes(t, 0, f, is_in, NULL), BOB_NONE);
	bob_trace_close(t);
	fclose(f);
	merge(&few, 1, 3, &twice);
	check(&few, &twice, 1); /* nothing is left that is rare */
	u = open_files(&twice, 1);
	assert_string_equal(bob_trace_process(u, 0)->loss[0], "drop-below=3 over 4 processes");
	assert_string_equal(bob_trace_process(u, 0)->loss[1], "drop-below=3 over 4 processes");
	bob_trace_close(u);
	build_free(&exact);
	build_free(&few);
	build_free(&twice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_processes),
		cmocka_unit_test(test_merged_already),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
