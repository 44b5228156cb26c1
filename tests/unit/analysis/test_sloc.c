/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of code. Every text has its classes written in front of its lines: b blank, c comment, a
 * annotation, x code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/concerns/sloc.h"

static const char *const names[] = { "mark", "bob_event_begin*" };
static const struct bob_sloc_marks marks = { names, 2 };

/* `lines` without their first letters are the text; the letters are what must come. */
static void expect(enum bob_sloc_language language, const char *lines)
{
	size_t len = 0, count = 0, n = strlen(lines);
	char *text = calloc(1, n + 1), *want = malloc(n + 1), *got = malloc(n + 1);
	char *scratch = malloc(n + 1);
	uint8_t *class = malloc(n + 1);

	for (const char *p = lines; *p;) {
		want[count++] = *p++;
		while (*p && *p != '\n')
			text[len++] = *p++;
		if (*p)
			text[len++] = *p++;
	}
	want[count] = 0;
	assert_int_equal(bob_sloc_lines(text, len), count);
	/* exactly as much memory as is said */
	text = realloc(text, len ? len : 1);
	scratch = realloc(scratch, len ? len : 1);
	class = realloc(class, count ? count : 1);
	bob_sloc_classify(text, len, language, &marks, scratch, class);
	for (size_t i = 0; i < count; i++)
		got[i] = "bcax"[class[i]];
	got[count] = 0;
	assert_string_equal(got, want);
	free(class);
	free(scratch);
	free(got);
	free(want);
	free(text);
}

static void c_comments(void **state)
{
	(void)state;
	expect(BOB_SLOC_C, "xint a;\n"
			   "b\n"
			   "b  \t \n"
			   "c// all of it\n"
			   "xint b; // and code\n"
			   "c/* one\n"
			   "b\n"
			   "c   two */\n"
			   "x/* three */ int c;\n"
			   "c/* */ /* */ // */\n"
			   "x#define S /* \n"
			   "c here */\n"
			   "xno // matter /*\\\n"
			   "c*/ int d;\n");
}

static void c_comments_go_on(void **state)
{
	(void)state;
	expect(BOB_SLOC_C, "c// a backslash \\\n"
			   "cgoes on \\\n"
			   "c\tand on\n"
			   "xint a;\n"
			   "x} /");
	expect(BOB_SLOC_C, "c/* never ends\n"
			   "cint a;");
	expect(BOB_SLOC_C, "c/*/ not an end\n"
			   "c*/");
}

static void c_strings(void **state)
{
	(void)state;
	expect(BOB_SLOC_C, "xputs(\"/* no comment\");\n"
			   "xputs(\"\\\"// neither\");\n"
			   "xchar c = '\"', d = '\\''; \n"
			   "c/* so this is one */\n"
			   "xputs(\"goes on\\\n"
			   "x // in here\"); \n"
			   "x#error don't\n"
			   "c// an apostrophe ends with its line\n"
			   "xlong n = 1'000; /* and a separator\n"
			   "c is no comment */\n"
			   "xauto s = R\"x(\n"
			   "x// raw\n"
			   "b\n"
			   "x)\" )y\" \n"
			   "x/* )x\"; \n"
			   "c// done\n"
			   "xu8R\"(\n"
			   "x/*)\"\n"
			   "c/* */\n"
			   "xBAR\"(/*\"\n"
			   "c// no raw string\n");
}

static void c_marks(void **state)
{
	(void)state;
	expect(BOB_SLOC_C, "amark();\n"
			   "a\tmark (a, \")\", f(b)); // why\n"
			   "a(void)mark(1); mark(2);\n"
			   "abob_event_begin_with(e,\n"
			   "c/* in it */\n"
			   "b\n"
			   "a  2, args);\n"
			   "xif (x) mark();\n"
			   "xif (x)\n"
			   "a\tmark();\n"
			   "xx = mark();\n"
			   "xx =\n"
			   "x\tmark();\n"
			   "xmarks();\n"
			   "xbob_event_start();\n"
			   "xmark(); f();\n"
			   "xf(); mark();\n"
			   "xmark(a)\n"
			   "x#define M \\\n"
			   "x\tmark();\n"
			   "amark();\n"
			   "x#include <m.h>\n"
			   "amark();\n"
			   "xvoid mark(void)\n"
			   "x{ mark(); }\n"
			   "amark()  ;\n"
			   "xmark(");
}

static void free_form(void **state)
{
	(void)state;
	expect(BOB_SLOC_FREE, "xprogram p\n"
			      "c! comment\n"
			      "c   !! too\n"
			      "b\n"
			      "x  print *, 'it''s ! none' ! but this\n"
			      "x!$omp parallel\n"
			      "x  s = \"goes & \n"
			      "c! between\n"
			      "x  & on ! in it\"\n"
			      "x  t = 'left open\n"
			      "c! ended with its line\n"
			      "a  CALL Mark(a, ')')\n"
			      "a  call mark\n"
			      "a  call mark(a, &\n"
			      "a    b) ; call mark()\n"
			      "x  if (a) call mark()\n"
			      "x  call marks(a)\n"
			      "xend");
}

static void fixed_form(void **state)
{
	(void)state;
	expect(BOB_SLOC_FIXED,
	       "cC comment\n"
	       "cc comment\n"
	       "c* comment\n"
	       "c! comment\n"
	       "xc$omp parallel do\n"
	       "x#ifdef X\n"
	       "x      call f(a) ! comment\n"
	       "c    ! comment\n"
	       "x     ! a continuation\n"
	       "x 10   continue\n"
	       "x      s = 'goes\n"
	       "x     &  on ! in it'\n"
	       "c      ! comment\n"
	       "c                                                                        X\n"
	       "x                                                                       X\n"
	       "x\tx = 1\n"
	       "a      call mark(a,\n"
	       "a     1  b)\n"
	       "a\tcall mark\n"
	       "x 20   call mark\n"
	       "b  ");
}

static void texts_of_all_lengths(void **state)
{
	static const char mess[] = "a'\"/*R\"(\\\n&!c*/)\"//\\\r\nmark(\n\t1);{C\0$ #";
	char text[256], scratch[256];
	uint8_t class[257];
	uint32_t x = 1;

	(void)state;
	expect(BOB_SLOC_C, "");
	for (int round = 0; round < 100000; round++) {
		size_t len = (x >> 8) % sizeof(text);

		for (size_t i = 0; i < len; i++) {
			x = x * 1103515245 + 12345;
			text[i] = mess[(x >> 16) % (sizeof(mess) - 1)];
		}
		x = x * 1103515245 + 12345;
		bob_sloc_classify(text, len, (enum bob_sloc_language)(round % 3), &marks, scratch,
				  class);
		for (size_t i = 0; i < len; i++)
			assert_true((text[i] == '\n') == (scratch[i] == '\n'));
		for (size_t i = 0; i < bob_sloc_lines(text, len); i++)
			assert_true(class[i] <= BOB_SLOC_CODE);
	}
}

static void languages(void **state)
{
	enum bob_sloc_language l = BOB_SLOC_C;

	(void)state;
	assert_int_equal(bob_sloc_language_of("a.b/x.F90", &l), BOB_OK);
	assert_int_equal(l, BOB_SLOC_FREE);
	assert_int_equal(bob_sloc_language_of("x.F", &l), BOB_OK);
	assert_int_equal(l, BOB_SLOC_FIXED);
	assert_int_equal(bob_sloc_language_of("x.f.cc", &l), BOB_OK);
	assert_int_equal(l, BOB_SLOC_C);
	assert_int_equal(bob_sloc_language_of("dir.c/x", &l), BOB_NONE);
	assert_int_equal(bob_sloc_language_of("x.cob", &l), BOB_NONE);
	assert_int_equal(bob_sloc_language_of("", &l), BOB_NONE);
	for (const char *p = BOB_SLOC_EXTENSIONS; p; p = strchr(p + 1, ' ')) {
		char ext[16] = { 0 };

		p += *p == ' ';
		memcpy(ext, p, strcspn(p, " "));
		assert_int_equal(bob_sloc_language_of(ext, &l), BOB_OK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c_comments), cmocka_unit_test(c_comments_go_on),
		cmocka_unit_test(c_strings),  cmocka_unit_test(c_marks),
		cmocka_unit_test(free_form),  cmocka_unit_test(fixed_form),
		cmocka_unit_test(languages),  cmocka_unit_test(texts_of_all_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
