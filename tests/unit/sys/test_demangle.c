/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sys/sys.h"

static void test_names(void **state)
{
	static const char *const known[][3] = {
		{ "_ZN2ns1fEi", "ns::f(int)", "ns::f" },
		{ "_ZNK2ns1fEv", "ns::f() const", "ns::f" },
		{ "_ZN2nsclEi", "ns::operator()(int)", "ns::operator()" },
		{ "_ZN12_GLOBAL__N_11fEPFviE", "(anonymous namespace)::f(void (*)(int))",
		  "(anonymous namespace)::f" },
		{ "_ZN2ns1vE", "ns::v", "ns::v" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char *text = bob_demangle(known[i][0]);

		assert_string_equal(text, known[i][1]);
		text[bob_demangled_base(text)] = 0;
		assert_string_equal(text, known[i][2]);
		free(text);
	}
	assert_null(bob_demangle("main"));
	assert_null(bob_demangle(""));
	assert_null(bob_demangle("_Z"));
	assert_null(bob_demangle("_Znonsense"));
	assert_int_equal(bob_demangled_base("f)"), 2);
	assert_int_equal(bob_demangled_base(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
