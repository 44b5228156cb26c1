/* SPDX-License-Identifier: BSD-3-Clause */
/* Which process a wait speaks of: pids that are used again, programs that were replaced, orphans,
 * other hosts, waits of no use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../golden/build.h"
#include "archive/reader.h"

#define FILES 16u
#define NONE ~0u

struct files {
	struct build file[FILES];
	uint32_t count;
};

static struct build *add(struct files *f, uint32_t pid, uint32_t ppid, uint32_t seq,
			 uint64_t start_ns)
{
	struct build *b = &f->file[f->count++];

	build_process(b, pid, ppid, seq, start_ns);
	return b;
}

static void waited(struct build *b, uint32_t pid, uint64_t ns, uint32_t status)
{
	const struct bob_rec_waited w = { ns, pid, status };
	uint8_t buf[64];
	struct bob_meta m;

	bob_meta_init(&m, buf, sizeof(buf));
	bob_meta_put(&m, BOB_REC_WAITED, &w, sizeof(w));
	build_sealed(b, BOB_CHUNK_META, 0, buf, m.len);
}

static struct bob_trace *open_files(struct files *f)
{
	struct bob_memory_file files[FILES];
	struct bob_trace *t;

	for (uint32_t i = 0; i < f->count; i++)
		files[i] = (struct bob_memory_file){ f->file[i].name, f->file[i].bytes,
						     f->file[i].len };
	assert_int_equal(bob_archive_open_memory(files, f->count, &t, NULL), BOB_OK);
	return t;
}

static void close_files(struct files *f, struct bob_trace *t)
{
	bob_trace_close(t);
	for (uint32_t i = 0; i < f->count; i++)
		build_free(&f->file[i]);
}

/* NONE: unknown. Processes are in order of their start. */
static void is_ended(const struct bob_trace *t, uint32_t process, uint32_t status)
{
	const struct bob_process_info *p = bob_trace_process(t, process);

	assert_int_equal(p->end_source, status == NONE ? BOB_END_UNKNOWN : BOB_END_PARENT);
	if (status != NONE)
		assert_int_equal(p->end_status, status);
}

static void test_pids_used_again(void **state)
{
	struct files f = { .count = 0 };
	struct build *parent = add(&f, 10, 1, 0, 100);
	struct bob_trace *t;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) /* of the third no end is known */
		add(&f, 20, 10, i, 1000 * (i + 1));
	waited(parent, 20, 1900, 9);
	waited(parent, 20, 1950, 7 << 8); /* another one that had no file */
	waited(parent, 20, 2900, 3 << 8);
	waited(parent, 20, 2900, 3 << 8); /* WNOWAIT, before */
	waited(parent, 20, 4900, 0x8b);
	t = open_files(&f);
	is_ended(t, 0, NONE);
	is_ended(t, 1, 9);
	is_ended(t, 2, 3 << 8);
	is_ended(t, 3, NONE);
	is_ended(t, 4, 0x8b);
	close_files(&f, t);
}

static void test_whose(void **state)
{
	struct files f = { .count = 0 };
	struct build *parent = add(&f, 10, 1, 0, 100), *b;
	struct bob_trace *t;

	(void)state;
	add(&f, 20, 10, 0, 1000);
	add(&f, 30, 20, 0, 1100); /* an orphan, adopted by its parent's parent */
	add(&f, 40, 77, 0, 1200); /* no descendant */
	b = add(&f, 50, 10, 0, 1300); /* replaced by what is not recorded */
	build_head(b)->state = BOB_FILE_EXEC;
	b = add(&f, 60, 10, 0, 1400); /* ended after the wait: that is of another one */
	bob_file_end(build_head(b), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	b = add(&f, 70, 10, 0, 1500); /* what it says itself is less */
	bob_file_status(build_head(b), BOB_END_SELF, 0);
	b = add(&f, 80, 10, 0, 1600); /* the launcher waited for it */
	bob_file_status(build_head(b), BOB_END_PARENT, 11);
	add(&f, 90, 10, 0, 1700); /* begins after the wait */
	for (uint32_t pid = 20; pid < 90; pid += 10)
		waited(parent, pid, 5000, 9);
	waited(parent, 90, 1650, 9);
	t = open_files(&f);
	is_ended(t, 1, 9);
	is_ended(t, 2, 9);
	is_ended(t, 3, NONE);
	is_ended(t, 4, NONE);
	is_ended(t, 5, NONE);
	is_ended(t, 6, 9);
	is_ended(t, 7, 11);
	is_ended(t, 8, NONE);
	close_files(&f, t);
}

/* A process that is its own parent's parent; records that cannot be. */
static void test_hostile(void **state)
{
	static const uint32_t impossible[] = { 0x7f, 0x137f, 0xffff, 0x80, 0x109, 0x10000, ~0u };
	struct files f = { .count = 0 };
	struct build *a = add(&f, 10, 20, 0, 100), *b = add(&f, 20, 10, 0, 100);
	uint32_t problems = 0;
	struct bob_trace *t;

	(void)state;
	for (uint32_t i = 0; i < sizeof(impossible) / sizeof(*impossible); i++)
		waited(a, 20, 200 + i, impossible[i]);
	waited(a, 0, 300, 9);
	waited(a, 0x80000000u, 300, 9);
	waited(b, 99, 300, 9);
	waited(b, 20, 300, 9); /* itself: it is a descendant of its own */
	t = open_files(&f);
	is_ended(t, 0, NONE);
	for (uint32_t i = 0; i < bob_trace_problem_count(t); i++)
		problems +=
			!strcmp(bob_trace_problem(t, i)->text, "a record of a wait is impossible");
	assert_int_equal(problems, sizeof(impossible) / sizeof(*impossible) + 2);
	close_files(&f, t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pids_used_again),
		cmocka_unit_test(test_whose),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
