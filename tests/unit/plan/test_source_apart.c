/* SPDX-License-Identifier: BSD-3-Clause */
/* What is sent from the process that reads debug information; and if that process crashes in
 * inlined functions, the rest is still there. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define bob_source_make fake_make
#include "plan/source/apart.c"

static enum { GOOD, CRASHES, CRASHES_IF_INLINED, REFUSES } how;

bob_status fake_make(const char *path, const uint64_t *pc, size_t count, bob_fold_write_fn write,
		     void *source, void *inlined, struct bob_error *err)
{
	(void)path;
	(void)err;
	if (how == CRASHES || (how == CRASHES_IF_INLINED && inlined))
		_exit(1);
	if (how == REFUSES)
		return BOB_ERR_UNSUPPORTED;
	write(source, pc, count * sizeof(*pc));
	write(source, "source", 6);
	if (inlined)
		write(inlined, "inlined", 7);
	return BOB_OK;
}

static bob_status ask(struct bob_bytes *source, struct bob_bytes *inlined)
{
	static const uint64_t pc[] = { 7, 9 };
	struct bob_error err;

	*source = *inlined = (struct bob_bytes){ 0 };
	return bob_plan_source("program", pc, 2, bob_bytes_take, source, inlined, &err);
}

static void both(void **state)
{
	struct bob_bytes source, inlined;

	(void)state;
	how = GOOD;
	assert_int_equal(ask(&source, &inlined), BOB_OK);
	assert_int_equal(source.len, 22);
	assert_memory_equal(source.at + 16, "source", 6);
	assert_int_equal(inlined.len, 7);
	assert_memory_equal(inlined.at, "inlined", 7);
	bob_bytes_free(&source);
	bob_bytes_free(&inlined);
}

static void without_inlined(void **state)
{
	struct bob_bytes source, inlined;

	(void)state;
	how = CRASHES_IF_INLINED;
	assert_int_equal(ask(&source, &inlined), BOB_OK);
	assert_int_equal(source.len, 22);
	assert_int_equal(inlined.len, 0);
	bob_bytes_free(&source);
	bob_bytes_free(&inlined);
}

static void nothing(void **state)
{
	struct bob_bytes source, inlined;

	(void)state;
	how = CRASHES;
	assert_int_equal(ask(&source, &inlined), BOB_ERR_CORRUPT);
	assert_int_equal(source.len + inlined.len, 0);
	how = REFUSES;
	assert_int_equal(ask(&source, &inlined), BOB_ERR_UNSUPPORTED);
	assert_int_equal(source.len + inlined.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both), cmocka_unit_test(without_inlined), cmocka_unit_test(nothing)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
