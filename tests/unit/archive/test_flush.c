/* SPDX-License-Identifier: BSD-3-Clause */
/* What --flush-every may be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive/events/flush_option.h"

static void taken(void **state)
{
	static const struct {
		const char *text;
		struct bob_flush is;
	} good[] = {
		{ "1", { BOB_FLUSH_COUNT, 0, 1, "" } },
		{ "1000000000000000000", { BOB_FLUSH_COUNT, 0, 1000000000000000000ull, "" } },
		{ "5ms", { BOB_FLUSH_TIME, 0, 5000000, "" } },
		{ "10s", { BOB_FLUSH_TIME, 0, 10000000000ull, "" } },
		{ "3m", { BOB_FLUSH_TIME, 0, 180000000000ull, "" } },
		{ "2h", { BOB_FLUSH_TIME, 0, 7200000000000ull, "" } },
		{ "step", { BOB_FLUSH_EVENT, 0, 1, "step" } },
		{ "MPI_*rier/17", { BOB_FLUSH_EVENT, 0, 17, "MPI_*rier" } },
		{ "a b,all", { BOB_FLUSH_EVENT, 1, 1, "a b" } },
		{ "x/2,all", { BOB_FLUSH_EVENT, 1, 2, "x" } },
	};
	struct bob_flush f;
	const char *expected;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(bob_flush_parse(good[i].text, &f, &expected), 0);
		assert_memory_equal(&f, &good[i].is, sizeof(f));
	}
}

static void refused(void **state)
{
	static const char *const bad[] = { "",	    "0",     "0s",    "1x",    "1 ",
					   "1000000000000000001x", "99999999999999999999999",
					   "999999999h", "/",  ",all", "a/", "a/0",   "a/x",
					   "a/1,", "a,al",  "a,all ", "a/1/2", "1,all",
					   "a,all,all" };
	struct bob_flush f;
	const char *expected;
	char *name;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		expected = NULL;
		assert_int_equal(bob_flush_parse(bad[i], &f, &expected), -1);
		assert_non_null(expected);
	}
	for (size_t len = BOB_FLUSH_NAME_MAX - 1; len < BOB_FLUSH_NAME_MAX + 3; len++) {
		name = malloc(len + 1); /* so that a sanitizer sees reads after its end */
		assert_non_null(name);
		memset(name, 'x', len);
		name[len] = 0;
		assert_int_equal(bob_flush_parse(name, &f, &expected),
				 len > BOB_FLUSH_NAME_MAX ? -1 : 0);
		free(name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
