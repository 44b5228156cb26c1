/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent's own text helpers and patterns: what libc would have done, compared with libc. The
 * agent is not a library, so its source file is part of this program. */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/config.c"

#include <cmocka.h>

static void test_compare(void **state)
{
	static const char *const words[] = { "",   "a", "ab", "abc",	    "b",
					     "ba", "A", "a:", "LD_PRELOAD=" };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(text_len(words[i]), strlen(words[i]));
		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
			const char *a = words[i], *b = words[k];

			assert_int_equal(text_equal(a, b), !strcmp(a, b));
			assert_int_equal(text_starts(a, b), !strncmp(a, b, strlen(b)));
		}
	}
}

static void test_add(void **state)
{
	(void)state;
	for (size_t size = 1; size < 12; size++) {
		char buf[16], want[16];
		size_t at;

		memset(buf, '#', sizeof(buf));
		at = text_add(buf, size, 0, "abc");
		at = text_add_u64(buf, size, at, 1234, 10);
		at = text_add(buf, size, at, "");
		at = text_add(buf, size, at, "xyz");
		snprintf(want, size, "abc%dxyz", 1234);
		assert_string_equal(buf, want);
		assert_int_equal(at, strlen(want));
		assert_int_equal(buf[size], '#'); /* nothing beyond the end */
	}
}

static void test_numbers(void **state)
{
	static const uint64_t values[] = { 0, 1, 9, 10, 15, 16, 255, 4294967295u, UINT64_MAX };
	char buf[32], want[32];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		text_add_u64(buf, sizeof(buf), 0, values[i], 10);
		snprintf(want, sizeof(want), "%llu", (unsigned long long)values[i]);
		assert_string_equal(buf, want);
		text_add_u64(buf, sizeof(buf), 0, values[i], 16);
		snprintf(want, sizeof(want), "%llx", (unsigned long long)values[i]);
		assert_string_equal(buf, want);
	}
	assert_int_equal(number("1234"), 1234);
	assert_int_equal(number("12x"), 12);
	assert_int_equal(number(""), 0);
	assert_int_equal(number(NULL), 0);
	assert_true(number("99999999999999999999") >=
		    1u << 30); /* stops, does not wrap to little */
}

static void test_env(void **state)
{
	char *env[] = { (char *)"AB=1", (char *)"A=2", (char *)"A=3",
			(char *)"B",	(char *)"C=",  NULL };

	(void)state;
	assert_string_equal(config_env(env, "A"), "2");
	assert_string_equal(config_env(env, "AB"), "1");
	assert_string_equal(config_env(env, "C"), "");
	assert_null(config_env(env, "B"));
	assert_null(config_env(env, "ABC"));
	assert_null(config_env(NULL, "A"));
}

static void test_match_known(void **state)
{
	(void)state;
	assert_true(config_match("main", "main"));
	assert_false(config_match("main", "mainly"));
	assert_true(config_match("x:main:y", "main"));
	assert_true(config_match("libc.so*:ld-linux*", "libc.so.6"));
	assert_false(config_match("libc.so*", "libcrypt.so.1"));
	assert_true(config_match("MPI_*:mpi_*", "mpi_send_"));
	assert_true(config_match("*a*b*c", "xxaxxbxxabc"));
	assert_false(config_match("*a*b*c", "xxaxxbxxab"));
	assert_true(config_match("[a-cx]?", "b1"));
	assert_false(config_match("[a-cx]?", "d1"));
	/* ':' separates, "::" does not */
	assert_true(config_match("std::*", "std::sort"));
	assert_false(config_match("std::*", "std"));
	assert_false(config_match("std::*", "std:x"));
	assert_true(config_match("a:std::f:b", "std::f"));
	assert_true(config_match("a:std::f:b", "b"));
	assert_true(config_match("*::f", "a::b::f"));
	assert_false(config_match("*::f", "a::b::g"));
	assert_false(config_match("", ""));
	assert_false(config_match("", "a"));
	assert_false(config_match(NULL, "a"));
	assert_false(config_match(":::", "a"));
	assert_true(config_match("::a", "::a"));
	assert_false(config_match("::a", "a"));
}

/* Every pattern of up to 5 characters over a small alphabet against names of up to 4: as fnmatch
 * says. '[' is left to the cases above, since fnmatch has more rules there. */
static void test_match_exhaustive(void **state)
{
	static const char letters[] = "ab*?";
	char pattern[6], name[5];
	size_t count = 0;

	(void)state;
	for (int len = 1; len <= 5; len++) {
		for (int p = 0; p < 1 << 2 * len; p++) {
			for (int i = 0; i < len; i++)
				pattern[i] = letters[p >> 2 * i & 3];
			pattern[len] = 0;
			for (int n = 0; n < 1 << 5; n++) {
				int chars = 0;

				for (int bits = n; bits > 1; bits >>= 1)
					name[chars++] = (char)('a' + (bits & 1));
				name[chars] = 0;
				if (config_match(pattern, name) != !fnmatch(pattern, name, 0))
					fail_msg("'%s' against '%s'", pattern, name);
				count++;
			}
		}
	}
	assert_true(count > 40000);
}

static void test_read(void **state)
{
	char *none[] = { (char *)"BOBBIN_DIR=relative", NULL };
	char *some[] = { (char *)"BOBBIN_DIR=/t",    (char *)"BOBBIN_IMAGES=all",
			 (char *)"BOBBIN_CODEC=null",
			 (char *)"BOBBIN_FOLLOW=no", (char *)"BOBBIN_DEPTH=7",	  NULL };
	char *odd[] = { (char *)"BOBBIN_DIR=/t", (char *)"BOBBIN_IMAGES=some",
			(char *)"BOBBIN_CODEC=x", NULL };
	struct bob_config c;

	(void)state;
	memset(&c, 0, sizeof(c));
	assert_false(config_read(&c, none));
	assert_true(config_read(&c, some));
	assert_string_equal(c.dir, "/t");
	assert_true(c.images == BOB_IMAGES_ALL && c.codec == BOB_CODEC_NULL && !c.follow);
	assert_true(c.max_depth == 7 && c.slow);
	memset(&c, 0, sizeof(c));
	assert_true(config_read(&c, odd)); /* unknown words mean the defaults */
	assert_true(c.images == BOB_IMAGES_APP && c.codec == BOB_CODEC_RUN && c.follow && !c.slow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compare),	    cmocka_unit_test(test_add),
		cmocka_unit_test(test_numbers),	    cmocka_unit_test(test_env),
		cmocka_unit_test(test_match_known), cmocka_unit_test(test_match_exhaustive),
		cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
