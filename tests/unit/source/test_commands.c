/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: what is read, as it is printed again; what is refused, and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "source/commands.h"

struct pair {
	const char *line, *printed;
};

static const struct pair good[] = {
	{ "trace variable a", "trace variable a" },
	{ "  TRACE\tVariable  a  FROM 30 to 150\r", "trace variable a from 30 to 150" },
	{ "trace variable c[1..10] from 100 to 300", "trace variable c[1..10] from 100 to 300" },
	{ "trace variable C[1..10][3..4]", "trace variable C[1..10][3..4]" },
	{ "trace variable C(1:10,3:4)", "trace variable C[1..10][3..4]" },
	{ "trace variable C( -1 : 10 , : , 7, 2:)", "trace variable C[-1..10][..][7][2..]" },
	{ "trace variable C[..5][..][-3]", "trace variable C[..5][..][-3]" },
	{ "trace variable adi:x[2]", "trace variable adi:x[2]" },
	{ "trace variable m%x", "trace variable m%x" },
	{ "trace variable /blk/x(3)", "trace variable /blk/x[3]" },
	{ "trace variable //x", "trace variable //x" },
	{ "trace variable /blk/*", "trace variable /blk/*" },
	{ "trace variable f:*", "trace variable f:*" },
	{ "trace variable *", "trace variable *" },
	{ "trace variable g->v", "trace variable g->v" },
	{ "trace variable f:g.rows[*]->x[1..2] from 1 to 3",
	  "trace variable f:g.rows[*]->x[1..2] from 1 to 3" },
	{ "trace variable a[*][*](3)", "trace variable a[*][*][3]" },
	{ "trace variable F%V(1:10,3)", "trace variable F%V[1..10][3]" },
	{ "trace variable s:f%in%v from 2 to 3", "trace variable s:f%in%v from 2 to 3" },
	{ "trace variable *->next", "trace variable *->next" },
	{ "trace allocator xmalloc size(1)", "trace allocator xmalloc size(1)" },
	{ "trace allocator xrealloc  COUNT(2,3)  free(1)",
	  "trace allocator xrealloc count(2,3) free(1)" },
	{ "trace allocator copy text", "trace allocator copy text" },
	{ "trace allocator xfree free(1)", "trace allocator xfree free(1)" },
	{ "trace code at loop level from 50 to 125", "trace code at loop level from 50 to 125" },
	{ "trace code at subroutine level", "trace code at subroutine level" },
	{ "trace communication from 1 to 1", "trace communication from 1 to 1" },
};

struct refused {
	const char *line;
	uint32_t column;
	const char *text;	/* is in the complaint */
};

static const struct refused bad[] = {
	{ "trase file x", 1,
	  "trace, show, undo, help or bye was expected, not 'trase'; did you mean trace?" },
	{ "TRASE file x", 1, "did you mean trace?" },
	{ "xyzzy", 1, "expected, not 'xyzzy'" },
	{ "trace variabel a", 7, "not 'variabel'; did you mean variable?" },
	{ "trace fiel a.c", 7, "did you mean file?" },
	{ "trace fle a.c", 7, "did you mean file?" },
	{ "trace code att loop level", 12, "'at' was expected, not 'att'; did you mean at?" },
	{ "trace code at lop level", 15, "not 'lop'; did you mean loop?" },
	{ "trace code at loop levl", 20, "did you mean level?" },
	{ "trace variable a form 1 to 2", 18, "not 'form'; did you mean from?" },
	{ "trace variable a from 1 too 2", 25, "did you mean to?" },
	{ "trace allocator f siez(1)", 19, "did you mean size?" },
	{ "trace variable a, b", 17, "a line names one variable" },
	{ "trace variable ps[2].x", 21, "ps[*].NAME" },
	{ "trace variable ps(2)%x", 21, "take the elements" },
	{ "trace", 6, "was expected" },
	{ "trace voriable a", 7, "not 'voriable'" },
	{ "trace variable", 15, "the name of a variable" },
	{ "trace variable 3a", 16, "does not begin with a digit" },
	{ "trace variable a[1..", 21, "']' was expected" },
	{ "trace variable a[1..2", 22, "']' was expected" },
	{ "trace variable a[2..1]", 18, "comes before" },
	{ "trace variable a(1..2)", 19, "first:last" },
	{ "trace variable a[1:2]", 19, "first..last" },
	{ "trace variable a[x]", 18, "a whole number" },
	{ "trace variable a[99999999999999999999]", 18, "too large" },
	{ "trace variable a[1]x", 20, "a blank was expected" },
	{ "trace variable a(1)[2]", 20, "a blank was expected" },
	{ "trace variable a[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1]", 63, "more than 15" },
	{ "trace variable /blk", 20, "'/' was expected" },
	{ "trace variable u:", 18, "the name of a variable" },
	{ "trace variable a form 1 to 2", 18, "'from', or the end" },
	{ "trace variable a from 0 to 2", 23, "numbered from 1" },
	{ "trace variable a from 9 to 2", 18, "comes before the first" },
	{ "trace variable a from 1", 24, "'to' is missing" },
	{ "trace variable a from 1 to 2 3", 30, "nothing more" },
	{ "trace variable a->", 19, "the name of a member" },
	{ "trace variable a.3", 18, "does not begin with a digit" },
	{ "trace variable a[*]->b[*", 24, "a whole number" },
	{ "trace allocator", 16, "the name of a function" },
	{ "trace allocator f", 18, "size(K), count(K), text or free(K)" },
	{ "trace allocator f size(0)", 24, "numbered from 1" },
	{ "trace allocator f size(1", 25, "')' was expected" },
	{ "trace allocator f size(1,2,3)", 27, "')' was expected" },
	{ "trace allocator f text x", 24, "nothing more" },
	{ "trace code at lop level", 15, "'loop' or 'subroutine'" },
	{ "trace code loop level", 12, "'at' was expected" },
	{ "trace code at loop", 19, "'level' is missing" },
	{ "trace file ", 12, "name of a file" },
	{ "show it", 6, "nothing more" },
	{ "trace variable a\x01 b", 17, "a blank was expected, not '?'" },
};

static enum bob_command put(struct bob_requests *w, const char *line)
{
	struct bob_command_complaint why;
	enum bob_command c = BOB_COMMAND_NONE;

	assert_int_equal(bob_requests_put(w, line, strlen(line), &c, &why), BOB_OK);
	return c;
}

static void test_reads(void **state)
{
	struct bob_requests w = { 0 };
	char text[200];
	size_t len;

	(void)state;
	assert_int_equal(put(&w, "trace file  my prog.f "), BOB_COMMAND_FILE);
	assert_string_equal(w.last->path, "my prog.f");
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(put(&w, good[i].line), BOB_COMMAND_TRACE);
		len = bob_request_print(w.last->last, text, sizeof(text));
		assert_int_equal(len, strlen(text));
		assert_string_equal(text, good[i].printed);
		assert_int_equal(w.last->last->command, i + 2);
		assert_int_equal(put(&w, text), BOB_COMMAND_TRACE); /* what is printed is read */
		put(&w, "undo");
		w.commands -= 2;
	}
	assert_int_equal(bob_request_print(w.last->last, text, 4), 3);
	assert_string_equal(text, "tra");
	bob_requests_free(&w);
}

static void test_refuses(void **state)
{
	struct bob_requests w = { 0 };
	struct bob_command_complaint why;
	enum bob_command c;

	(void)state;
	put(&w, "trace file f.c");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(bob_requests_put(&w, bad[i].line, strlen(bad[i].line), &c, &why),
				 BOB_ERR_INVAL);
		if (why.column != bad[i].column || !strstr(why.text, bad[i].text))
			fail_msg("%s: column %u: %s", bad[i].line, why.column, why.text);
		assert_null(w.last->first);
		assert_null(w.last->next);
	}
	bob_requests_free(&w);
}

static void test_session(void **state)
{
	struct bob_requests w = { 0 };
	struct bob_command_complaint why;
	enum bob_command c;

	(void)state;
	assert_int_equal(put(&w, ""), BOB_COMMAND_NONE);
	assert_int_equal(put(&w, "  # nothing"), BOB_COMMAND_NONE);
	assert_int_equal(put(&w, "help"), BOB_COMMAND_HELP);
	assert_int_equal(bob_requests_put(&w, "trace variable a", 16, &c, &why), BOB_ERR_INVAL);
	assert_non_null(strstr(why.text, "trace file"));
	assert_int_equal(bob_requests_put(&w, "undo", 4, &c, &why), BOB_ERR_INVAL);
	put(&w, "trace file a.f");
	put(&w, "trace variable x");
	put(&w, "trace file b.c");
	put(&w, "trace variable y");
	put(&w, "trace variable z");
	assert_int_equal(put(&w, "undo"), BOB_COMMAND_UNDO);
	assert_string_equal(w.last->last->name, "y");
	put(&w, "undo"); /* y */
	put(&w, "undo"); /* b.c */
	assert_string_equal(w.last->path, "a.f");
	assert_string_equal(w.last->last->name, "x");
	put(&w, "trace communication");
	assert_ptr_equal(w.first, w.last);
	put(&w, "undo");
	put(&w, "undo");
	put(&w, "undo");
	assert_null(w.first);
	assert_null(w.last);
	assert_int_equal(put(&w, "SHOW"), BOB_COMMAND_SHOW);
	assert_int_equal(put(&w, "bye"), BOB_COMMAND_BYE);
	bob_requests_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
