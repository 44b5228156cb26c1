/* SPDX-License-Identifier: BSD-3-Clause */
/* Cursors of a trace with a limit give the first events and no others, and are counted if they
 * have more: each kind of cursor, on all golden traces. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../golden/traces.h"
#include "bobbin/trace.h"

enum kind { CALLS, ACCESSES, VALUES, SPANS, KINDS };

static struct bob_trace *open_golden(const char *name)
{
	const char *dir = getenv("BOBBIN_SOURCE");
	struct bob_trace *t;
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/golden/v1/%s", dir ? dir : ".", name);
	assert_int_equal(bob_trace_open(path, &t, NULL), BOB_OK);
	return t;
}

/* How many events a cursor of the thread gives; *sum is a hash of them. */
static uint64_t count(const struct bob_trace *t, uint32_t thread, enum kind kind, uint64_t first,
		      uint64_t *sum)
{
	struct bob_access_cursor *accesses;
	struct bob_value_cursor *values;
	struct bob_span_cursor *spans;
	struct bob_cursor *calls;
	struct bob_access a[7];
	struct bob_value_event v;
	struct bob_value_span s;
	struct bob_event e;
	uint64_t n = 0, given = 0;
	size_t got;

#define TAKE(x) (given++ < first ? (void)(*sum = *sum * 31 + (x)) : (void)0)
	*sum = 0;
	if (kind == CALLS && bob_cursor_open(t, thread, &calls, NULL) == BOB_OK) {
		for (; bob_cursor_next(calls, &e, NULL) == BOB_OK; n++)
			TAKE(e.pos ^ e.id);
		bob_cursor_close(calls);
	} else if (kind == ACCESSES &&
		   bob_access_cursor_open(t, thread, &accesses, NULL) == BOB_OK) {
		while (bob_access_cursor_read(accesses, a, 7, &got, NULL) == BOB_OK)
			for (size_t i = 0; i < got; i++, n++)
				TAKE(a[i].address ^ a[i].pc);
		bob_access_cursor_close(accesses);
	} else if (kind == VALUES &&
		   bob_value_cursor_open(t, thread, BOB_VALUES_MPI, &values, NULL) == BOB_OK) {
		for (; bob_value_cursor_next(values, &v, NULL) == BOB_OK; n++)
			TAKE(v.words ? v.word[v.words - 1] : 7);
		bob_value_cursor_close(values);
	} else if (kind == SPANS &&
		   bob_span_cursor_open(t, thread, BOB_VALUES_MPI, &spans, NULL) == BOB_OK) {
		for (; bob_span_cursor_next(spans, &s, NULL) == BOB_OK; n++)
			TAKE(s.interval_ns ^ s.end_ns);
		bob_span_cursor_close(spans);
	}
#undef TAKE
	return n;
}

static void check_thread(struct bob_trace *t, uint32_t thread, enum kind kind, uint32_t *cut)
{
	uint64_t all, some, prefix, all_of_them, given;

	assert_int_equal(bob_trace_limit(t, 0), BOB_OK);
	all = count(t, thread, kind, UINT64_MAX, &all_of_them);
	for (uint64_t limit = 1; limit <= 9; limit += 4) {
		const uint64_t before = bob_trace_limited(t);

		assert_int_equal(bob_trace_limit(t, limit), BOB_OK);
		given = count(t, thread, kind, UINT64_MAX, &some);
		if (kind != ACCESSES) { /* there, marks count, too */
			assert_int_equal(given, all < limit ? all : limit);
			assert_int_equal(bob_trace_limited(t) > before, all > limit);
		}
		assert_true(given <= limit);
		assert_int_equal(bob_trace_limit(t, 0), BOB_OK);
		count(t, thread, kind, given, &prefix);
		assert_int_equal(some, prefix);
		*cut += given > 0 && all > limit;
	}
	/* as many as there are */
	if (all && kind != ACCESSES) {
		const uint64_t before = bob_trace_limited(t);

		assert_int_equal(bob_trace_limit(t, all), BOB_OK);
		assert_int_equal(count(t, thread, kind, UINT64_MAX, &some), all);
		assert_int_equal(some, all_of_them);
		assert_int_equal(bob_trace_limited(t), before);
	}
}

static void test_limit(void **state)
{
	uint32_t cut[KINDS] = { 0 };

	(void)state;
	for (size_t i = 0; i < GOLDEN_TRACES; i++) {
		struct bob_trace *t = open_golden(golden_traces[i].name);

		assert_int_equal(bob_trace_limited(t), 0);
		for (uint32_t k = 0; k < bob_trace_thread_count(t); k++)
			for (int kind = CALLS; kind < KINDS; kind++)
				check_thread(t, k, (enum kind)kind, &cut[kind]);
		bob_trace_close(t);
	}
	for (int kind = CALLS; kind < KINDS; kind++)
		assert_true(cut[kind] > 0);
}

static void test_folded(void **state)
{
	struct bob_trace *t = open_golden("folded");
	const uint64_t n = bob_trace_accesses(t, 0);

	(void)state;
	/* what is read in its folded form has no limit */
	assert_int_equal(bob_trace_limit(t, 1), BOB_OK);
	assert_int_equal(bob_trace_accesses(t, 0), n);
	assert_int_equal(bob_trace_limited(t), 0);
	bob_trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_folded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
