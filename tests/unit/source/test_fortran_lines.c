/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of small files, one by one: text, kind, position. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "../../fuzz/fortran_check.h"

static struct bob_arena arena;
static struct bob_fortran_file *file;

static int close_file(void **state)
{
	(void)state;
	bob_arena_free(&arena);
	return 0;
}

static void split(enum bob_fortran_form form, const char *bytes)
{
	struct bob_fortran_options o = { .form = form };

	bob_arena_free(&arena);
	assert_int_equal(bob_fortran_split(&arena, bytes, strlen(bytes), &o, &file), BOB_OK);
	check_split(file);
	check_items(file);
}

/* The statements as "kind|text" lines, after the label and before the body's kind. */
static void expect(const char *want)
{
	char got[8192];
	size_t n = 0;

	for (uint32_t i = 0; i < file->count; i++) {
		const struct bob_fortran_statement *s = &file->statements[i];

		n += (size_t)snprintf(got + n, sizeof(got) - n, "%u:", s->line);
		if (s->label)
			n += (size_t)snprintf(got + n, sizeof(got) - n, "%u ", s->label);
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s|%s",
				      bob_fortran_kind_text(s->kind), s->text);
		if (s->body)
			n += (size_t)snprintf(got + n, sizeof(got) - n, "|%s",
					      bob_fortran_kind_text(s->body_kind));
		n += (size_t)snprintf(got + n, sizeof(got) - n, "\n");
	}
	assert_string_equal(got, want);
}

static void test_fixed_form(void **state)
{
	(void)state;
	split(BOB_FORTRAN_AUTO,
	      "C     a comment\n"
	      "      DO 10 I = 1, 5\n"
	      "      DO 20 I = 1. 5\n"
	      "        A(I) =\n"
	      "c between\n"
	      "\n"
	      "     &    'it''s !  \n"
	      "     1 here' ! and after\n"
	      "   10 CONTINUE                                                          SEQ00010\n"
	      "      G O T O 10; X = 5HA'B!C + 1\n"
	      "\tif(a.eq.b)goto10\n"
	      "\t1 0\n"
	      "#ifdef X\n"
	      "      END\n");
	assert_int_equal(file->form, BOB_FORTRAN_FIXED);
	assert_int_equal(file->width, 72);
	expect("2:do|do10i=1,5\n"
	       "3:assignment|do20i=1.5\n"
	       "4:assignment|a(i)='it''s !"
	       "                                                       here'\n"
	       "9:10 continue|continue\n"
	       "10:goto|goto10\n"
	       "10:assignment|x=5hA'B!C+1\n"
	       "11:if of one line|if(a.eq.b)goto100|goto\n"
	       "13:cpp|#ifdef X\n"
	       "14:end|end\n");
	assert_true(file->statements[4].shares_line && file->statements[5].shares_line);
	assert_int_equal(bob_fortran_position(file, file->statements[2].at[4]).line, 4);
	assert_int_equal(bob_fortran_position(file, file->statements[2].at[5]).line, 7);
	assert_int_equal(bob_fortran_position(file, file->statements[2].at[5]).column, 11);
}

static void test_free_form(void **state)
{
	(void)state;
	split(BOB_FORTRAN_AUTO, "program p ! none\n"
				"  10  x = 'a ! &\n"
				"     &b' ; if (x == \"it''s\") y  =  3\n"
				"! between\n"
				"call  s(a, &  ! why\n"
				"\n"
				"  &  b, end&\n"
				"  &if)\n"
				"  !$omp atomic\n"
				"  x = x + &\n"
				"#ifdef A\n"
				"    1\n"
				"end program\n");
	assert_int_equal(file->form, BOB_FORTRAN_FREE);
	expect("1:program|program p\n"
	       "2:10 assignment|x = 'a ! b'\n"
	       "3:if of one line|if (x == \"it''s\") y = 3|assignment\n"
	       "5:call|call s(a, b, endif)\n"
	       "9:directive|$omp atomic\n"
	       "10:assignment|x = x + 1\n"
	       "13:end program|end program\n");
}

static void test_words_are_not_reserved(void **state)
{
	(void)state;
	split(BOB_FORTRAN_FIXED, "      IF(3)=DO(I)\n      END=3\n      DO I=1\n"
				 "      IF(A)B=C\n      IF(A)10,20,30\n      IF(A)THEN\n"
				 "      REAL FUNCTION F(X)\n      REALFUNCTIONF(10)\n"
				 "      INTEGER*4 H,I\n      WHERE(A.GT.0)B=1\n"
				 "      IF(A)WHERE(B)C=1\n      PRINT*,A\n      ENDFILE 3\n"
				 "      TYPEX%A=1\n      END IF\n      FORMAT(3H):()\n");
	expect("1:assignment|if(3)=do(i)\n2:assignment|end=3\n3:assignment|doi=1\n"
	       "4:if of one line|if(a)b=c|assignment\n5:arithmetic if|if(a)10,20,30\n"
	       "6:if then|if(a)then\n7:function|realfunctionf(x)\n8:declaration|realfunctionf(10)\n"
	       "9:declaration|integer*4h,i\n10:where of one line|where(a.gt.0)b=1|assignment\n"
	       "11:if of one line|if(a)where(b)c=1|where of one line\n12:print|print*,a\n"
	       "13:endfile|endfile3\n14:assignment|typex%a=1\n15:end if|endif\n"
	       "16:format|format(3h):()\n");
}

static void test_form_is_found(void **state)
{
	struct bob_fortran_options o = { .likely = BOB_FORTRAN_FREE };
	const char *both = "      x = 1\n      end\n";

	(void)state;
	split(BOB_FORTRAN_AUTO, both);
	assert_int_equal(file->form, BOB_FORTRAN_FIXED);
	assert_int_equal(bob_fortran_split(&arena, both, strlen(both), &o, &file), BOB_OK);
	assert_int_equal(file->form, BOB_FORTRAN_FREE);
	split(BOB_FORTRAN_AUTO, "call x\ncall y\n      end\n");
	assert_int_equal(file->form, BOB_FORTRAN_FREE);
	split(BOB_FORTRAN_AUTO, "Call it a comment\n      call x\n     1 (3)\n      end\n");
	assert_int_equal(file->form, BOB_FORTRAN_FIXED);
	split(BOB_FORTRAN_FIXED,
	      "      call x(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	      "aaaaaaaaaaaaaaaaaa,b)\n");
	assert_int_equal(file->width, 132);
	assert_int_equal(bob_fortran_form_of_name("a/b.F"), BOB_FORTRAN_FIXED);
	assert_int_equal(bob_fortran_form_of_name("b.F90"), BOB_FORTRAN_FREE);
	assert_int_equal(bob_fortran_form_of_name("b.c"), BOB_FORTRAN_AUTO);
}

/* A tree as text: operators in front, references with their parts. */
static size_t tree(const struct bob_fortran_statement *s, const struct bob_fortran_expr *e,
		   char *to)
{
	static const char *const names[] = { "BAD", "-", "", "", "", "", "", "COMPLEX", "", "",
					     "", "[]", ":", "KEY", "STAR", "LABEL", "UNARY", "",
					     "PAREN", "LIST", "TYPE", "DO", "CONTROL" };
	size_t n = 0;
	bool is_leaf = !e->child;

	if (e->node == BOB_N_BINARY)
		n += (size_t)sprintf(to, "%.*s", 1, s->text + e->op_at);
	else if (e->node == BOB_N_PART || e->node == BOB_N_KEYWORD)
		n += (size_t)sprintf(to, "%.*s", (int)e->name_len, s->text + e->from);
	else if (is_leaf && !*names[e->node])
		n += (size_t)sprintf(to, "%.*s", (int)(e->to - e->from), s->text + e->from);
	else
		n += (size_t)sprintf(to, "%s", names[e->node]);
	if (is_leaf)
		return n;
	n += (size_t)sprintf(to + n, "(");
	for (const struct bob_fortran_expr *c = e->child; c; c = c->next) {
		n += tree(s, c, to + n);
		if (c->next)
			n += (size_t)sprintf(to + n, " ");
	}
	return n + (size_t)sprintf(to + n, ")");
}

static void check_expression(const char *text, const char *want)
{
	char bytes[256], got[1024];
	const struct bob_fortran_expr *e;
	uint32_t end;

	snprintf(bytes, sizeof(bytes), "x = %s\n", text);
	split(BOB_FORTRAN_FREE, bytes);
	assert_int_equal(file->count, 1);
	e = bob_fortran_expression(&arena, &file->statements[0], 4, BOB_FORTRAN_NO, &end);
	assert_int_equal(end, file->statements[0].len);
	tree(&file->statements[0], e, got);
	assert_string_equal(got, want);
}

static void test_expressions(void **state)
{
	(void)state;
	check_expression("a + b*c**d**2 - 3", "-(+((a) *((b) *((c) *((d) 2)))) 3)");
	check_expression("1.eq.i .and. .not. x", ".(.(1 (i)) UNARY((x)))");
	check_expression("-a*b", "UNARY(*((a) (b)))");
	check_expression("t(i)%v(1:2,:)%w", "(t(((i))) v((:(1 2) :(- -))) w)");
	check_expression("[1, (i*2, i = 1, 3)]", "LIST(1 DO(*((i) 2) CONTROL((i) 1 3)))");
	check_expression("(1.5e0_8, 2.d0) // 'a''b'(1:1)", "/(COMPLEX(1.5e0_8 2.d0) ((:(1 1))))");
	check_expression("f(x, n=3, *)", "(f(((x) n(3) STAR)))");
	check_expression("5habcd) + z'ff'", "+(5habcd) z'ff')");
	check_expression("a(", "(a((- BAD)))");
	check_expression(".true..or..false.", ".(.true. .false.)");
}

static void items(const char *text, const char *want)
{
	static const char *const roles[] = { "read", "write", "pass", "loop", "allocate", "release",
					     "point", "target", "inquire", "call", "name" };
	const struct bob_fortran_item *item;
	char bytes[256], got[1024] = "";
	size_t n = 0;

	snprintf(bytes, sizeof(bytes), "%s\n", text);
	split(BOB_FORTRAN_FREE, bytes);
	assert_int_equal(bob_fortran_items(&arena, &file->statements[0], &item, NULL), BOB_OK);
	for (; item; item = item->next)
		n += (size_t)sprintf(got + n, "%s%s %.*s%s", n ? "; " : "", roles[item->role],
				     (int)(item->expr->to - item->expr->from),
				     file->statements[0].text + item->expr->from,
				     item->in_body ? "!" : "");
	assert_string_equal(got, want);
}

static void test_items(void **state)
{
	(void)state;
	items("a(i) = b + c", "read b + c; write a(i)");
	items("p => t(1:2)", "target t(1:2); point p");
	items("if (a > b) c(i) = d", "read a > b; read d!; write c(i)!");
	items("if (a) where (m) c = d", "read a; read m!; read d!; write c!");
	items("do 10, i = 1, n, 2", "read 1; read n; read 2; loop i");
	items("do while (a(i) > 0)", "read a(i) > 0");
	items("else if (x(j) < 0) then", "read x(j) < 0");
	items("call s(a(i), *10)", "call s(a(i), *10)");
	items("read (5, fmt=*, iostat=ios, err=10) a, (b(i), i = 1, 3)",
	      "read 5; write ios; write a; write (b(i), i = 1, 3)");
	items("write (u, '(a)', advance=adv) x", "read u; read '(a)'; read adv; read x");
	items("print *, a, b", "read a; read b");
	items("read (10), x", "read (10); write x");
	items("inquire (unit=u, exist=l)", "read u; write l");
	items("allocate (real(8) :: a(n), b(2), source=c, stat=st)",
	      "read c; allocate a(n); allocate b(2); write st");
	items("deallocate (a, stat=st)", "release a; write st");
	items("nullify (p%q)", "release p%q");
	items("select case (k(i))", "read k(i)");
	items("associate (x => a(i), y => b+1)", "target a(i); target b+1");
	items("go to (10, 20), m(1)", "read m(1)");
	items("assign 10 to l", "write l");
	items("forall (i = 1:n, m(i)) a(i) = b(i)", "read 1:n; read m(i); read b(i)!; write a(i)!");
	items("do concurrent (integer :: i = 1:n)", "read 1:n");
	items("return", "");
	items("stop code", "read code");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_fixed_form, close_file),
		cmocka_unit_test_teardown(test_free_form, close_file),
		cmocka_unit_test_teardown(test_words_are_not_reserved, close_file),
		cmocka_unit_test_teardown(test_form_is_found, close_file),
		cmocka_unit_test_teardown(test_expressions, close_file),
		cmocka_unit_test_teardown(test_items, close_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
