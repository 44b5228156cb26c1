/* SPDX-License-Identifier: BSD-3-Clause */
/* The C code of instrumented Fortran files, src/source/fortran/runtime: compiled as it is, after
 * small tables such as companion.c writes, and called as probes do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <ISO_Fortran_binding.h>

#include "probe_noted.h"

/* --- tables of a file: an array a(:,:), texts t(:), an object o with an allocatable o%v(:) --- */

enum { A, T, O, O_V, ROWS };
enum { ONE, WHOLE, OUTER, INNER, UNEVEN, SITES };
#define BOBBIN(what) runtime_##what
#define JOINS 1

static const int64_t unknown[BOB_PROBE_DIMENSIONS_MAX][2];
static const char *const units[] = { "main", NULL };
static const struct bob_probe_variable variables[] = {
	{ "a", 8, 2, unknown, NULL, 0, 0 },
	{ "t", 1, 2, unknown, NULL, 0, 0 },
	{ "o", 64, 0, unknown, NULL, 0, 0 },
	{ "o%v", 8, 1, unknown, NULL, 0, 0 },
};
static const struct bob_probe_site sites[] = {
	{ 1, 1, BOB_PROBE_READ, 0, 0, 8, 0 },
	{ 2, 1, BOB_PROBE_READ, 0, 0, 8, 0 },
	{ 3, 1, BOB_PROBE_READ, 0, 0, 8, 0 },
	{ 4, 1, BOB_PROBE_READ, 0, 0, 8, 1 },
	{ 5, 1, BOB_PROBE_READ, 0, 0, 8, 0 },
};
static const struct bob_probe_nest nests[] = {
	{ WHOLE, 1, 2 }, { OUTER, 2, 2 }, { UNEVEN, 1, 2 }, { UNEVEN, 1, 3 }
};
static const int32_t boxes[SITES] = { [WHOLE] = 1 };
static const char is_automatic[ROWS], is_text[ROWS] = { [T] = 1 }, is_pointer[ROWS];
static void *declared[ROWS];
static const struct {
	int32_t rank, class, what, is_traced;
	uint64_t element;
} holders[] = { { 2, -1, -2, 1, 8 }, { 2, -1, -2, 1, 1 }, { 0, 0, -1, 0, 64 } };
static struct bob_probe_file here = {
	.size = sizeof(here), .path = "a.f90", .unit = units, .variable = variables, .site = sites,
	.nest = nests, .units = 1, .variables = ROWS, .sites = SITES, .nests = 4,
};
static const struct {
	const char *name;
	int has_trips;
} names[] = { { "loop", 1 }, { "call", 0 } };
static bob_event_id events[] = { 1, 2 };

#include "source/fortran/runtime/shared.c"
#include "source/fortran/runtime/objects.c"
static const struct bobbin_slot slots[] = { { 0, 8, O_V, -1, 1, 0 } };
static const struct bobbin_class classes[] = { { 0, 1, 64 } };
static const struct bobbin_tables tables = { &here, classes, slots };
#include "source/fortran/runtime/components.c"
#include "source/fortran/runtime/box.c"
#include "source/fortran/runtime/accesses.c"
#include "source/fortran/runtime/moves.c"
#include "source/fortran/runtime/holds.c"
#include "source/fortran/runtime/nest.c"
#include "source/fortran/runtime/uneven.c"
#include "source/fortran/runtime/events.c"

/* --- helpers --- */

static const struct bob_probe_untraced nothing;
static struct bob_probe_untraced middle_of_memory;
static const struct bob_probe_untraced *untraced[SITES];

static int set_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < SITES; i++)
		untraced[i] = &nothing;
	here.access = access_at;
	here.recorder = &recorder;
	here.untraced = untraced;
	memset(declared, 0, sizeof(declared));
	reset_noted();
	return 0;
}

typedef CFI_CDESC_T(2) array;

/* Of `rank` dimensions with so many elements, `sm` bytes apart. */
static CFI_cdesc_t *describe(array *d, size_t at, size_t element, int rank, const long (*dim)[2])
{
	memset(d, 0, sizeof(*d));
	d->base_addr = memory + at;
	d->elem_len = element;
	d->rank = (CFI_rank_t)rank;
	for (int k = 0; k < rank; k++) {
		d->dim[k].extent = dim[k][0];
		d->dim[k].sm = dim[k][1];
	}
	return (CFI_cdesc_t *)d;
}

static const long packed[][2] = { { 3, 8 }, { 4, 24 } }, apart[][2] = { { 2, 16 }, { 2, 64 } };
static const int64_t lower[] = { 1, 0 };

/* --- tests --- */

static void test_accesses(void **state)
{
	static const long two[][2] = { { 2, 32 } };
	array d;

	(void)state;
	BOBBIN(a)(ONE, memory + 8);
	assert_noted("access 0 8\n");
	BOBBIN(s)(ONE, describe(&d, 0, 8, 2, apart));
	assert_noted("access 0 0\naccess 0 16\naccess 0 64\naccess 0 80\n");
	BOBBIN(s)(ONE, describe(&d, 0, 16, 1, two));
	assert_noted("access 0 0\naccess 0 8\naccess 0 32\naccess 0 40\n");
	here.access = NULL;
	BOBBIN(s)(ONE, (CFI_cdesc_t *)&d);
	assert_noted("");
}

static void test_masked(void **state)
{
	static const long flags[][2] = { { 2, 4 }, { 2, 8 } }, fewer[][2] = { { 2, 4 }, { 1, 8 } };
	array d, mask;

	(void)state;
	memory[512 + 4] = 1;
	memory[512 + 12 + 3] = 1;
	describe(&d, 0, 8, 2, apart);
	BOBBIN(m)(ONE, (CFI_cdesc_t *)&d, describe(&mask, 512, 4, 2, flags));
	assert_noted("access 0 16\naccess 0 80\n");
	BOBBIN(m)(ONE, (CFI_cdesc_t *)&d, describe(&mask, 512, 4, 2, fewer));
	assert_noted("");
}

static void test_box(void **state)
{
	array d;

	(void)state;
	BOBBIN(s)(WHOLE, describe(&d, 0, 8, 2, packed));
	assert_noted("nest 0 trips 1 12, 0 step 0 8\n");
	BOBBIN(s)(WHOLE, describe(&d, 0, 8, 2, apart));
	assert_noted("nest 0 trips 2 2, 0 step 64 16\n");
}

static void test_declare(void **state)
{
	static const long three[][2] = { { 3, 5 } };
	array d;

	(void)state;
	BOBBIN(d)(A, describe(&d, 0, 8, 2, packed), lower);
	assert_noted("declare 0 0 1+3 0+4\n");
	BOBBIN(d)(A, (CFI_cdesc_t *)&d, lower);
	assert_noted("");
	BOBBIN(f)(A, (CFI_cdesc_t *)&d);
	assert_noted("forget 0 0\n");
	BOBBIN(d)(A, describe(&d, 0, 8, 2, apart), lower);
	assert_noted("");
	BOBBIN(d)(T, describe(&d, 64, 5, 1, three), lower);
	assert_noted("declare 1 64 1+5 1+3\n");
	BOBBIN(j)(A, describe(&d, 128, 8, 2, packed), lower, 8);
	assert_noted("declare 0 128 1+3 0+4\n");
}

static CFI_cdesc_t *object(array *d, size_t at, size_t leads_to)
{
	const struct descriptor v = { .at = memory + leads_to, .element = 8, .rank = 1, .span = 8,
				      .dim = { { 1, 1, 3 } } };

	memcpy(memory + at, &v, 64);
	return describe(d, at, 64, 0, NULL);
}

static void test_components(void **state)
{
	array o;

	(void)state;
	BOBBIN(d)(O, object(&o, 256, 512), lower);
	assert_noted("declare 3 512 1+3\n");
	BOBBIN(ch)(0, object(&o, 256, 512));
	assert_noted("");
	BOBBIN(ch)(0, object(&o, 256, 640));
	assert_noted("forget 3 512\ngone 512\ndeclare 3 640 1+3\n");
	BOBBIN(cj)(-1, object(&o, 256, 704), 64);
	assert_noted("forget 3 640\ngone 640\ndeclare 3 704 1+3\n");
	BOBBIN(f)(O, (CFI_cdesc_t *)&o);
	assert_noted("forget 3 704\n");
	assert_int_equal(bobbin_lists.count, 0);
	assert_int_equal(bobbin_lists.leads, 0);
}

/* The object is freed: what its component leads to ends. */
static void test_object_freed(void **state)
{
	array o;

	(void)state;
	BOBBIN(d)(O, object(&o, 256, 512), lower);
	BOBBIN(x)(0, (CFI_cdesc_t *)&o);
	assert_noted("declare 3 512 1+3\nforget 3 512\ngone 256\n");
	assert_int_equal(bobbin_lists.leads, 0);
}

/* A call passes `a`, which becomes dummy argument 7 and is reallocated there. */
static void test_moves(void **state)
{
	array d, moved;

	(void)state;
	describe(&moved, 256, 8, 2, packed);
	BOBBIN(d)(A, describe(&d, 0, 8, 2, packed), lower);
	BOBBIN(u)(A, 7, 0, -1);
	BOBBIN(y)(0, (CFI_cdesc_t *)&d, lower);
	assert_noted("declare 0 0 1+3 0+4\n");
	BOBBIN(k)(7, (CFI_cdesc_t *)&d, lower);
	assert_noted("");
	BOBBIN(x)(7, (CFI_cdesc_t *)&d);
	assert_noted("forget 0 0\n");
	BOBBIN(k)(7, (CFI_cdesc_t *)&moved, lower);
	assert_noted("declare 0 256 1+3 0+4\n");
	BOBBIN(y)(-1, (CFI_cdesc_t *)&moved, lower);
	BOBBIN(u)(-2, 0, 1, 0);
	assert_noted("");
	assert_int_equal(bobbin_wholes.count, 0);
	BOBBIN(x)(0, (CFI_cdesc_t *)&moved);
	assert_noted("gone 256\n");
	assert_null(declared[A]);
}

/* The dummy is passed on by its procedure: the entry of the inner call is the same variable. */
static void test_passed_on(void **state)
{
	array d;

	(void)state;
	describe(&d, 0, 8, 2, packed);
	BOBBIN(u)(A, 7, 0, -1);
	BOBBIN(u)(-1, 9, 0, 7);
	BOBBIN(k)(9, (CFI_cdesc_t *)&d, lower);
	assert_noted("declare 0 0 1+3 0+4\n");
	BOBBIN(u)(-2, 0, 1, 0);
	assert_noted("forget 0 0\n");
	BOBBIN(u)(-2, 0, 1, 0);
	assert_noted("");
	for (int i = 0; i < WHOLES + 2; i++)
		BOBBIN(u)(A, 7, 0, -1);
	BOBBIN(u)(-2, 0, WHOLES + 2, 0);
	assert_int_equal(bobbin_wholes.count, 0);
}

static void test_holds(void **state)
{
	struct bob_probe_untraced g;

	(void)state;
	middle_of_memory = (struct bob_probe_untraced){ (uintptr_t)memory + 256, 256 };
	untraced[ONE] = &middle_of_memory;
	g = BOBBIN(i)(ONE);
	assert_int_equal(g.lo, middle_of_memory.lo);
	g = BOBBIN(h)(ONE, memory + 8);
	assert_int_equal(g.size, 256);
	assert_noted("access 0 8\n");
	BOBBIN(h)(ONE, memory + 300);
	assert_noted("");
	assert_int_equal(counted, 1);
	BOBBIN(q)(5);
	assert_int_equal(counted, 6);
}

static void test_nest(void **state)
{
	(void)state;
	assert_int_equal(BOBBIN(o)(1), 1);
	assert_int_equal(BOBBIN(c)(1, 3, 1), 1);
	assert_int_equal(BOBBIN(c)(9, 0, -3), 1);
	assert_int_equal(BOBBIN(g)(0), 1);
	BOBBIN(w)(0, memory);
	BOBBIN(w)(1, memory + 100);
	BOBBIN(w)(2, memory + 8);
	BOBBIN(w)(3, memory + 512);
	BOBBIN(n)(1);
	assert_noted("nest 1 trips 3 4, 0 step 100 8, 512 step 100 8\n");
	for (int i = 0; i < NESTS; i++)
		assert_int_equal(BOBBIN(o)(1), 1);
	assert_int_equal(BOBBIN(o)(1), 0);
	for (int i = 0; i < NESTS; i++)
		assert_int_equal(BOBBIN(c)(1, 0, 1), 0);
	assert_int_equal(BOBBIN(o)(1), 1);
	assert_int_equal(BOBBIN(c)(0, 1, 0), 0);
}

/* do i = 1, n; do j = i, n: m(8 * j) */
static void run_triangle(int64_t n)
{
	assert_int_equal(BOBBIN(o)(2), 1);
	BOBBIN(r)(0, LOOPS, 1, n, 1);
	BOBBIN(r)(1, LOOPS, 1, n, 1);
	BOBBIN(r)(1, 0, 2, n, 1);
	while (BOBBIN(p)(2)) {
		assert_true(BOBBIN(v)(0) <= BOBBIN(v)(1) && BOBBIN(v)(1) <= n);
		BOBBIN(w)(0, memory + 8 * BOBBIN(v)(1));
	}
	assert_int_equal(begun_count, 0);
}

static void test_uneven(void **state)
{
	(void)state;
	run_triangle(3);
	assert_noted("uneven 2 span 3 3 slope 0 0 -1 0 by 1 1, 8 step 8 8\n");
	run_triangle(1);
	assert_noted("uneven 2 span 1 1 slope 0 0 -1 0 by 1 1, 8 step 0 0\n");
	run_triangle(0);
	assert_noted("");
}

/* do i = 1, 3; do j = 1, i; do k = i, j: k runs where j = i, so j never has two of its iterations
 * under the same i, nor always the same one. Each row is passed on its own. */
static void test_rows(void **state)
{
	(void)state;
	BOBBIN(o)(3);
	BOBBIN(r)(0, LOOPS, 1, 3, 1);
	BOBBIN(r)(1, LOOPS, 1, 1, 1);
	BOBBIN(r)(1, 0, 1, 2, 1);
	BOBBIN(r)(2, LOOPS, 1, 1, 1);
	BOBBIN(r)(2, 0, 2, 1, 1);
	BOBBIN(r)(2, 1, 1, 2, 1);
	while (BOBBIN(p)(3)) {
		assert_int_equal(BOBBIN(v)(0), BOBBIN(v)(2));
		BOBBIN(w)(0, memory + 8 * BOBBIN(v)(1));
	}
	assert_noted("nest 3 trips 1 1 1, 8 step 0 0 0\nnest 3 trips 1 1 1, 16 step 0 0 0\n"
		     "nest 3 trips 1 1 1, 24 step 0 0 0\n");
	assert_int_equal(begun_count, 0);
}

/* A jump leaves the call: it ends with the loop around it. */
static void test_events(void **state)
{
	(void)state;
	BOBBIN(l)(0);
	BOBBIN(t)(0);
	BOBBIN(t)(0);
	BOBBIN(b)(1);
	BOBBIN(e)(0);
	assert_noted("begin 1 of 0\nbegin 2 of 0\nend 2\nend 1 2\n");
	for (int i = 0; i < DEPTH + 2; i++)
		BOBBIN(b)(1);
	for (int i = 0; i < DEPTH + 2; i++)
		BOBBIN(e)(1);
	assert_int_equal(depth, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_accesses, set_up),
		cmocka_unit_test_setup(test_masked, set_up),
		cmocka_unit_test_setup(test_box, set_up),
		cmocka_unit_test_setup(test_declare, set_up),
		cmocka_unit_test_setup(test_components, set_up),
		cmocka_unit_test_setup(test_object_freed, set_up),
		cmocka_unit_test_setup(test_moves, set_up),
		cmocka_unit_test_setup(test_passed_on, set_up),
		cmocka_unit_test_setup(test_holds, set_up),
		cmocka_unit_test_setup(test_nest, set_up),
		cmocka_unit_test_setup(test_uneven, set_up),
		cmocka_unit_test_setup(test_rows, set_up),
		cmocka_unit_test_setup(test_events, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
