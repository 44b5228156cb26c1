/* SPDX-License-Identifier: BSD-3-Clause */
/* Untraced ranges while the table of places changes between any two steps of the thread that sets
 * one: here the table is queried through a function that does what other threads may do
 * meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/negative_cache.c"

#define A 0x1000u /* nothing lies here, ever */
#define B 0x9000u /* nothing, until something is declared */
#define BYTES 0x800u

static bool declared; /* something lies at B */
static void (*meanwhile)(void);
/* A file for each test: what a site points to is looked at for ever. */
static struct bob_pr_untraced files[4], *sites;
static unsigned file_count;

struct bob_pr_stretch bob_pr_find(uintptr_t at)
{
	const bool is_a = at - A < BYTES;
	const struct bob_pr_stretch s = { .lo = is_a ? A : B, .hi = (is_a ? A : B) + BYTES,
					  .wanted = !is_a && declared };
	void (*const others)(void) = meanwhile;

	meanwhile = NULL;
	if (others)
		others();
	return s;
}

static uint32_t aim(uintptr_t at)
{
	const struct bob_probe_untraced *last = NULL;

	return bob_pr_untraced_aim(sites, 0, at, &last);
}

static bool asks(uintptr_t at)
{
	return at - sites->untraced[0]->lo >= sites->untraced[0]->size;
}

static void declare(void)
{
	declared = true;
	bob_pr_untraced_close();
}

static void declare_and_aim_elsewhere(void)
{
	declare();
	assert_int_equal(aim(A), 0);
}

static void aim_elsewhere(void)
{
	(void)aim(A);
}

static int begin(void **state)
{
	(void)state;
	if (!tables)
		bob_pr_untraced_begin();
	declared = false;
	meanwhile = NULL;
	assert_true(file_count < sizeof(files) / sizeof(files[0]));
	sites = &files[file_count++];
	return tables && bob_pr_untraced_open(sites, 1) ? 0 : -1;
}

static void test_one_at_a_time(void **state)
{
	(void)state;
	assert_true(asks(A) && asks(B));
	assert_int_equal(aim(B), 0);
	assert_true(asks(A) && !asks(B));
	assert_int_equal(aim(A), 0);
	assert_true(!asks(A) && asks(B));
	declare();
	assert_true(asks(A) && asks(B));
	assert_int_equal(aim(A), 0);
	assert_int_equal(aim(B), ASKS_AFTER_LOSS);
	assert_true(!asks(A) && asks(B));
}

static void test_declared_meanwhile(void **state)
{
	(void)state;
	meanwhile = declare;
	(void)aim(B);
	assert_true(asks(A) && asks(B));
}

/* The range that was there when it began is there again when it ends. */
static void test_declared_and_as_before(void **state)
{
	(void)state;
	assert_int_equal(aim(A), 0);
	meanwhile = declare_and_aim_elsewhere;
	(void)aim(B);
	assert_true(!asks(A) && asks(B));
}

/* Who asks for what is wanted leaves what is there, but not what was taken away. */
static void test_wanted(void **state)
{
	(void)state;
	declared = true;
	assert_int_equal(aim(A), 0);
	meanwhile = aim_elsewhere;
	assert_int_equal(aim(B), ASKS_AFTER_LOSS);
	assert_true(!asks(A) && asks(B));
	meanwhile = declare;
	assert_int_equal(aim(B), ASKS_AFTER_LOSS);
	assert_true(asks(A) && asks(B));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_one_at_a_time, begin),
		cmocka_unit_test_setup(test_declared_meanwhile, begin),
		cmocka_unit_test_setup(test_declared_and_as_before, begin),
		cmocka_unit_test_setup(test_wanted, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
