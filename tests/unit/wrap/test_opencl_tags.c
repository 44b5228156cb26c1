/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources of kernels: what tags make of them, what is left as it is, what is refused and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "wrap/opencl_tags.h"

#define ITEM                                                                                       \
	" const ulong bob_item = (get_global_id(0) - get_global_offset(0)) + "                     \
	"get_global_size(0) * ((get_global_id(1) - get_global_offset(1)) + "                       \
	"get_global_size(1) * (get_global_id(2) - get_global_offset(2)));"
#define AT(n)                                                                                      \
	"if (bob_item < bob_debug[0]) { __global ulong *bob_at = bob_debug + " n                   \
	" * bob_debug[0] + bob_item); bob_at[0]++; bob_at[1] = "

static const struct {
	const char *from, *to;
} table[] = {
	{ "kernel void f(void) { /* bobbin: out int n = 1 */ }",
	  "kernel void f(__global ulong *bob_debug) {" ITEM
	  " " AT("1 + 2 * (0") "(ulong)(long)( 1 ); } }" },
	{ "__kernel void g(int);\n__kernel void f(int a);\nkernel void f(int a)\n{\n"
	  "// bobbin: out float x = a\n\n}\nkernel void g(int b) { }",
	  "__kernel void g(int);\n__kernel void f(int a, __global ulong *bob_debug);\n"
	  "kernel void f(int a, __global ulong *bob_debug)\n{" ITEM
	  "\n" AT("1 + 2 * (0") "(ulong)as_uint((float)( a)); }\n\n}\nkernel void g(int b) { }" },
	{ "#define X { \\\n {\nkernel __attribute__((x(1, 1))) void f(void *p) { int a, b; "
	  "/* bobbin: in int a */ /* bobbin: in double b */\n"
	  "{ } /* bobbin: out ulong u = a */ /* bobbin: out double v = \";\" */ }",
	  "#define X { \\\n {\nkernel __attribute__((x(1, 1))) void f(void *p, "
	  "__global ulong *bob_debug) {" ITEM
	  " int a, b; if (bob_debug[1]) a = (int)(bob_debug[2]); if (bob_debug[3]) "
	  "b = as_double(bob_debug[4]);\n"
	  "{ } " AT("5 + 2 * (0") "(ulong)( a ); } " AT(
		  "5 + 2 * (1") "as_ulong((double)( \";\" )); } }" },
};

static void test_what_it_becomes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct bob_cl_source o = { .count = 0 };

		bob_cl_read(&o, table[i].from, strlen(table[i].from));
		assert_null(o.why);
		assert_string_equal(o.text, table[i].to);
		free(o.text);
	}
}

static void test_nothing_to_do(void **state)
{
	static const char *const none[] = {
		"", "kernel", "__kernel void f(",
		"kernel void f(int a) { /* bobbin */ \"/* bobbin: out int a = 1 */\" }",
		"/* bobbin", "{ } } kernel void f() { // bobbing: out int x = 1\n }",
		"#define kernel /* bobbin: out int x = 1 */\n", "/", "\"", "/*",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		struct bob_cl_source o = { .count = 0 };

		bob_cl_read(&o, none[i], strlen(none[i]));
		assert_int_equal(o.count, 0);
		assert_null(o.text);
	}
}

static void test_refusals(void **state)
{
	static const struct {
		const char *text, *why;
		uint32_t line;
	} bad[] = {
		{ "\n/* bobbin: out int x = 1 */ kernel void f() { }",
		  "a tag is outside of all kernels", 2 },
		{ "void f() { /* bobbin: out int x = 1 */ }", "a tag is outside of all kernels",
		  1 },
		{ "kernel void f(int a)\n{\n  if (a) /* bobbin: out int x = 1 */ a = 1; }",
		  "a tag is where no statement can be", 3 },
		{ "kernel void f() { /* bobbin: out int x */ }",
		  "a tag is neither 'out TYPE NAME = EXPRESSION' nor 'in TYPE NAME'", 1 },
		{ "kernel void f() { /* bobbin: out half x = 1 */ }",
		  "a tag is neither 'out TYPE NAME = EXPRESSION' nor 'in TYPE NAME'", 1 },
		{ "kernel void f() { /* bobbin: in int x = 1 */ }",
		  "a tag is neither 'out TYPE NAME = EXPRESSION' nor 'in TYPE NAME'", 1 },
		{ "kernel void f() { /* bobbin: inout int x */ }",
		  "a tag is neither 'out TYPE NAME = EXPRESSION' nor 'in TYPE NAME'", 1 },
		{ "kernel void f() { // bobbin: out int x = 1 // one\n }",
		  "a tag contains a comment", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bob_cl_source o = { .count = 0 };

		bob_cl_read(&o, bad[i].text, strlen(bad[i].text));
		assert_null(o.text);
		assert_non_null(o.why);
		assert_string_equal(o.why, bad[i].why);
		assert_int_equal(o.line, bad[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_it_becomes),
		cmocka_unit_test(test_nothing_to_do),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
