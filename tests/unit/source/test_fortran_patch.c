/* SPDX-License-Identifier: BSD-3-Clause */
/* Where lines go, and the files that come out. */
#include "fortran_file.h"
#include "probe_all.h"

static struct bob_fortran_patches patches;

static void begin(enum bob_fortran_form form, const char *bytes)
{
	read_file(form, bytes);
	bob_fortran_patches_init(&patches, &arena, file);
}

static void expect_file(const char *path, const char *want)
{
	struct bob_fortran_output out;

	assert_int_equal(bob_fortran_patches_apply(&patches, path, &out, NULL), BOB_OK);
	assert_string_equal(out.bytes, want);
	assert_int_equal(out.len, strlen(want));
}

/* The byte of a text in the file. */
static uint32_t byte_of(const char *text)
{
	const char *p = strstr(file->bytes, text);

	assert_non_null(p);
	return (uint32_t)(p - file->bytes);
}

static void replace(const char *text, const char *by)
{
	assert_int_equal(bob_fortran_patch_replace(&patches, byte_of(text), (uint32_t)strlen(text),
						   by),
			 BOB_OK);
}

static void insert(uint32_t at, uint32_t label, const char *text)
{
	assert_int_equal(bob_fortran_patch_statement(&patches, at, label, text), BOB_OK);
}

static void test_nothing_changes_nothing(void **state)
{
	(void)state;
	begin(BOB_FORTRAN_AUTO, "      x = 1 \r\n\r\nc  y\n\t1 + 2 ! z\n      end");
	expect_file("a.f", file->bytes);
}

static void test_statements_are_put_in(void **state)
{
	struct bob_fortran_place p;

	(void)state;
	begin(BOB_FORTRAN_FIXED, "      do 10 i = 1, 2\n   10 a(i) = 1\n      end\n");
	assert_int_equal(bob_fortran_place(file, 1, &p), BOB_OK);
	assert_int_equal(p.needs, BOB_NEED_TERMINAL);
	insert(p.before, 0, "call before");
	insert(p.after, 0, "call after");
	insert(p.after, 20, "continue");
	assert_int_equal(bob_fortran_place(file, 0, &p), BOB_OK);
	assert_int_equal(p.inside, byte_of("   10"));
	assert_int_equal(p.after_loop, byte_of("      end"));
	assert_int_equal(bob_fortran_patch_replace(&patches, p.target_at, p.target_len, "20"),
			 BOB_OK);
	expect_file("a.f", "      do 20 i = 1, 2\n      call before\n# 2 \"a.f\"\n   10 a(i) = 1\n"
			   "      call after\n   20 continue\n# 3 \"a.f\"\n      end\n");
	assert_int_equal(bob_fortran_patch_statement(&patches, 3, 0, "x = 1"), BOB_ERR_INVAL);
	assert_int_equal(bob_fortran_patch_replace(&patches, 15, 10, ""), BOB_ERR_INVAL);
}

static void test_lines_are_cut(void **state)
{
	(void)state;
	begin(BOB_FORTRAN_FIXED,
	      "      x = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbbb   SEQUENCE\n"
	      "      y = 'it''s\n     & more' ! why\n      end\n");
	replace("x = a", "xxxxxx = a");
	replace("y = ", "yy = ");
	insert(byte_of("      end"), 0,
	       "call probe(aaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbb, cccccccccccccccccc, "
	       "'ddddddddd')");
	expect_file(NULL,
		    "      xxxxxx = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbb\n"
		    "     &bbbb\n"
		    "      yy = 'it''s                                                       \n"
		    "     & \n     & more' ! why\n"
		    "      call probe(aaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbb, \n"
		    "     &cccccccccccccccccc, 'ddddddddd')\n      end\n");
	begin(BOB_FORTRAN_FREE, "x = 1; y = 2 ! both\nz = 'a&\n  &b'\nend\n");
	insert(byte_of("y ="), 0, "call before_y");
	replace("1;", "one;");
	replace("'a", "'aa");
	expect_file("f",
		    "! both\n# 1 \"f\"\nx = one\n      call before_y\n# 1 \"f\"\ny = 2\nz = 'aa&\n"
		    "  &b'\nend\n");
}

static void test_places(void **state)
{
	struct bob_fortran_place p;

	(void)state;
	read_file(BOB_FORTRAN_FREE,
		  "pure subroutine q\n x = 1\nend\n"
		  "subroutine s(a, w, m)\n real a(:), m(:); real, allocatable :: w(:)\n"
		  "!$omp parallel\n!$omp atomic\n a(1) = a(1) + 1\n"
		  "!$omp do collapse(2)\n do i = 1, 2\n do j = 1, 2\n x = 1\n end do\n"
		  " end do\n!$omp end do\n!$omp end parallel\n"
		  " if (a(i) > 0) a(a(i)) = 1\n where (m > 0)\n m = 0\n end where\n"
		  " w = [1, 2]\n read (5, *, end=10) x\n10 return\n"
		  " do while (a(1) > 0)\n end do\n if (x > 0) then\n"
		  " else if (a(2) > 0) then\n end if\nend\n");
	assert_int_equal(bob_fortran_place(file, at_line(2), &p), BOB_OK);
	assert_int_equal(p.needs, BOB_NEED_NO_CALL);
	assert_int_equal(bob_fortran_place(file, at_line(8), &p), BOB_OK);
	assert_int_equal(p.before, byte_of("!$omp atomic"));
	assert_int_equal(bob_fortran_place(file, at_line(10), &p), BOB_OK);
	assert_int_equal(p.before, byte_of("!$omp do"));
	assert_int_equal(p.inside, BOB_FORTRAN_NO);
	assert_int_equal(p.after_loop, byte_of("!$omp end parallel"));
	assert_int_equal(bob_fortran_place(file, at_line(11), &p), BOB_OK);
	assert_int_equal(p.before, BOB_FORTRAN_NO);
	assert_true(p.needs & BOB_NEED_TIGHT);
	assert_int_equal(p.inside, byte_of(" x = 1\n end do"));
	assert_int_equal(bob_fortran_place(file, at_line(17), &p), BOB_OK);
	assert_int_equal(p.header_end - p.header, strlen("if (a(i) > 0)"));
	assert_int_equal(p.body, byte_of("a(a(i))"));
	assert_int_equal(p.body_end, byte_of("\n where"));
	assert_int_equal(bob_fortran_place(file, at_line(19), &p), BOB_OK);
	assert_int_equal(p.before, byte_of(" where (m"));
	assert_int_equal(p.after, byte_of(" w = ["));
	assert_int_equal(bob_fortran_place(file, at_line(22), &p), BOB_OK);
	assert_true(p.needs & BOB_NEED_EARLY);
	assert_int_equal(bob_fortran_place(file, at_line(23), &p), BOB_OK);
	assert_true(p.needs & BOB_NEED_LABEL);
	assert_int_equal(p.after, BOB_FORTRAN_NO);
}

/* Needs of the last use of a line's statement. */
static uint32_t needs_of_last(uint32_t line)
{
	struct bob_fortran_uses uses;
	struct bob_fortran_place p;
	uint32_t i = at_line(line);

	assert_int_equal(bob_fortran_uses(&arena, file, i, &uses), BOB_OK);
	assert_true(uses.count > 0);
	assert_int_equal(bob_fortran_place_use(file, i, &uses.at[uses.count - 1], &p), BOB_OK);
	return p.needs;
}

static void test_needs_of_uses(void **state)
{
	(void)state;
	read_file(BOB_FORTRAN_FREE, "integer, target :: a(9); integer, allocatable :: w(:)\n"
				    "integer, pointer :: p(:); external f\n"
				    "if (x > 0) a(1) = 1\na(a(1)) = 1\na(i) = 1\na(i) = f(i)\n"
				    "w = a\np => a\nallocate (w(3))\ndeallocate (w)\n"
				    "do i = 1, 2\nend do\ndo while (a(1) > 0)\nend do\n"
				    "print *, (a(i), i = 1, 2)\nx = a(f(1))\nend\n");
	assert_int_equal(needs_of_last(3), BOB_NEED_EXPAND);
	assert_int_equal(needs_of_last(4), BOB_NEED_SAVE);
	assert_int_equal(needs_of_last(5), 0);
	assert_int_equal(needs_of_last(6), BOB_NEED_SAVE);
	assert_int_equal(needs_of_last(7), BOB_NEED_REGISTER | BOB_NEED_UNREGISTER);
	assert_int_equal(needs_of_last(8), BOB_NEED_REGISTER);
	assert_int_equal(needs_of_last(9), BOB_NEED_REGISTER);
	assert_int_equal(needs_of_last(10), BOB_NEED_UNREGISTER);
	assert_int_equal(needs_of_last(11), BOB_NEED_LOOP_BODY);
	assert_int_equal(needs_of_last(13), BOB_NEED_BACK_EDGE);
}

static void test_everything_is_probed(void **state)
{
	struct bob_fortran_output out;
	uint32_t probes;

	(void)state;
	read_file(BOB_FORTRAN_FIXED, "      do 10 i = 1, 3\n      if (i .eq. 2) goto 10\n"
				     "   10 j = i\n      end\n");
	assert_int_equal(probe_all(file, NULL, &out, &probes), BOB_OK);
	assert_string_equal(out.bytes,
			    "      external bobprb\n      call bobprb(1)\n"
			    "      do 70000 i = 1, 3\n      call bobprb(1)\n"
			    "      call bobprb(1)\n      if (i .eq. 2) goto 10\n"
			    "      call bobprb(1)\n   10 continue\n      call bobprb(1)\n"
			    "      j = i\n      call bobprb(1)\n70000 continue\n"
			    "      end\n");
	assert_true(out.lines[1].is_inserted && !out.lines[2].is_inserted);
	assert_int_equal(out.lines[2].line, 1);
	assert_int_equal(out.lines[out.line_count - 1].line, 4);
}

/* Of `subroutine s`. */
static void rename_subroutine(const char *name)
{
	assert_int_equal(bob_fortran_patch_replace(&patches, byte_of("ine s\n") + 4, 1, name),
			 BOB_OK);
}

/* Two copies after the lines that they copy; the last line has no newline. */
static void test_lines_are_copied(void **state)
{
	struct bob_fortran_copy copies[2] = { { .first_line = 2, .last_line = 3 },
					      { .first_line = 2, .last_line = 3 } };

	(void)state;
	begin(BOB_FORTRAN_FREE, "! s\nsubroutine s\nend subroutine s");
	for (int i = 0; i < 2; i++) {
		struct bob_fortran_patches own = patches, *p = &copies[i].patches;

		bob_fortran_patches_init(p, &arena, file);
		patches = *p;
		rename_subroutine(i ? "u" : "t");
		*p = patches;
		patches = own;
	}
	rename_subroutine("r");
	insert(0, 0, "call first");
	patches.copies = copies;
	patches.copy_count = 2;
	expect_file("a.f90",
		    "      call first\n# 1 \"a.f90\"\n! s\nsubroutine r\nend subroutine s\n"
		    "# 2 \"a.f90\"\nsubroutine t\nend subroutine s\n"
		    "# 2 \"a.f90\"\nsubroutine u\nend subroutine s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_nothing_changes_nothing, close_file),
		cmocka_unit_test_teardown(test_statements_are_put_in, close_file),
		cmocka_unit_test_teardown(test_lines_are_cut, close_file),
		cmocka_unit_test_teardown(test_places, close_file),
		cmocka_unit_test_teardown(test_needs_of_uses, close_file),
		cmocka_unit_test_teardown(test_everything_is_probed, close_file),
		cmocka_unit_test_teardown(test_lines_are_copied, close_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
