/* SPDX-License-Identifier: BSD-3-Clause */
/* The prediction: who runs how often, what that costs, what is said to be not known; lines of
 * --assume. All costs are said here, so that what comes out can be computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "source/predict.h"

static const struct bob_predict_share all = { 1, 1, true }, none = { 0, 0, false };

static void say(struct bob_predict *p, const char *line)
{
	char why[BOB_PREDICT_WHY_BYTES];
	uint32_t column;

	if (bob_predict_assume(p, line, strlen(line), &column, why) != BOB_OK)
		fail_msg("%s: column %u: %s", line, column, why);
}

static struct bob_predict *opened(void)
{
	static const char *const lines[] = {
		"# costs", "", "cost traced 10", "cost turn 10", "cost end 0", "cost back 0",
		"cost scattered 0", "cost chance 0", "cost outside 1", "cost nest 100",
		"cost nest-access 20", "cost row 30", "cost row-access 5", "cost box 40",
		"cost box-access 6", "cost out 3", "cost out-access 2", "cost miss 7",
		"cost miss-access 4", "cost declare 50", "cost begin 0", "cost least 1",
		"cost most 2", "cost code-empty 0", "cost code-file 1000", "cost code-single 10",
		"cost code-nest 100", "  cost\tcode-nest-access 7 \r", "cost code-variable 3",
	};
	struct bob_predict *p;

	assert_int_equal(bob_predict_open(&p), BOB_OK);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		say(p, lines[i]);
	return p;
}

static struct bob_predict_total sum(struct bob_predict *p)
{
	struct bob_predict_total t;

	assert_int_equal(bob_predict_sum(p, &t), BOB_OK);
	return t;
}

static void near(double got, double want)
{
	if (got < want * 0.999999 - 1e-9 || got > want * 1.000001 + 1e-9)
		fail_msg("%g, not %g", got, want);
}

static void single(struct bob_predict *p, double times, uint32_t accesses,
		   struct bob_predict_share share)
{
	const struct bob_predict_single s = { NULL, times, accesses, share, false, false };

	bob_predict_single(p, &s);
}

static void test_span(void **state)
{
	(void)state;
	near(bob_predict_span(1, 10, 1), 10);
	near(bob_predict_span(1, 10, 4), 3);
	near(bob_predict_span(10, 1, -3), 4);
	near(bob_predict_span(10, 1, 1), 0);
	near(bob_predict_span(5, 5, -7), 1);
	near(bob_predict_span(INT64_MIN, INT64_MAX, INT64_MAX), 3);
	near(bob_predict_span(INT64_MAX, INT64_MIN, INT64_MIN), 2);
}

/* main calls f 3 times, f calls g twice and itself; g is in another file, one of its name in the
 * first file is another one. */
static void test_runs(void **state)
{
	struct bob_predict *p = opened();
	struct bob_predict_total t;

	(void)state;
	bob_predict_file(p, "a.c", BOB_PREDICT_C);
	bob_predict_unit(p, "f", BOB_PREDICT_FUNCTION);
	bob_predict_call(p, "g", 1);
	bob_predict_call(p, "f", 0.5);
	bob_predict_call(p, "g", 1);
	bob_predict_call(p, "printf", 7);
	bob_predict_unit(p, "main", BOB_PREDICT_ENTRY);
	bob_predict_call(p, "f", 3);
	bob_predict_call(p, "static_one", 1);
	bob_predict_unit(p, "static_one", BOB_PREDICT_FUNCTION);
	single(p, 1, 1, all);
	bob_predict_unit(p, "header", BOB_PREDICT_HELPER);
	single(p, 1000, 1, all);
	bob_predict_file(p, "b.c", BOB_PREDICT_C);
	bob_predict_unit(p, "g", BOB_PREDICT_FUNCTION);
	bob_predict_own(p, 2, 50);
	single(p, 4, 1, all);
	bob_predict_unit(p, "static_one", BOB_PREDICT_FUNCTION);
	single(p, 1000, 1, none);
	t = sum(p);
	near(t.singles, 6 * 4 + 1 + 1000);
	near(t.traced_least, 25);
	near(t.added_least_ns, 250 + 1000);
	near(t.own, 600);
	assert_int_equal(t.unknown_runs, 1); /* b.c's static_one */
	assert_int_equal(t.unknown_trips, 0);
	assert_string_equal(t.unknown[0].name, "static_one");
	near(t.dilation_least, 1 + 1250.0 / 1200);
	near(t.dilation_most, 1 + 1250.0 / 600);
	say(p, "runs static_one 0");
	say(p, "runs g 100");
	say(p, "baseline 1e-5");
	t = sum(p);
	near(t.singles, 400);
	assert_int_equal(t.unknown_runs, 0);
	near(t.dilation_least, 1 + 4000 / 1e4);
	near(t.dilation_most, t.dilation_least);
	bob_predict_close(p);
}

/* Recursion over two functions: the call that leads back adds nothing. */
static void test_recursion(void **state)
{
	struct bob_predict *p = opened();

	(void)state;
	bob_predict_file(p, "a.f", BOB_PREDICT_FORTRAN);
	bob_predict_unit(p, "b", BOB_PREDICT_FUNCTION);
	bob_predict_call(p, "a", 10);
	single(p, 1, 1, all);
	bob_predict_unit(p, "a", BOB_PREDICT_FUNCTION);
	bob_predict_call(p, "b", 5);
	bob_predict_unit(p, "main", BOB_PREDICT_ENTRY);
	bob_predict_call(p, "a", 2);
	near(sum(p).singles, 10);
	bob_predict_close(p);
	p = opened();
	bob_predict_file(p, "a.f", BOB_PREDICT_FORTRAN);
	bob_predict_unit(p, "a", BOB_PREDICT_FUNCTION);
	bob_predict_own(p, 1, 1);
	bob_predict_call(p, "b", 1);
	bob_predict_unit(p, "b", BOB_PREDICT_FUNCTION);
	bob_predict_call(p, "a", 1);
	single(p, 1, 1, all);
	assert_int_equal(sum(p).unknown_runs, 1); /* no unit is a root: a counts as one, once */
	near(sum(p).singles, 1);
	bob_predict_close(p);
}

/* A deep chain of calls is followed without a deep stack. */
static void test_chain(void **state)
{
	struct bob_predict *p = opened();
	char name[20];

	(void)state;
	bob_predict_file(p, "a.c", BOB_PREDICT_C);
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		bob_predict_unit(p, i ? name : "main",
				 i ? BOB_PREDICT_FUNCTION : BOB_PREDICT_ENTRY);
		snprintf(name, sizeof(name), "f%d", i + 1);
		bob_predict_call(p, name, 1);
		single(p, 1, 1, none);
	}
	near(sum(p).singles, 3000);
	bob_predict_close(p);
}

static void test_costs(void **state)
{
	struct bob_predict_nest n = { .times = 2, .rows = 20, .trips = 50, .probes = 3, .looked = 3,
				      .accesses = 4, .depth = 2, .share = { 1, 1, true } };
	struct bob_predict *p = opened();
	struct bob_predict_total t;

	(void)state;
	bob_predict_file(p, "x/a.c", BOB_PREDICT_C);
	bob_predict_unit(p, "main", BOB_PREDICT_ENTRY);
	bob_predict_nest(p, &n);
	bob_predict_variables(p, 4);
	t = sum(p);
	near(t.reported, 20 * 50 * 4);
	near(t.added_least_ns, 2 * (100 + 3 * 20) + 20 * (30 + 3 * 5));
	near(t.code_bytes, 1000 + 100 + 6 * 7 + 4 * 3);
	/* A quarter, or half of it, in a box: in all rows, or these rows. */
	n.share = (struct bob_predict_share){ 0.25, 0.5, false };
	bob_predict_file(p, "x/a.c", BOB_PREDICT_C); /* anew */
	bob_predict_unit(p, "main", BOB_PREDICT_ENTRY);
	bob_predict_nest(p, &n);
	bob_predict_declare(p, 3);
	t = sum(p);
	near(t.added_least_ns, 150 + 320 + 20 * (0.25 * 58 + 0.75 * 9));
	near(t.added_most_ns, 150 + 320 + 20 * (0.5 * 58 + 0.5 * 9));
	near(t.traced_most, 2000);
	say(p, "code 2284");
	near(sum(p).inflation, 1.5);
	/* A loop alone misses it as a whole. */
	n.rows = n.times;
	n.depth = 1;
	n.is_seen = true;
	bob_predict_file(p, "x/a.c", BOB_PREDICT_C);
	bob_predict_unit(p, "main", BOB_PREDICT_ENTRY);
	bob_predict_nest(p, &n);
	t = sum(p);
	near(t.added_least_ns, 2 * (0.25 * (160 + 58) + 0.75 * 19));
	near(t.added_most_ns, 2 * (0.5 * (160 + 58) + 0.5 * 19));
	bob_predict_close(p);
}

static void test_trips(void **state)
{
	struct bob_predict *p = opened();
	struct bob_predict_total t;

	(void)state;
	say(p, "trips a.c:7 12.5");
	say(p, "trips y/b.c:9 3");
	bob_predict_file(p, "x/a.c", BOB_PREDICT_C);
	bob_predict_unit(p, "main", BOB_PREDICT_ENTRY);
	near(bob_predict_trips(p, 7, -1), 12.5);
	near(bob_predict_trips(p, 7, 4), 12.5);
	near(bob_predict_trips(p, 8, 4), 4);
	near(bob_predict_trips(p, 9, -1), BOB_PREDICT_TRIPS);
	near(bob_predict_trips(p, 9, -1), BOB_PREDICT_TRIPS);
	near(bob_predict_trips(p, 5, -1), BOB_PREDICT_TRIPS);
	t = sum(p);
	assert_int_equal(t.unknown_trips, 2);
	assert_int_equal(t.unknown[0].line, 5);
	assert_string_equal(t.unknown[1].file, "x/a.c");
	bob_predict_file(p, "xa.c", BOB_PREDICT_C); /* no part of a name */
	near(bob_predict_trips(p, 7, 4), 4);
	near(bob_predict_trips(NULL, 7, 4), 4);
	bob_predict_close(p);
}

static void test_refuses(void **state)
{
	static const struct {
		const char *line;
		uint32_t column;
		const char *text;
	} bad[] = {
		{ "base 3", 1, "'base' is unknown" },
		{ "baseline", 9, "a number was" },
		{ "baseline -1", 10, "not '-1'" },
		{ "baseline 1 2", 12, "end of the line" },
		{ "baseline nan", 10, "not 'nan'" },
		{ "baseline 1e999", 10, "not '1e999'" },
		{ "baseline inf", 10, "not 'inf'" },
		{ "trips", 6, "FILE:LINE" },
		{ "trips a.c 3", 7, "FILE:LINE" },
		{ "trips a.c: 3", 7, "FILE:LINE" },
		{ "trips a.c:0 3", 7, "FILE:LINE" },
		{ "trips a.c:1x 3", 7, "FILE:LINE" },
		{ "trips :1 3", 7, "FILE:LINE" },
		{ "trips a.c:99999999999 3", 7, "FILE:LINE" },
		{ "trips a.c:1", 12, "a number was" },
		{ "share", 6, "a number was" },
		{ "share 1.5", 7, "from 0 to 1" },
		{ "share a.c:4 2", 13, "from 0 to 1" },
		{ "share a.c:x 1", 7, "of a condition" },
		{ "runs", 5, "name of a function" },
		{ "runs f x", 8, "not 'x'" },
		{ "cost", 5, "is no cost" },
		{ "cost trace 3", 6, "'trace' is no" },
		{ "cost c row", 11, "a number was" },
	};
	struct bob_predict *p = opened();
	char why[BOB_PREDICT_WHY_BYTES];
	uint32_t column;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(bob_predict_assume(p, bad[i].line, strlen(bad[i].line), &column,
						    why),
				 BOB_ERR_INVAL);
		if (column != bad[i].column || !strstr(why, bad[i].text))
			fail_msg("%s: column %u: %s", bad[i].line, column, why);
	}
	bob_predict_close(p);
}

/* What one language's probes cost is not what the other's do. */
static void test_languages(void **state)
{
	struct bob_predict *p = opened();

	(void)state;
	say(p, "cost fortran traced 1000");
	say(p, "cost c traced 2000");
	bob_predict_file(p, "a.c", BOB_PREDICT_C);
	bob_predict_unit(p, "main", BOB_PREDICT_ENTRY);
	single(p, 1, 1, all);
	near(sum(p).added_least_ns, 2000);
	bob_predict_file(p, "a.f", BOB_PREDICT_FORTRAN);
	bob_predict_unit(p, "program", BOB_PREDICT_ENTRY);
	single(p, 1, 1, all);
	near(sum(p).added_least_ns, 3000);
	bob_predict_close(p);
}

static void in_loop(struct bob_predict *p, struct bob_predict_loop *loop, double times,
		    struct bob_predict_share share, bool is_scattered)
{
	const struct bob_predict_single s = { loop, times, 1, share, is_scattered, false };

	bob_predict_single(p, &s);
}

static const char *const places[] = { "cost turn 20", "cost end 1000", "cost back 5000",
				      "cost scattered 300", "cost chance 70" };

static struct bob_predict *with_places(void)
{
	struct bob_predict *p = opened();

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		say(p, places[i]);
	bob_predict_file(p, "a.c", BOB_PREDICT_C);
	bob_predict_unit(p, "main", BOB_PREDICT_ENTRY);
	return p;
}

/* Alone, in turn, and not: what is in an inner loop, or is not asked for, takes no turns. */
static void test_turns(void **state)
{
	struct bob_predict *p = with_places();
	struct bob_predict_loop *l = bob_predict_loop(p, NULL, 1);

	(void)state;
	in_loop(p, l, 100, all, false);
	in_loop(p, l, 100, none, false);
	near(sum(p).added_least_ns, 100 * 10 + 100 * 1);
	in_loop(p, l, 100, all, false);
	near(sum(p).added_least_ns, 200 * 20 + 100);
	in_loop(p, l, 100, (struct bob_predict_share){ 0, 1, false }, false);
	near(sum(p).added_least_ns, 200 * 20 + 200);
	near(sum(p).added_most_ns, 300 * 20 + 100);
	bob_predict_close(p);
}

/* A loop that is all there is goes on; one that is not ends, each time. */
static void test_ends(void **state)
{
	static const struct bob_predict_share half = { 0.5, 0.5, false };
	struct bob_predict *p = with_places();
	struct bob_predict_loop *outer = bob_predict_loop(p, NULL, 1);
	struct bob_predict_loop *middle = bob_predict_loop(p, outer, 10);
	struct bob_predict_loop *inner = bob_predict_loop(p, middle, 30);
	struct bob_predict_loop *empty = bob_predict_loop(p, middle, 30);

	(void)state;
	in_loop(p, inner, 90, all, false);
	in_loop(p, empty, 0, none, false);
	near(sum(p).added_least_ns, 90 * 10);
	in_loop(p, middle, 30, half, false);
	near(sum(p).added_least_ns, 90 * 10 + 15 * 10 + 15 + 30 * 1000);
	near(sum(p).added_most_ns, sum(p).added_least_ns);
	bob_predict_close(p);
}

/* In loops over i, j, k: a[i][k] goes back when j moves on; a[j][k] and a[i][j] do not. */
static void test_back(void **state)
{
	const struct bob_predict_share half = { 0.5, 0.5, false };
	struct bob_predict *p = with_places();
	const struct bob_predict_single s = { bob_predict_loop(p, NULL, 7), 70, 1, half, false,
					      true };

	(void)state;
	assert_true(bob_predict_is_back(5, 7));
	assert_true(bob_predict_is_back(9, 11));
	assert_false(bob_predict_is_back(5, 5));
	assert_false(bob_predict_is_back(6, 7));
	assert_false(bob_predict_is_back(3, 7));
	assert_false(bob_predict_is_back(0, 7));
	assert_true(bob_predict_is_back(0x80000001, UINT32_MAX));
	bob_predict_single(p, &s);
	near(sum(p).added_least_ns, 35 * 11 + 7 * 0.5 * 5000);
	bob_predict_close(p);
}

/* Addresses without a rule cost more in the first run of the function; a box that they are in or
 * not by chance, always. */
static void test_scattered(void **state)
{
	static const struct bob_predict_share half = { 0.5, 0.5, false };
	struct bob_predict *p = with_places();
	struct bob_predict_loop *l;

	(void)state;
	bob_predict_call(p, "f", 8);
	bob_predict_unit(p, "f", BOB_PREDICT_FUNCTION);
	l = bob_predict_loop(p, NULL, 1);
	in_loop(p, l, 100, half, true);
	near(sum(p).added_least_ns, 8 * 50 * 11 + 50 * 300);
	in_loop(p, l, 100, all, false);
	near(sum(p).added_least_ns, 8 * (150 * 20 + 50 + 100 * 70) + 50 * 300);
	say(p, "runs f 0");
	near(sum(p).added_least_ns, 0);
	bob_predict_close(p);
}

/* What an earlier run had holds where the text, and who knows better, say nothing. */
static void test_profile(void **state)
{
	struct bob_predict *p = opened();

	(void)state;
	assert_int_equal(bob_predict_profile(p, "f", 7, 1, 12.5), BOB_OK);
	assert_int_equal(bob_predict_profile(p, "f", 8, 1, 3), BOB_OK);
	assert_int_equal(bob_predict_profile(p, "main", 9, 1, 4), BOB_OK);
	assert_int_equal(bob_predict_profile(p, "f", 0, 6, 0), BOB_OK);
	say(p, "trips a.c:8 2");
	bob_predict_file(p, "a.c", BOB_PREDICT_C);
	bob_predict_unit(p, "f", BOB_PREDICT_FUNCTION);
	near(bob_predict_trips(p, 7, -1), 12.5);
	near(bob_predict_trips(p, 7, 4), 4);
	near(bob_predict_trips(p, 8, -1), 2);
	single(p, 1, 1, all);
	near(sum(p).singles, 6);
	assert_int_equal(sum(p).unknown_runs, 0);
	near(bob_predict_trips(p, 9, -1), BOB_PREDICT_TRIPS);
	assert_int_equal(sum(p).unknown_trips, 1);
	bob_predict_unit(p, "", BOB_PREDICT_ENTRY); /* a program without a name */
	near(bob_predict_trips(p, 9, -1), 4);
	bob_predict_unit(p, "g", BOB_PREDICT_FUNCTION);
	bob_predict_call(p, "f", 2);
	near(sum(p).singles, 2);
	bob_predict_close(p);
}

/* How often: of loops, of those that are not in it, of functions, called by name and by pointers;
 * where trips are said, the text says it. */
static void test_profile_times(void **state)
{
	for (int is_said = 0; is_said < 2; is_said++) {
		struct bob_predict *p = opened();

		(void)state;
		assert_int_equal(bob_predict_profile(p, "f", 7, 12, 3), BOB_OK);
		assert_int_equal(bob_predict_profile(p, "f", 6, 1, 12), BOB_OK); /* around it */
		assert_int_equal(bob_predict_profile(p, "f", 0, 6, 0), BOB_OK);
		assert_int_equal(bob_predict_profile(p, "by_pointer", 30, 40, 2), BOB_OK);
		assert_int_equal(bob_predict_profile(p, "by_pointer", 20, 5, 8), BOB_OK);
		if (is_said)
			say(p, "trips b.c:1 2");
		bob_predict_file(p, "a.c", BOB_PREDICT_C);
		bob_predict_has(p, "f", 8);
		bob_predict_unit(p, "f", BOB_PREDICT_FUNCTION);
		near(bob_predict_come(p, 8, 0.5, true),
		     0.5); /* nothing says that this file was in it */
		near(bob_predict_trips(p, 8, -1), BOB_PREDICT_TRIPS);
		bob_predict_file(p, "a.c", BOB_PREDICT_C);
		bob_predict_has(p, "f", 7);
		bob_predict_unit(p, "f", BOB_PREDICT_FUNCTION);
		near(bob_predict_come(p, 7, 0.5, true), is_said ? 0.5 : 2);
		near(bob_predict_trips(p, 7, -1), 3);
		near(bob_predict_come(p, 8, 0.5, false), 0.5); /* it was no event */
		near(bob_predict_come(p, 8, 0.5, true), is_said ? 0.5 : 0);
		near(bob_predict_come(p, 8, 0.5, false), is_said ? 0.5 : 0);
		near(bob_predict_trips(p, 8, -1), is_said ? BOB_PREDICT_TRIPS : 0);
		single(p, 1, 1, all);
		bob_predict_unit(p, "main", BOB_PREDICT_ENTRY);
		bob_predict_call(p, "f", 2);
		assert_int_equal(sum(p).idle, is_said ? 0 : 1);
		assert_int_equal(sum(p).unknown_trips, is_said);
		near(sum(p).singles, is_said ? 2 : 6);
		bob_predict_unit(p, "copy", BOB_PREDICT_FUNCTION);
		bob_predict_copy_of(p, "f");
		near(bob_predict_come(p, 7, 0.5, true), is_said ? 0.5 : 2);
		near(sum(p).singles, 2); /* who knows which of them it was */
		bob_predict_unit(p, "by_pointer", BOB_PREDICT_FUNCTION);
		near(bob_predict_come(p, 30, 1, true), is_said ? 1 : 8);
		single(p, 1, 1, all);
		near(sum(p).singles, 2 + 5);
		bob_predict_close(p);
	}
}

static void test_conditions(void **state)
{
	struct bob_predict *p = opened();

	(void)state;
	say(p, "share a.c:7 0.25");
	say(p, "trips a.c:8 4");
	bob_predict_file(p, "x/a.c", BOB_PREDICT_C);
	near(bob_predict_condition(p, 7), 0.25);
	near(bob_predict_condition(p, 8), BOB_PREDICT_CONDITION);
	near(bob_predict_trips(p, 7, 3), 3);
	say(p, "share 0.125");
	near(bob_predict_condition(p, 7), 0.25);
	near(bob_predict_condition(p, 8), 0.125);
	near(bob_predict_condition(NULL, 8), BOB_PREDICT_CONDITION);
	bob_predict_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_span),	  cmocka_unit_test(test_runs),
		cmocka_unit_test(test_recursion), cmocka_unit_test(test_chain),
		cmocka_unit_test(test_costs),	  cmocka_unit_test(test_trips),
		cmocka_unit_test(test_refuses),	  cmocka_unit_test(test_languages),
		cmocka_unit_test(test_turns), cmocka_unit_test(test_ends),
		cmocka_unit_test(test_back), cmocka_unit_test(test_scattered),
		cmocka_unit_test(test_conditions), cmocka_unit_test(test_profile),
		cmocka_unit_test(test_profile_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
