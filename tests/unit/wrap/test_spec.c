/* SPDX-License-Identifier: BSD-3-Clause */
/* Prototypes of every shape: what is around the name, what kind a value is, what the event has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "wrap/wrap.h"

struct expected {
	const char *prototype;
	const char *result;	/* before name middle( ) after */
	const char *parameters;	/* before name after; ... */
	const char *event;
};

static const struct expected table[] = {
	{ "int f(void)", "int @()", "", "-> int result" },
	{ "void f()", "void @()", "", "" },
	{ "extern const char *const f(int, long b)", "const char *const @()", "int arg1; long b; ",
	  "int arg1, int b -> int result" },
	{ "string f(string s, char *t)", "const char *@()", "const char *s; char *t; ",
	  "string s, int t -> string result" },
	{ "extern string const f(const string s, string *list)", "const char * const @()",
	  "const const char *s; const char * *list; ", "string s, int list -> string result" },
	{ "void (*f(int sig, void (*h)(int)))(int)", "void (*@())(int)",
	  "int sig; void (*h)(int); ", "int sig, int h -> int result" },
	{ "int (f)(int (x), int g(int))", "int(@)()", "int(x); int (*g)(int); ",
	  "int x, int g -> int result" },
	{ "double f(double a[3][4], float)", "double @()", "double (*a)[4]; float arg2; ",
	  "int a, double arg2 -> double result" },
	{ "long double f(double _Complex z, struct s v, union u *p)", "long double @()",
	  "double _Complex z; struct s v; union u *p; ",
	  "double z_re, double z_im, int p -> double result" },
	{ "MPI_Comm f(MPI_Comm c, enum e x, _Bool, __int128 y)", "MPI_Comm @()",
	  "MPI_Comm c; enum e x; _Bool arg3; __int128 y; ",
	  "? c, int x, int arg3 -> ? result" },
	{ "__attribute__((pure)) static inline unsigned f(register int a "
	  "__attribute__((unused))) __THROW", "unsigned @()", "int a; ", "int a -> int result" },
	{ "int f(int (*(*g[2])(void))(int), int result)", "int @()",
	  "int (*(*(*g))(void))(int); int result; ", "int g -> int result" },
	{ "typeof(int *) f(va_list l, _Atomic(int) *a)", "typeof(int *) @()",
	  "va_list l; _Atomic(int) *a; ", "int a -> ? result" },
	{ "int f(int arg2, int)", "int @()", "int arg2; int arg129; ",
	  "int arg2, int arg129 -> int result" },
};

static void add(char *to, const char *a, const char *b, const char *c, const char *d)
{
	const size_t n = strlen(a);

	to += strlen(to);
	snprintf(to, 400, "%s%s%s%s%s", a, !n || a[n - 1] == '*' || a[n - 1] == '(' ? "" : " ", b,
		 c, d);
}

static void check_one(const struct expected *e)
{
	char text[600], result[600] = "", parameters[600] = "";
	struct bob_wrap_complaint why;
	struct bob_wrap_spec *s = NULL;

	snprintf(text, sizeof(text), "definitions:\n%s;\n", e->prototype);
	if (bob_wrap_spec_read(text, strlen(text), "x", &s, &why) != BOB_OK)
		fail_msg("%s", why.text);
	const struct bob_wrap_function *f = &s->functions[0];

	add(result, f->result.before, "@", f->middle, "()");
	strcat(result, f->result.after);
	for (uint32_t i = 0; i < f->parameter_count; i++)
		add(parameters, f->parameters[i].type.before, f->parameters[i].name,
		    f->parameters[i].type.after, "; ");
	assert_string_equal(result, e->result);
	assert_string_equal(parameters, e->parameters);
	assert_string_equal(f->event_parameters, e->event);
	bob_wrap_spec_close(s);
}

static void test_prototypes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		check_one(&table[i]);
}

/* `string` is a whole type. */
static void test_string_alone(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "definitions:\nint f(string const char *s);\n",
		  "x:2:20: expected no other type beside 'string', which is const char *, "
		  "found 'char'" },
		{ "definitions:\nint f(int n,\n  unsigned string s);\n",
		  "x:3:12: expected no other type beside 'string', which is const char *, "
		  "found 'string'" },
		{ "definitions:\nstring string f(int);\n",
		  "x:2:8: expected no other type beside 'string', which is const char *, "
		  "found 'string'" },
		{ "definitions:\nint f(char_t string);\n",
		  "x:2:14: expected no other type beside 'string', which is const char *, "
		  "found 'string'" },
		{ "definitions:\nint f(string struct s v);\n",
		  "x:2:14: expected no other type beside 'string', which is const char *, "
		  "found 'struct'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bob_wrap_complaint why;
		struct bob_wrap_spec *s = NULL;

		assert_int_equal(bob_wrap_spec_read(bad[i].text, strlen(bad[i].text), "x", &s,
						    &why),
				 BOB_ERR_CORRUPT);
		assert_null(s);
		assert_string_equal(why.text, bad[i].why);
	}
}

static void test_letters(void **state)
{
	static const char text[] =
		"definitions:\n"
		"const unsigned long long *f(const char a, unsigned char b, short int c, "
		"unsigned short d, signed e, unsigned f, long g,\n"
		"	unsigned long int h, _Bool i, enum long_one j, const size_t k, int8_t l, "
		"float m, double const n, long double o,\n"
		"	__float128 p, double _Complex q, struct s r, foo_t s, string t, "
		"void (*u)(void), int v[2], uint16_t w, long long x);\n";
	static const char letters[] = { 'b', 'B', 'h', 'H', 'i', 'I', 'l', 'L', 'B', 'i', 'L', 'b',
					'f', 'd', 'x', 0,   0,   0,   0,   's', 'p', 'p', 'H',
					'l' };
	struct bob_wrap_spec *s = NULL;
	struct bob_wrap_complaint why;

	(void)state;
	if (bob_wrap_spec_read(text, sizeof(text) - 1, "x", &s, &why) != BOB_OK)
		fail_msg("%s", why.text);
	assert_int_equal(s->functions[0].parameter_count, sizeof(letters));
	for (size_t i = 0; i < sizeof(letters); i++)
		if (bob_wrap_letter(&s->functions[0].parameters[i].type) != letters[i])
			fail_msg("%s is %c", s->functions[0].parameters[i].name,
				 bob_wrap_letter(&s->functions[0].parameters[i].type));
	assert_int_equal(bob_wrap_letter(&s->functions[0].result), 'p');
	bob_wrap_spec_close(s);
}

static void test_refusals(void **state)
{
	(void)state;
	assert_non_null(bob_wrap_refusal("setjmp"));
	assert_non_null(bob_wrap_refusal("_Unwind_Resume"));
	assert_non_null(bob_wrap_refusal("__builtin_expect"));
	assert_non_null(bob_wrap_refusal("bob_f"));
	assert_null(bob_wrap_refusal("malloc"));
	assert_null(bob_wrap_refusal("longjmp"));
	assert_null(bob_wrap_refusal("setjmpx"));
	assert_null(bob_wrap_refusal(""));
}

static void test_sections(void **state)
{
	static const char text[] =
		"# comment\nsj-include:\n#include <a.h>\nsj-definitions:\nint f(void);\n"
		"include:\nint x;\n\ndefinitions: \nint g(int\na) before\n{ }\n";
	struct bob_wrap_spec *s = NULL;

	(void)state;
	assert_int_equal(bob_wrap_spec_read(text, sizeof(text) - 1, "x", &s, NULL), BOB_OK);
	assert_int_equal(s->include_count, 2);
	assert_string_equal(s->includes[0].text, "#include <a.h>\n");
	assert_int_equal(s->includes[1].line, 7);
	assert_int_equal(s->function_count, 2);
	assert_int_equal(s->functions[1].line, 10);
	assert_int_equal(s->functions[1].block_line[BOB_WRAP_BEFORE], 12);
	assert_string_equal(s->functions[1].block[BOB_WRAP_BEFORE], "{ }");
	bob_wrap_spec_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prototypes),
		cmocka_unit_test(test_string_alone),
		cmocka_unit_test(test_letters),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
