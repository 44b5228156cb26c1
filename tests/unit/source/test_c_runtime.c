/* SPDX-License-Identifier: BSD-3-Clause */
/* The code that becomes part of instrumented C files, src/source/c/runtime: compiled as it is and
 * called as probes do. The recorder writes a line for each call that it gets; addresses are offsets
 * in `memory`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "probe_noted.h"

static bob_event_id bobbin_events[] = { 1, 2 };

#include "source/c/runtime/probes.h"
#include "source/c/runtime/events.h"

enum { ONE, TWO, THREE, SITES };
enum { A, P, ROWS };

static const int64_t unknown[][2] = { { 0, 0 } };
static const struct bob_probe_variable variables[] = {
	{ "a", 4, 1, unknown, NULL, 1, 0 },
	{ "p->", 4, 1, unknown, NULL, 1, 0 },
};
static const struct bob_probe_site sites[] = {
	{ 1, 1, BOB_PROBE_READ, 0, 0, 4, 0 },
	{ 2, 1, BOB_PROBE_READ, 0, 0, 4, 0 },
	{ 3, 1, BOB_PROBE_READ, 0, 0, 4, 0 },
};
static const struct bob_probe_nest nests[] = { { TWO, 1, 1 }, { THREE, 1, 1 } };
static const struct bob_probe_untraced *untraced[SITES];
static struct bob_probe_untraced middle;

static int set_up(void **state)
{
	(void)state;
	middle = (struct bob_probe_untraced){ (uintptr_t)memory + 256, 256 };
	for (size_t i = 0; i < SITES; i++)
		untraced[i] = &middle;
	bob_probe_here = (struct bob_probe_file){
		.size = sizeof(bob_probe_here), .variable = variables, .site = sites,
		.nest = nests, .variables = ROWS, .sites = SITES, .nests = 2,
		.access = access_at, .recorder = &recorder, .untraced = untraced,
	};
	reset_noted();
	return 0;
}

static void test_lvalues(void **state)
{
	struct {
		char before;
		int n;
	} __attribute__((packed)) *packed = (void *)(memory + 7);
	int *p = (int *)memory;

	(void)state;
	BOBBIN_AT(ONE, (p[2])) = 5;
	assert_int_equal(p[2], 5);
	assert_int_equal(BOBBIN_AT(ONE, (p[BOBBIN_AT(TWO, (p[3]))])), 0);
	assert_noted("access 0 8\naccess 1 12\naccess 0 0\n");
	assert_int_equal(BOBBIN_AT(ONE, (p[64])), 0);
	assert_noted("");
	assert_int_equal(counted, 1);
	assert_ptr_equal(BOBBIN_TO(ONE, 2, (p + 1)), p + 1);
	assert_int_equal(BOBBIN_IN(TWO, 1, (p[2])), 5);
	BOBBIN_LOOSE(THREE, (packed->n)) = 6;
	assert_noted("access 0 6\naccess 1 9\naccess 2 8\n");
	assert_int_equal(packed->n, 6);
	assert_true(bobbin_is_on());
	bob_probe_here.untraced = NULL;
	assert_false(bobbin_is_on());
}

/* As in a loop without calls. */
static void test_held(void **state)
{
	int *p = (int *)memory, sum = 0;

	(void)state;
	{
		struct bob_probe_held bobbin_h0
			__attribute__((cleanup(bobbin_held_end))) = { 0, 0 };
		const struct bob_probe_untraced *bobbin_g0 = bobbin_untraced(0);

		for (int i = 62; i < 66; i++)
			sum += BOBBIN_BY(0, 0, (p[i]));
	}
	assert_int_equal(sum, 0);
	assert_noted("access 0 248\naccess 0 252\n");
	assert_int_equal(counted, 2);
}

static void test_variables(void **state)
{
	static const int64_t bounds[][2] = { { 0, 4 } };
	char once = 0;

	(void)state;
	assert_ptr_equal(bobbin_local(A, 1, memory + 16, bounds, ONE), memory + 16);
	assert_noted("declare 0 16 0+4\naccess 0 16\n");
	bobbin_end(A, 2, memory + 16);
	assert_noted("forget 0 16\nforget 1 16\n");
	bob_probe_here.variable =
		(const struct bob_probe_variable[]){ { "a", 4, 0, NULL, NULL, 1, 0 } };
	bobbin_once(&once, A, 1, memory);
	bobbin_once(&once, A, 1, memory);
	assert_noted("declare 0 0\n");
}

static void test_allocations(void **state)
{
	(void)state;
	assert_ptr_equal(
		BOBBIN_BLOCK(P, 1,
			     (memory + 32 * BOBBIN_PUT(0, 2, (1)) + 0 * BOBBIN_PUT(1, 1, (6)))),
		memory + 32);
	assert_noted("declare 1 32 0+3\n");
	strcpy(memory + 64, "seven c");
	assert_ptr_equal(BOBBIN_TEXT(P, 1, (memory + 64)), memory + 64);
	assert_noted("declare 1 64 0+2\n");
	assert_null(BOBBIN_TEXT(P, 1, ((char *)NULL)));
	assert_ptr_equal(bobbin_gone(memory + 64), memory + 64);
	assert_null(bobbin_gone(NULL));
	assert_noted("gone 64\n");
}

static void test_nests(void **state)
{
	const volatile void *at[] = { memory };
	const int64_t four = 4, slope = 0, one = 1;

	(void)state;
	bobbin_nest(0, &four, at, &four);
	assert_noted("nest 0 trips 4, 0 step 4\n");
	bobbin_uneven(1, &four, &slope, &one, at, &four);
	assert_noted("uneven 1 span 4 slope 0 by 1, 0 step 4\n");
	assert_false(bobbin_misses(TWO, 1, &four, memory, &four));
	assert_true(bobbin_misses(TWO, 1, &four, memory + 256, &four));
	bobbin_outside(7);
	assert_int_equal(counted, 7);
}

/* Against the loop itself. */
static void test_trips(void **state)
{
	(void)state;
	for (int64_t l = -3; l <= 3; l++)
		for (int64_t h = -3; h <= 3; h++)
			for (int64_t s = 1; s <= 3; s++) {
				int64_t n[4] = { 0 };

				for (int64_t i = l; i < h; i += s)
					n[0]++;
				for (int64_t i = l; i <= h; i += s)
					n[1]++;
				for (int64_t i = l; i > h; i -= s)
					n[2]++;
				for (int64_t i = l; i >= h; i -= s)
					n[3]++;
				assert_int_equal(bobbin_trips(l, h, s, 0), n[0]);
				assert_int_equal(bobbin_trips(l, h, s, 1), n[1]);
				assert_int_equal(bobbin_trips(l, h, -s, 0), n[2]);
				assert_int_equal(bobbin_trips(l, h, -s, 1), n[3]);
			}
	assert_int_equal(bobbin_far(5), 5);
	assert_int_equal(bobbin_far(UINT64_MAX), INT64_MAX);
}

static void test_events(void **state)
{
	(void)state;
	{
		struct bobbin_loop l __attribute__((cleanup(bobbin_loop_end))) = bobbin_loop(0);
		uint32_t c __attribute__((cleanup(bobbin_call_end))) = bobbin_call(1);

		l.trips += 3;
		(void)c;
	}
	assert_noted("begin 1 of 0\nbegin 2 of 0\nend 2\nend 1 3\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_lvalues, set_up),
		cmocka_unit_test_setup(test_held, set_up),
		cmocka_unit_test_setup(test_variables, set_up),
		cmocka_unit_test_setup(test_allocations, set_up),
		cmocka_unit_test_setup(test_nests, set_up),
		cmocka_unit_test_setup(test_trips, set_up),
		cmocka_unit_test_setup(test_events, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
