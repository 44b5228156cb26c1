/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions: against a table of their values, and errors in invalid ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "archive/events/predicate.h"

static int find(void *ctx, const char *name, size_t len, struct bob_predicate_value *v)
{
	(void)ctx;
	memset(v, 0, sizeof(*v));
	if (len == 1 && *name == 'i')
		v->i = 7;
	else if (len == 5 && !memcmp(name, "large", 5))
		v->i = INT64_MAX;
	else if (len == 1 && *name == 'd')
		v->type = BOB_PREDICATE_DOUBLE, v->d = 0.5;
	else if (len == 3 && !memcmp(name, "nan", 3))
		v->type = BOB_PREDICATE_DOUBLE, v->d = 0.0 / 0.0;
	else if (len == 1 && *name == 's')
		v->type = BOB_PREDICATE_TEXT_TYPE, v->s = "abc", v->len = 3;
	else
		return 0;
	return 1;
}

static void what_holds(void **state)
{
	static const struct {
		const char *text;
		int holds;
	} cases[] = {
		{ "i", 1 },
		{ "!i", 0 },
		{ "i > 6", 1 },
		{ "i > 7", 0 },
		{ "i >= 7", 1 },
		{ "i<7", 0 },
		{ "i<=7", 1 },
		{ "i == 7.0", 1 },
		{ "i != 7", 0 },
		{ "-8 < i", 1 },
		{ "d > 0", 1 },
		{ "d == .5", 1 },
		{ "d == 5e-1", 1 },
		{ "i > d", 1 },
		{ "large == 9223372036854775807", 1 },
		{ "large == 9223372036854775806", 0 },
		{ "i == 0x7", 1 },
		{ "nan == nan", 0 },
		{ "nan != nan", 1 },
		{ "nan < 1", 0 },
		{ "nan > 1", 0 },
		{ "s == \"abc\"", 1 },
		{ "s != \"abc\"", 0 },
		{ "s < \"abd\"", 1 },
		{ "s > \"ab\"", 1 },
		{ "s == 3", 0 },
		{ "s != 3", 1 },
		{ "s", 1 },
		{ "\"\"", 0 },
		{ "i > 6 && d > 1", 0 },
		{ "i > 6 || d > 1", 1 },
		{ "!(i > 6) || d < 1", 1 },
		{ "i > 9 && i > 9 || i", 1 },
		{ "i || i && 0", 1 },
		{ "(i || i) && 0", 0 },
		{ "!!i", 1 },
		{ "x", 0 },
		{ "!x", 0 },
		{ "x == 1 || i", 0 },
		{ " 1 ", 1 },
		{ "0.0", 0 },
	};
	const char *expected;
	struct bob_predicate p;
	size_t at;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(bob_predicate_parse(cases[i].text, &p, &at, &expected), BOB_OK);
		if (bob_predicate_holds(&p, find, NULL) != cases[i].holds)
			fail_msg("%s", cases[i].text);
	}
}

static void what_is_wrong(void **state)
{
	static const struct {
		const char *text;
		size_t at;
	} cases[] = {
		{ "", 0 },
		{ "i >", 3 },
		{ "i > > 2", 4 },
		{ "(i", 2 },
		{ "i)", 1 },
		{ "i & d", 2 },
		{ "i && ", 5 },
		{ "\"abc", 0 },
		{ "i == 1 2", 7 },
		{ "i = 1", 2 },
		{ "%", 0 },
		{ "- 1", 0 },
		{ "i == 9223372036854775808", 5 },
		{ "d > 1e400", 4 },
		{ "i > -9223372036854775809", 4 },
	};
	const char *expected;
	struct bob_predicate p;
	char many[1000];
	size_t at;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(bob_predicate_parse(cases[i].text, &p, &at, &expected),
				 BOB_ERR_INVAL);
		assert_non_null(expected);
		if (at != cases[i].at)
			fail_msg("%s: at %zu", cases[i].text, at);
	}
	memset(many, '(', sizeof(many));
	for (size_t n = 1; n < sizeof(many); n++) { /* too deep, too long */
		many[n] = 0;
		assert_int_equal(bob_predicate_parse(many, &p, &at, &expected), BOB_ERR_INVAL);
		many[n] = n % 2 ? '!' : '(';
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_holds),
		cmocka_unit_test(what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
