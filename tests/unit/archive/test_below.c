/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening one process and its descendants among those of a directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../golden/build.h"

static char base[64];

/* `parent`: as after fork, when it is not the one that the system names. */
static void put_process(const char *host, uint32_t pid, uint32_t ppid, uint32_t parent)
{
	char path[512];
	struct build b;
	FILE *f;

	build_process(&b, pid, ppid, 0, pid);
	struct bob_file_head *h = build_head(&b);
	memset(h->host, 0, sizeof(h->host));
	memcpy(h->host, host, strlen(host));
	h->parent_pid = parent;
	h->parent_seq = parent ? 0 : ~0u;
	bob_file_seal(h);
	snprintf(path, sizeof(path), "%s/p%s.%u.0.bob", base, host, pid);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(b.bytes, 1, b.len, f), b.len);
	fclose(f);
	free(b.bytes);
}

static int begin(void **state)
{
	char host[64] = "", path[80];
	FILE *f;

	(void)state;
	snprintf(base, sizeof(base), "/tmp/bob-below-XXXXXX");
	gethostname(host, sizeof(host) - 1);
	if (!mkdtemp(base))
		return -1;
	put_process(host, 204, 203, 0); /* the child comes before its parent */
	put_process(host, 300, 1, 0);
	put_process(host, 100, 1, 0);
	put_process(host, 203, 100, 0);
	put_process(host, 205, 1, 204); /* its parent has ended */
	put_process(host, 301, 300, 0);
	put_process("elsewhere", 206, 100, 0);
	snprintf(path, sizeof(path), "%s/pbad.bob", base);
	f = fopen(path, "w");
	fputs("not a trace", f);
	return fclose(f);
}

static int end(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command);
}

/* The pids, in the order of their start. */
static void has(uint32_t root, const uint32_t *pid, uint32_t count)
{
	struct bob_trace *t;

	assert_int_equal(bob_archive_open_below(base, root, &t, NULL), BOB_OK);
	assert_int_equal(bob_trace_process_count(t), count);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(bob_trace_process(t, i)->pid, pid[i]);
	assert_int_equal(bob_trace_problem_count(t), 0);
	bob_trace_close(t);
}

static void test_below(void **state)
{
	struct bob_trace *t;
	struct bob_error err;

	(void)state;
	has(100, (const uint32_t[]){ 100, 203, 204, 205 }, 4);
	has(203, (const uint32_t[]){ 203, 204, 205 }, 3);
	has(300, (const uint32_t[]){ 300, 301 }, 2);
	has(301, (const uint32_t[]){ 301 }, 1);
	assert_int_equal(bob_archive_open_below(base, 999, &t, &err), BOB_ERR_NOENT);
	assert_int_equal(bob_trace_open(base, &t, &err), BOB_OK);
	assert_int_equal(bob_trace_process_count(t), 7);
	bob_trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_below, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
