/* SPDX-License-Identifier: BSD-3-Clause */
/* Run times of sanitizers are known by their library's name, or by their functions' names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/image.h"
#include "plan/mem/mem.h"
#include "assemble.h"

static const char source[] = ASSEMBLE_FUNCTION "	.text\n"
					       "	function own\n"
					       "	function __asan_init\n"
					       "	function _ZN11__sanitizer13StopTheWorldE\n"
					       "	.globl malloc\n"
					       "	.type malloc,@function\n"
					       "	.set malloc, __interceptor_malloc\n"
					       "	function __interceptor_malloc\n"
					       "	function last\n"
					       "	.section .note.GNU-stack,\"\",@progbits\n";

static const struct {
	const char *name;
	bool own;
} expected[] = { { "own", true },
		 { "__asan_init", false },
		 { "_ZN11__sanitizer13StopTheWorldE", false },
		 { "malloc", false },
		 { "last", true } };

static void plan(const char *options, bool run_time)
{
	char path[600];
	struct bob_plan_image img;
	struct bob_mem_plan mem;
	size_t found = 0;

	test_assemble("sanitizer", source, options, path, sizeof(path));
	assert_int_equal(bob_mem_plan_open(path, &img, &mem, NULL), BOB_OK);
	assert_int_equal(bob_plan_patch(&img), BOB_OK);
	for (size_t k = 0; k < img.funcs.count; k++) {
		const struct bob_plan_candidate *f = &img.funcs.at[k];

		for (size_t i = 0; f->name && i < sizeof(expected) / sizeof(expected[0]); i++) {
			bool own = expected[i].own && !run_time;

			if (strcmp(f->name, expected[i].name))
				continue;
			found++;
			assert_int_equal(f->skip, own ? BOB_SKIP_NONE : BOB_SKIP_SANITIZER);
			assert_int_equal(f->out.kind != BOB_PATCH_NONE, own);
			assert_int_equal(mem.funcs.at[k].decline,
					 own ? BOB_MEM_TAKEN : BOB_MEM_RUN_TIME);
		}
	}
	assert_int_equal(found, sizeof(expected) / sizeof(expected[0]));
	bob_mem_plan_free(&mem);
	bob_plan_elf_close(&img);
}

static void test_program(void **state)
{
	(void)state;
	plan("-shared -Wl,-soname,libown.so", false);
	plan("-no-pie -Wl,-e,own", false);
}

static void test_library(void **state)
{
	(void)state;
	plan("-shared -Wl,-soname,libasan.so.8", true);
	plan("-shared -Wl,-soname,libclang_rt.tsan-x86_64.so", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
