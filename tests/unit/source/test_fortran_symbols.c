/* SPDX-License-Identifier: BSD-3-Clause */
/* Units, constructs and names of small files. */
#include "fortran_file.h"

static void test_units_and_constructs(void **state)
{
	const struct bob_fortran_unit *u;
	const struct bob_fortran_construct *c;

	(void)state;
	read_file(BOB_FORTRAN_FREE, "module m\n"
				    "  interface\n"
				    "    subroutine ext(x)\n"
				    "      real x\n"
				    "    end subroutine\n"
				    "  end interface\n"
				    "contains\n"
				    "  pure recursive real(8) function f(x, n) result(y)\n"
				    "    use other\n"
				    "    real(8), intent(in) :: x\n"
				    "#ifdef A\n"
				    "    n = 1\n"
				    "#endif\n"
				    "    outer: do i = 1, 3\n"
				    "      if (x > 0) then\n"
				    "        do while (y < 3)\n"
				    "          cycle outer\n"
				    "        end do\n"
				    "      end if\n"
				    "    end do outer\n"
				    "  end function f\n"
				    "end module\n"
				    "x = 1\n"
				    "end\n");
	assert_int_equal(file->unit_count, 4);
	u = &file->units[1];
	assert_string_equal(u->name, "ext");
	assert_true(u->flags & BOB_UNIT_INTERFACE);
	assert_int_equal(u->declare, BOB_FORTRAN_NO);
	u = &file->units[2];
	assert_int_equal(u->kind, BOB_UNIT_FUNCTION);
	assert_int_equal(u->parent, 0);
	assert_int_equal(u->flags, BOB_UNIT_PURE | BOB_UNIT_RECURSIVE);
	assert_string_equal(u->result, "y");
	assert_int_equal(u->dummy_count, 2);
	/* before the #if, not within it */
	assert_int_equal(file->statements[u->execute].line, 11);
	assert_int_equal(u->declare, u->execute);
	assert_int_equal(file->units[3].kind, BOB_UNIT_PROGRAM);
	assert_int_equal(file->statements[file->units[3].first].line, 23);
	assert_int_equal(file->construct_count, 4);
	c = &file->constructs[3];
	assert_int_equal(file->statements[c->first].line, 16);
	assert_int_equal(file->statements[c->last].line, 18);
	assert_int_equal(c->loop_depth, 2);
	assert_int_equal(c->depth, 2);
	assert_string_equal(file->constructs[1].name, "outer");
	assert_int_equal(bob_fortran_inside(file, at_line(17), BOB_CONSTRUCT_IF), 2);
}

static void test_both_branches_of_an_if_nest(void **state)
{
	(void)state;
	read_file(BOB_FORTRAN_FREE, "subroutine s\n"
				    "#ifdef A\n"
				    "do i = 1, 2\n"
				    "#else\n"
				    "do i = 1, 3\n"
				    "#endif\n"
				    "x = 1\n"
				    "end do\n"
				    "end subroutine\n");
	assert_int_equal(file->construct_count, 2);
	for (int i = 0; i < 2; i++) {
		assert_true(file->constructs[i].is_ended);
		assert_int_equal(file->statements[file->constructs[i].last].line, 8);
		assert_int_equal(file->constructs[i].depth, 0);
	}
}

static void test_shared_terminal(void **state)
{
	(void)state;
	read_file(BOB_FORTRAN_FIXED,
		  "      DO 10 I=1,3\n      DO 10 J=1,3\n      IF(J.EQ.2)GOTO 10\n"
		  "      K=1\n   10 A(I)=K\n   20 END\n");
	assert_int_equal(file->statements[at_line(5)].ends_loops, 2);
	assert_true(file->statements[at_line(5)].is_branch_target);
	assert_false(file->statements[at_line(6)].is_branch_target);
	assert_true(file->constructs[0].shares_terminal && file->constructs[1].shares_terminal);
}

static void test_associated_components(void **state)
{
	static const struct {
		const char *name;
		enum bob_fortran_type type;
		uint32_t rank;
	} want[] = { { "a", BOB_T_REAL, 2 },	{ "b", BOB_T_REAL, 1 }, { "c", BOB_T_DERIVED, 1 },
		     { "d", BOB_T_INTEGER, 1 }, { "e", BOB_T_NONE, 0 }, { "f", BOB_T_INTEGER, 0 } };

	(void)state;
	read_file(BOB_FORTRAN_FREE,
		  "module m\n  type p\n    integer :: n\n    real(8) :: v(3, 4)\n"
		  "  end type\n  type, extends(p) :: q\n    type(p) :: of(2)\n"
		  "  end type\ncontains\n  subroutine s(x)\n    type(q) :: x\n"
		  "    associate (a => x%v, b => x%of(1)%v(:, 2), c => x%of, &\n"
		  "        d => x%of%n, e => x%nothing, f => x%of(2)%n)\n"
		  "      a(1, 1) = 0\n    end associate\n  end subroutine\nend module\n");
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct bob_fortran_symbol *y =
			bob_fortran_lookup(file->statements[at_line(14)].names, want[i].name, 1);

		assert_int_equal(y->type, want[i].type);
		assert_int_equal(y->rank, want[i].rank);
	}
	assert_int_equal(bob_fortran_lookup(file->statements[at_line(14)].names, "a", 1)->kind, 8);
}

/* IMPLICIT of a unit coexists with IMPLICIT NONE of its host; the names that a unit declares hide
 * its host's names from its beginning on. */
static void test_hosts_rules_and_names(void **state)
{
	(void)state;
	read_file(BOB_FORTRAN_FREE, "module m\n  implicit none\n  real :: x(3)\ncontains\n"
				    "  subroutine s\n    implicit real(8) (r), integer (i)\n"
				    "    r = x(2, 3)\n    i = 1\n    u = 2\n  contains\n"
				    "    function x(n, k)\n      x = 1\n      rx = n + k\n"
				    "    end function\n  end subroutine\n"
				    "  subroutine t\n    implicit none (external)\n"
				    "    x(1) = 0\n  end subroutine\nend module\n"
				    "program p\n  implicit none (external)\n  j = 1\nend\n");
	assert_int_equal(symbol(1, "r")->type, BOB_T_REAL);
	assert_int_equal(symbol(1, "r")->kind, 8);
	assert_int_equal(symbol(1, "i")->type, BOB_T_INTEGER);
	assert_int_equal(symbol(1, "u")->type, BOB_T_NONE);
	assert_int_equal(symbol(1, "x")->class, BOB_NAME_FUNCTION);
	assert_int_equal(symbol(2, "rx")->kind, 8);
	assert_int_equal(symbol(4, "j")->type, BOB_T_INTEGER);
	assert_int_equal(bob_fortran_lookup(file->units[3].symbols, "x", 1)->rank, 1);
}

static void test_types_and_shapes(void **state)
{
	const struct bob_fortran_symbol *y;

	(void)state;
	read_file(BOB_FORTRAN_FIXED, "      SUBROUTINE S(A,N,*,G)\n"
				     "      IMPLICIT REAL*8 (A-H,O-Z), CHARACTER*4 (T)\n"
				     "      PARAMETER (M=2*3+1,L=MAX(M**2,MOD(7,4)))\n"
				     "      DIMENSION A(N,*),B(0:M,L)\n"
				     "      CHARACTER*8 CH(3)*5,CJ,V,W\n"
				     "      COMPLEX*16 D11,Z\n      CHARACTER*80 HEADER\n"
				     "      EXTERNAL G\n"
				     "      F(X)=X+1\n"
				     "      Q=B(1,1)+F(2.D0)+H(3)+SQRT(P)\n"
				     "      CALL T1(TT)\n"
				     "      CJ=V(2:3)//W(2)\n"
				     "      END\n");
	y = symbol(0, "a");
	assert_int_equal(y->shape, BOB_SHAPE_ASSUMED_SIZE);
	assert_int_equal(y->kind, 8);
	assert_int_equal(y->upper[0].bound, BOB_BOUND_EXPRESSION);
	assert_string_equal(y->upper[0].text, "n");
	assert_true(y->flags & BOB_SYMBOL_DUMMY);
	y = symbol(0, "b");
	assert_int_equal(y->lower[0].value, 0);
	assert_int_equal(y->upper[0].value, 7);
	assert_int_equal(y->upper[1].value, 49);
	assert_int_equal(bob_fortran_symbol_bytes(file->units[0].symbols, y), 8 * 49 * 8);
	assert_int_equal(symbol(0, "ch")->char_len, 5);
	assert_int_equal(symbol(0, "cj")->char_len, 8);
	assert_int_equal(symbol(0, "z")->kind, 8);
	assert_int_equal(symbol(0, "d11")->type, BOB_T_COMPLEX);
	assert_int_equal(symbol(0, "header")->char_len, 80);
	assert_int_equal(symbol(0, "tt")->type, BOB_T_CHARACTER);
	assert_int_equal(symbol(0, "tt")->char_len, 4);
	assert_int_equal(symbol(0, "l")->value, 49);
	assert_int_equal(symbol(0, "f")->class, BOB_NAME_STATEMENT_FUNCTION);
	assert_int_equal(symbol(0, "g")->class, BOB_NAME_PROCEDURE);
	assert_int_equal(symbol(0, "h")->class, BOB_NAME_FUNCTION);
	assert_int_equal(symbol(0, "v")->class, BOB_NAME_VARIABLE);
	assert_int_equal(symbol(0, "w")->class, BOB_NAME_FUNCTION);
	assert_int_equal(symbol(0, "sqrt")->class, BOB_NAME_INTRINSIC);
	assert_int_equal(symbol(0, "t1")->class, BOB_NAME_SUBROUTINE);
	assert_false(file->statements[at_line(9)].is_executable);
	assert_int_equal(file->statements[file->units[0].declare].line, 9);
	assert_int_equal(file->statements[file->units[0].execute].line, 10);
}

static const struct bob_fortran_symbol *seen(uint32_t line, const char *name)
{
	const struct bob_fortran_statement *s = &file->statements[at_line(line)];

	return bob_fortran_lookup(s->names, name, (uint32_t)strlen(name));
}

static void test_structures(void **state)
{
	(void)state;
	read_file(BOB_FORTRAN_FREE, "subroutine s(n)\n"
				    "  structure /a/\n"
				    "    integer i, n\n"
				    "    structure /b/ c\n"
				    "      real x\n"
				    "    end structure\n"
				    "    real y\n"
				    "  end structure\n"
				    "  real z\n"
				    "  z = 1\n"
				    "end\n");
	assert_null(seen(10, "i"));
	assert_null(seen(10, "x"));
	assert_null(seen(10, "y"));
	assert_non_null(seen(10, "z"));
	assert_false(seen(10, "n")->flags & BOB_SYMBOL_TYPED);
}

static void test_names_of_constructs(void **state)
{
	(void)state;
	read_file(BOB_FORTRAN_FREE, "subroutine s(n)\n"
				    "  real a(3)\n"
				    "  b1: block\n"
				    "    integer a, late(n)\n"
				    "    a = 1\n"
				    "    implied = 2\n"
				    "    block\n"
				    "      logical a\n"
				    "      save\n"
				    "      a = .true.\n"
				    "      late(1) = 1\n"
				    "    end block\n"
				    "    a = 2\n"
				    "  end block b1\n"
				    "  associate (a => n)\n"
				    "    a = 3\n"
				    "  end associate\n"
				    "  a(1) = implied\n"
				    "end\n");
	assert_int_equal(seen(5, "a")->type, BOB_T_INTEGER);
	assert_int_equal(seen(10, "a")->type, BOB_T_LOGICAL);
	assert_true(seen(10, "a")->flags & BOB_SYMBOL_SAVE);
	assert_false(seen(13, "a")->flags & BOB_SYMBOL_SAVE);
	assert_ptr_equal(seen(13, "a"), seen(5, "a"));
	assert_ptr_equal(seen(11, "late"), seen(5, "late"));
	assert_true(seen(16, "a")->flags & BOB_SYMBOL_ASSOCIATE);
	assert_int_equal(seen(16, "a")->type, BOB_T_INTEGER);
	assert_int_equal(seen(18, "a")->type, BOB_T_REAL);
	assert_ptr_equal(seen(18, "a"), seen(2, "a"));
	assert_ptr_equal(seen(15, "a"), seen(2, "a")); /* its selector is what is around it */
	assert_null(seen(18, "late"));
	/* what nothing declares is the unit's */
	assert_ptr_equal(seen(18, "implied"), seen(6, "implied"));
}

static void test_associate(void **state)
{
	(void)state;
	read_file(BOB_FORTRAN_FREE, "subroutine s(x, i, v)\n"
				    "  real(8) x(4, 4)\n"
				    "  integer v(:)\n"
				    "  associate (a => x, b=>x(2:, i), c => x(i, v(1)), &\n"
				    "      d => x(1, 1) + 1, e => x(v, 1), f => '=>', g => k)\n"
				    "    associate (h => b(1:2), k => a(:, 1:3))\n"
				    "      h = 1\n"
				    "    end associate\n"
				    "  end associate\n"
				    "end\n");
	static const struct {
		const char *name;
		enum bob_fortran_type type;
		int32_t kind;
		uint32_t rank;
	} want[] = { { "a", BOB_T_REAL, 8, 2 },	   { "b", BOB_T_REAL, 8, 1 },
		     { "c", BOB_T_REAL, 8, 0 },	   { "d", BOB_T_NONE, 0, 0 },
		     { "e", BOB_T_NONE, 0, 0 },	   { "f", BOB_T_NONE, 0, 0 },
		     { "g", BOB_T_INTEGER, 4, 0 }, { "h", BOB_T_REAL, 8, 1 },
		     { "k", BOB_T_REAL, 8, 2 } };

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct bob_fortran_symbol *y = seen(7, want[i].name);

		assert_true(y->flags & BOB_SYMBOL_ASSOCIATE);
		assert_int_equal(y->type, want[i].type);
		assert_int_equal(y->kind, want[i].kind);
		assert_int_equal(y->rank, want[i].rank);
		assert_int_equal(y->shape, want[i].rank ? BOB_SHAPE_ASSUMED : BOB_SHAPE_SCALAR);
	}
}

static void test_storage(void **state)
{
	(void)state;
	read_file(BOB_FORTRAN_FIXED, "      COMMON /B/ C(10),K,/D/X,Y /B/ W\n"
				     "      DOUBLE PRECISION W\n"
				     "      REAL E(4),F,G(2,3)\n"
				     "      EQUIVALENCE (C(3),E(2)),(F,G(1,2),H)\n"
				     "      END\n");
	assert_string_equal(symbol(0, "c")->common->name, "b");
	assert_int_equal(symbol(0, "k")->offset, 40);
	assert_int_equal(symbol(0, "w")->offset, 48);
	assert_int_equal(symbol(0, "y")->offset, 4);
	assert_int_equal(symbol(0, "c")->common->bytes, 56);
	assert_ptr_equal(symbol(0, "e")->common, symbol(0, "c")->common);
	assert_int_equal(symbol(0, "e")->offset, 4);
	assert_int_equal(symbol(0, "g")->offset, 0);
	assert_int_equal(symbol(0, "f")->offset, 8);
	assert_int_equal(symbol(0, "h")->offset, 8);
	assert_int_equal(symbol(0, "h")->class_id, symbol(0, "g")->class_id);
	assert_true(symbol(0, "e")->is_placed && symbol(0, "h")->is_placed);
}

static bob_status find_include(void *data, const char *name, const char **bytes, size_t *len)
{
	(void)data;
	if (strcmp(name, "dims.h") != 0)
		return BOB_ERR_NOENT;
	*bytes = "      integer, parameter :: n = 4\n";
	*len = strlen(*bytes);
	return BOB_OK;
}

static void test_modules_hosts_includes(void **state)
{
	const struct bob_fortran_finder finder = { .include = find_include };
	const struct bob_fortran_symbol *y;

	(void)state;
	read_with(BOB_FORTRAN_FREE,
		  "module m\n use iso_fortran_env, only: r => real64\n implicit none\n"
		  " include 'dims.h'\n private :: hidden\n integer hidden\n"
		  " type base\n real(r) :: v(n)\n end type\n"
		  " type, extends(base) :: t\n integer, pointer :: p(:) => null()\n end type\n"
		  " real(r), allocatable, target :: a(:,:)\ncontains\n"
		  " subroutine s(o)\n class(t), intent(inout) :: o\n o%v(2) = a(1,1)\n"
		  " end subroutine\n"
		  "end module\n"
		  "program p\n use m, only: b => a, n\n use elsewhere\n b(n,1) = 0\nend program\n",
		  &finder);
	y = symbol(0, "a");
	assert_int_equal(y->shape, BOB_SHAPE_DEFERRED);
	assert_int_equal(y->kind, 8);
	assert_true(symbol(0, "hidden")->flags & BOB_SYMBOL_PRIVATE);
	assert_ptr_equal(symbol(1, "a"), y);
	assert_int_equal(symbol(1, "o")->type, BOB_T_CLASS);
	assert_non_null(symbol(0, "t")->components->host);
	assert_int_equal(symbol(2, "b")->rank, 2);
	assert_true(symbol(2, "b")->flags & BOB_SYMBOL_USED);
	assert_int_equal(symbol(2, "n")->value, 4);
	assert_true(file->units[2].symbols->is_incomplete);
	assert_false(file->units[1].symbols->is_incomplete);
}

/* Where each lies is what gfortran 12 says: c_loc of the component less c_loc of the object. */
static void test_places_of_components(void **state)
{
	static const struct {
		const char *name;
		uint64_t at;
	} want[] = {
		{ "c", 0 }, { "v", 8 }, { "n", 96 }, { "p", 104 }, { "z", 112 }, { "one", 120 }
	};
	const struct bob_fortran_symbols *t;
	uint64_t at;

	(void)state;
	read_file(BOB_FORTRAN_FREE,
		  "module m\n type base\n character(3) c\n real, allocatable :: v(:,:)\n"
		  " end type\n type, extends(base) :: t\n integer(2) n(2)\n"
		  " type(t), pointer :: p\n complex z\n integer, allocatable :: one\n"
		  " end type\nend module\n");
	t = symbol(0, "t")->components;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct bob_fortran_symbols *of = i < 2 ? t->host : t;
		const struct bob_fortran_symbol *c =
			bob_fortran_own(of, want[i].name, (uint32_t)strlen(want[i].name));

		assert_non_null(c);
		assert_true(bob_fortran_component_at(file->units[0].symbols, t, c, &at));
		assert_int_equal(at, want[i].at);
	}
	assert_false(bob_fortran_component_at(file->units[0].symbols, t, symbol(0, "t"), &at));
}

/* The layout of gfortran 12: the lengths of deferred-length texts are at the end, and a polymorphic
 * component is followed by its type. */
static void test_places_of_what_has_a_type_or_length(void **state)
{
	static const struct {
		const char *name;
		uint64_t at;
	} want[] = { { "n1", 16 },  { "n2", 120 }, { "n3", 152 },
		     { "n4", 240 }, { "n5", 256 }, { "n6", 280 } };
	const struct bob_fortran_symbols *t;
	uint64_t at;

	(void)state;
	read_file(
		BOB_FORTRAN_FREE,
		"module m\n type base\n character(:), allocatable :: name\n"
		" integer, allocatable :: k(:)\n"
		" character(:), allocatable :: names(:)\n integer n\n end type\n"
		" type, extends(base) :: more\n integer z\n end type\n"
		" type hold\n class(base), allocatable :: o\n integer :: n1\n"
		" class(base), pointer :: q(:,:) => null()\n integer :: n2\n"
		" class(*), allocatable :: any\n integer :: n3\n class(*), allocatable :: anys(:)\n"
		" integer :: n4\n procedure(), pointer, nopass :: f\n integer :: n5\n"
		" type(hold), pointer :: next\n character(:), pointer :: s\n integer :: n6\n"
		" end type\n"
		" type(base) a\n type(more) b\n type(hold) c\nend module\n");
	t = symbol(0, "hold")->components;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_true(bob_fortran_component_at(file->units[0].symbols, t,
						     bob_fortran_own(t, want[i].name, 2), &at));
		assert_int_equal(at, want[i].at);
	}
	assert_int_equal(bob_fortran_element_bytes(file->units[0].symbols, symbol(0, "a")), 160);
	assert_int_equal(bob_fortran_element_bytes(file->units[0].symbols, symbol(0, "b")), 168);
	assert_int_equal(bob_fortran_element_bytes(file->units[0].symbols, symbol(0, "c")), 296);
}

static void test_public_names(void **state)
{
	(void)state;
	read_with(BOB_FORTRAN_FREE,
		  "module m\n implicit none\n private\n public :: a, operator(+), f\n"
		  " integer a, b\n integer, public :: c\ncontains\n"
		  " subroutine f\n end subroutine\n subroutine g\n end subroutine\nend module\n"
		  "program p\n use m\n a = c\n call f\nend program\n",
		  NULL);
	assert_true(symbol(0, "b")->flags & BOB_SYMBOL_PRIVATE);
	assert_int_equal(symbol(0, "f")->class, BOB_NAME_SUBROUTINE);
	assert_null(bob_fortran_lookup(file->units[0].symbols, "operator", 8));
	for (const char *name = "acf"; *name; name++)
		assert_true(symbol(3, (char[]){ *name, 0 })->flags & BOB_SYMBOL_USED);
	assert_null(bob_fortran_lookup(file->units[3].symbols, "b", 1));
	assert_null(bob_fortran_lookup(file->units[3].symbols, "g", 1));
}

/* The references of a line as text. */
static void expect_uses(uint32_t line, const char *want)
{
	static const char *const roles[] = { "read", "write", "pass", "loop", "allocate", "release",
					     "point", "target", "inquire", "call", "name" };
	static const struct {
		uint32_t flag;
		const char *text;
	} flags[] = { { BOB_USE_CONDITIONAL, "?" }, { BOB_USE_WHOLE, "*" },
		      { BOB_USE_SECTION, ":" },	    { BOB_USE_VECTOR, "v" },
		      { BOB_USE_CALLS, "()" },	    { BOB_USE_SUBSTRING, "s" },
		      { BOB_USE_COMPONENT, "%" },   { BOB_USE_BODY, "!" },
		      { BOB_USE_IMPLIED_DO, "@" },  { BOB_USE_MASKED, "m" },
		      { BOB_USE_UNSURE, "~" } };
	struct bob_fortran_uses uses;
	char got[2048] = "";
	size_t n = 0;
	uint32_t i = at_line(line);

	assert_int_equal(bob_fortran_uses(&arena, file, i, &uses), BOB_OK);
	for (uint32_t k = 0; k < uses.count; k++) {
		const struct bob_fortran_use *u = &uses.at[k];

		n += (size_t)sprintf(got + n, "%s%s %.*s", k ? "; " : "", roles[u->role],
				     (int)(u->to - u->from), file->statements[i].text + u->from);
		for (size_t f = 0; f < sizeof(flags) / sizeof(flags[0]); f++)
			if (u->flags & flags[f].flag)
				n += (size_t)sprintf(got + n, "%s", flags[f].text);
	}
	assert_string_equal(got, want);
}

static void test_uses(void **state)
{
	(void)state;
	read_file(BOB_FORTRAN_FREE, "subroutine s(a, idx, c, ext)\n"
				    "real a(10,10), b(10); integer idx(:)\n"
				    "character(8) c; external ext\n"
				    "type t\n real v(3)\n contains\n procedure :: get\n end type\n"
				    "type(t) x(5); type(other) y; real, allocatable :: w(:)\n"
				    "a(i, j+1) = a(idx(i), j) + sin(b(k))*f(a(1,1), b, 2*k)\n"
				    "if (i > 0 .and. b(i) > 0) c(2:3) = c(k:k)\n"
				    "call ext(a, b(1), x(i)%v(2), k+1, *10)\n"
				    "b = a(:, 2) + size(a) + x(2)%v(i) + x(1)%get(k) + y%g(3)\n"
				    "read (5, *, iostat=ios) n, (b(i), i = 1, n)\n"
				    "write (c, '(i3)') k\n"
				    "b(idx) = b(f(k))\n"
				    "allocate (w(n), stat=ios)\n"
				    "where (b > 0) b = -b\n"
				    "do i = n, 1, -1\n"
				    "end do\n"
				    "call random_number(b)\n"
				    "10 end subroutine\n");
	expect_uses(
		10,
		"read i; read idx(i); read j; read a(idx(i), j); read k; read b(k); pass a(1,1); "
		"pass b*; read k; call f(a(1,1), b, 2*k); read i; read j; write a(i, j+1)");
	expect_uses(11,
		    "read i; read i?; read b(i)?; read k!; read k!; read c(k:k)s!; write c(2:3)s!");
	expect_uses(12, "pass a*; pass b(1); read i; pass x(i)%v(2)%; read k; "
			"call ext(a, b(1), x(i)%v(2), k+1, *10)");
	expect_uses(13, "read a(:, 2):; inquire a*; read i; read x(2)%v(i)%; pass k; "
			"call x(1)%get(k)%; read y%g(3)%~; write b*");
	expect_uses(14, "read n; read i@; write ios; write n; write b(i)@; loop i");
	expect_uses(15, "read k; write c");
	expect_uses(16, "pass k; call f(k); read b(f(k))(); read idx*; write b(idx)v");
	expect_uses(17, "read n; allocate w(n); write ios");
	expect_uses(18, "read b*m; read b*!m; write b*!m");
	expect_uses(19, "read n; loop i");
	expect_uses(21, "call random_number(b); write b*");
}

static void test_names_in_c(void **state)
{
	(void)state;
	read_file(BOB_FORTRAN_FREE,
		  "module m\n  integer, bind(c) :: a, b\n  integer, bind(c, name=' Some ') :: c\n"
		  "  integer :: d, e\n  bind(c, name=\"D\") d\n  bind(c) :: /blk/, e\n"
		  "  common /blk/ f\n  common /other/ g\n  integer, bind(c, name='x :: h\n"
		  "end module\n");
	assert_string_equal(symbol(0, "a")->binding, "a");
	assert_string_equal(symbol(0, "b")->binding, "b");
	assert_string_equal(symbol(0, "c")->binding, "Some");
	assert_string_equal(symbol(0, "d")->binding, "D");
	assert_string_equal(symbol(0, "e")->binding, "e");
	assert_string_equal(symbol(0, "f")->common->binding, "blk");
	assert_null(symbol(0, "f")->binding);
	assert_null(symbol(0, "g")->common->binding);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_units_and_constructs, close_file),
		cmocka_unit_test_teardown(test_both_branches_of_an_if_nest, close_file),
		cmocka_unit_test_teardown(test_shared_terminal, close_file),
		cmocka_unit_test_teardown(test_types_and_shapes, close_file),
		cmocka_unit_test_teardown(test_names_of_constructs, close_file),
		cmocka_unit_test_teardown(test_structures, close_file),
		cmocka_unit_test_teardown(test_associate, close_file),
		cmocka_unit_test_teardown(test_names_in_c, close_file),
		cmocka_unit_test_teardown(test_storage, close_file),
		cmocka_unit_test_teardown(test_modules_hosts_includes, close_file),
		cmocka_unit_test_teardown(test_places_of_components, close_file),
		cmocka_unit_test_teardown(test_places_of_what_has_a_type_or_length, close_file),
		cmocka_unit_test_teardown(test_public_names, close_file),
		cmocka_unit_test_teardown(test_uses, close_file),
		cmocka_unit_test_teardown(test_hosts_rules_and_names, close_file),
		cmocka_unit_test_teardown(test_associated_components, close_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
