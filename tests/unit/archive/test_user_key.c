/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program registers, as a key and back; what is refused; keys that are damaged at every
 * byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive/events/user_key.h"

static void is_parameter(const struct bob_user_key *k, uint32_t i, int type, const char *name)
{
	assert_int_equal(k->type[i], type);
	assert_string_equal(k->text + k->name_at[i], name);
}

static void registered(void **state)
{
	struct bob_user_key k;

	(void)state;
	assert_int_equal(bob_user_parse("a step", 1,
					" int n ,double dt,string\tfile.a -> int x1, double y::z ",
					&k),
			 BOB_OK);
	assert_string_equal(k.name, "a step");
	assert_int_equal(k.flags, 1);
	assert_int_equal(k.in, 3);
	assert_int_equal(k.out, 2);
	is_parameter(&k, 0, BOB_USER_INT, "n");
	is_parameter(&k, 1, BOB_USER_DOUBLE, "dt");
	is_parameter(&k, 2, BOB_USER_STRING, "file.a");
	is_parameter(&k, 3, BOB_USER_INT, "x1");
	is_parameter(&k, 4, BOB_USER_DOUBLE, "y::z");
	assert_int_equal(bob_user_parse("x", 0, NULL, &k), BOB_OK);
	assert_int_equal(k.in + k.out, 0);
	assert_int_equal(bob_user_parse("x", 0, "->int only", &k), BOB_OK);
	assert_int_equal(k.in, 0);
	assert_int_equal(k.out, 1);
	assert_int_equal(bob_user_parse("x", 0, "int n ->", &k), BOB_OK);
	assert_int_equal(k.in, 1);
}

/* `count` parameters of `type` whose names have `length` bytes. */
static const char *many(uint32_t count, const char *type, uint32_t length)
{
	static char text[4096];
	size_t at = 0;

	for (uint32_t i = 0; i < count; i++) {
		memcpy(text + at, type, strlen(type));
		at += strlen(type);
		text[at++] = ' ';
		memset(text + at, 'a', length);
		at += length;
		text[at++] = ',';
	}
	text[at - 1] = 0;
	return text;
}

static void refused(void **state)
{
	static const char *const bad[] = {
		"n",	    "int",	  "int ",	"int n,",    ",int n",	 "int n int m",
		"int n m",  "integer n",  "in n",	"float x",   "int n -",	 "int n - > int m",
		"int 1n",   "int n;",	  "int n -> -> int m",	     "double", "string -> int n",
		"INT n",    "int n\x01", "int -n",	"strings s", "doubl d",
		"anameofatypethatislongerthananyofthem n",
	};
	char name[BOB_USER_NAME_MAX + 2];
	struct bob_user_key k;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (bob_user_parse("x", 0, bad[i], &k) != BOB_ERR_INVAL)
			fail_msg("'%s' is taken", bad[i]);
	assert_int_equal(bob_user_parse(NULL, 0, NULL, &k), BOB_ERR_INVAL);
	assert_int_equal(bob_user_parse("", 0, NULL, &k), BOB_ERR_INVAL);
	assert_int_equal(bob_user_parse("x", 256, NULL, &k), BOB_ERR_INVAL);
	memset(name, 'n', sizeof(name));
	name[BOB_USER_NAME_MAX + 1] = 0;
	assert_int_equal(bob_user_parse(name, 0, NULL, &k), BOB_ERR_INVAL);
	name[BOB_USER_NAME_MAX] = 0;
	assert_int_equal(bob_user_parse(name, 0, NULL, &k), BOB_OK);
	/* as many and as long as there may be, and one more */
	assert_int_equal(bob_user_parse("x", 0, many(16, "int", 6), &k), BOB_OK);
	assert_int_equal(bob_user_parse("x", 0, many(17, "int", 1), &k), BOB_ERR_INVAL);
	assert_int_equal(bob_user_parse("x", 0, many(16, "int", 7), &k), BOB_ERR_INVAL);
	assert_int_equal(bob_user_parse("x", 0, many(1, "int", 126), &k), BOB_OK);
	assert_int_equal(bob_user_parse("x", 0, many(1, "int", 127), &k), BOB_ERR_INVAL);
	assert_int_equal(bob_user_parse("x", 0, many(8, "string", 1), &k), BOB_OK);
	assert_int_equal(bob_user_parse("x", 0, many(9, "string", 1), &k), BOB_ERR_INVAL);
	assert_int_equal(bob_user_parse("x", 0, many(1, "a", 2000), &k), BOB_ERR_INVAL);
}

/* The longest key fits; each phase is written and read back. */
static void round_trip(void **state)
{
	static const char *const parameters[] = {
		NULL, "int n", "-> string s", "int a, string b, double c -> string d, int e",
		"string aaaaaa,string aaaaaa,string aaaaaa,string aaaaaa,string aaaaaa,string "
		"aaaaaa,string aaaaaa,string aaaaaa->int aaaaaa,int aaaaaa,int aaaaaa,int "
		"aaaaaa,int aaaaaa,int aaaaaa,int aaaaaa,int aaaaaa",
	};
	char name[BOB_USER_NAME_MAX + 1] = { 0 };

	(void)state;
	memset(name, '\xff', BOB_USER_NAME_MAX);
	for (uint32_t i = 0; i < 5 * BOB_USER_PHASES; i++) {
		const enum bob_user_phase phase = i % BOB_USER_PHASES;
		struct bob_user_key k, again;
		uint8_t key[BOB_EVENT_KEY_MAX];
		enum bob_user_phase found;
		uint32_t n;

		assert_int_equal(bob_user_parse(name, i, parameters[i / BOB_USER_PHASES], &k),
				 BOB_OK);
		n = bob_user_encode(&k, phase, key);
		assert_true(n <= sizeof(key));
		assert_int_equal(bob_user_decode(key, n, &again, &found), BOB_OK);
		assert_int_equal(found, phase);
		assert_memory_equal(&again, &k, sizeof(k));
	}
}

static void layouts(void **state)
{
	struct bob_event_layout l;
	struct bob_user_key k;
	uint32_t from, to;

	(void)state;
	assert_int_equal(bob_user_parse("x", 0, "int a, string b, double c -> string d, int e", &k),
			 BOB_OK);
	bob_user_layout(&k, BOB_USER_WHOLE, &l);
	assert_int_equal(l.words, 5);
	assert_int_equal(l.vectors, 2);
	assert_int_equal(l.vector[0].length, 1);
	assert_int_equal(l.vector[0].words, 0);
	assert_int_equal(l.vector[1].length, 3);
	bob_user_layout(&k, BOB_USER_BEGIN, &l);
	assert_int_equal(l.words, 3);
	assert_int_equal(l.vectors, 1);
	bob_user_layout(&k, BOB_USER_END, &l);
	assert_int_equal(l.words, 2);
	assert_int_equal(l.vectors, 1);
	assert_int_equal(l.vector[0].length, 0);
	bob_user_range(&k, BOB_USER_INSTANT, &from, &to);
	assert_int_equal(from, 0);
	assert_int_equal(to, 5);
}

/* Cut anywhere it is damaged; with any byte changed to anything it is damaged, or a key that is
 * written as these bytes. */
static void damaged(void **state)
{
	uint8_t key[BOB_EVENT_KEY_MAX + 1], again[BOB_EVENT_KEY_MAX];
	enum bob_user_phase phase;
	struct bob_user_key k;
	uint32_t n, taken = 0;

	(void)state;
	assert_int_equal(bob_user_parse("name", 2, "int a, string bc -> double d", &k), BOB_OK);
	n = bob_user_encode(&k, BOB_USER_END, key);
	for (uint32_t i = 0; i < n; i++) {
		uint8_t *cut = malloc(i ? i : 1); /* so that reads after its end are found */

		memcpy(cut, key, i);
		assert_int_equal(bob_user_decode(cut, i, &k, &phase),
				 i < 3 ? BOB_NONE : BOB_ERR_CORRUPT);
		free(cut);
	}
	key[n] = 1;
	assert_int_equal(bob_user_decode(key, n + 1, &k, &phase), BOB_ERR_CORRUPT);
	for (uint32_t i = 3; i < n; i++)
		for (uint32_t v = 0; v < 256; v++) {
			const uint8_t was = key[i];

			key[i] = (uint8_t)v;
			if (bob_user_decode(key, n, &k, &phase) == BOB_OK) {
				assert_int_equal(bob_user_encode(&k, phase, again), n);
				assert_memory_equal(again, key, n);
				taken++;
			}
			key[i] = was;
		}
	assert_true(taken > 256 && taken < 256 * n);
	assert_int_equal(bob_user_decode(NULL, 0, &k, &phase), BOB_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registered), cmocka_unit_test(refused),
		cmocka_unit_test(round_trip), cmocka_unit_test(layouts),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
