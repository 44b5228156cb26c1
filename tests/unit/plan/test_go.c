/* SPDX-License-Identifier: BSD-3-Clause */
/* Images with code of Go's compiler: Go's table of functions says which functions are Go's; without
 * it none are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/image.h"
#include "assemble.h"

/* Symbols of the assembler: GO, the image has Go's note; MAGIC and COUNT, in the table. */
static const char source[] = ASSEMBLE_FUNCTION
	"	.text\n"
	"	function before\n"
	"	.p2align 4, 0xcc\n"
	".Ltext:\n"
	"	function first\n"
	"	function second\n"
	".Letext:\n"
	"	function after\n"
	"	.ifdef GO\n"
	"	.section .go.buildinfo, \"aw\"\n"
	"	.quad 0\n"
	"	.endif\n"
	"	.section .data.rel.ro, \"aw\"\n"
	"	.p2align 3\n"
	"	.quad 0x1234\n"
	".Ltable:\n"
	"	.long MAGIC\n"
	"	.byte 0, 0, 1, 8\n"
	"	.quad COUNT, 1, .Ltext, 0, 0, 0, 0\n"
	"	.quad .Llist - .Ltable\n"
	".Llist:\n"
	"	.long first - .Ltext, 0, second - .Ltext, 0, .Letext - .Ltext\n"
	"	.section .note.GNU-stack,\"\",@progbits\n";

static uint8_t skip_of(const void *plan, const char *name)
{
	const struct bob_plan_head *h = plan;
	const struct bob_plan_func *f = (const void *)((const uint8_t *)plan + h->funcs.off);
	const char *names = (const char *)plan + h->names.off;

	for (uint32_t i = 0; i < h->func_count; i++)
		if (f[i].name != UINT32_MAX && !strcmp(names + f[i].name, name))
			return f[i].skip;
	fail_msg("no function %s", name);
	return 0;
}

static void plan(const char *options, uint8_t of_c, uint8_t of_go)
{
	static const char *const c[] = { "before", "after" }, *const go[] = { "first", "second" };
	char path[600];
	void *p;
	size_t len;

	test_assemble("go", source, options, path, sizeof(path));
	assert_int_equal(bob_plan_image(path, &p, &len, NULL, NULL), BOB_OK);
	assert_int_equal(bob_plan_check(p, len, 0), BOB_OK);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(skip_of(p, c[i]), of_c);
		assert_int_equal(skip_of(p, go[i]), of_go);
	}
	free(p);
}

#define KNOWN "-Wa,--defsym,MAGIC=0xfffffff0,--defsym,COUNT=2 "
#define NEWER "-Wa,--defsym,MAGIC=0xfffffff1,--defsym,COUNT=2 "
#define OLDER "-Wa,--defsym,MAGIC=0xfffffffb,--defsym,COUNT=2 "
#define SHORT "-Wa,--defsym,MAGIC=0xfffffff0,--defsym,COUNT=0x1fffffffffffffff "
#define GO "-Wa,--defsym,GO=1 "

static void test_table_says(void **state)
{
	(void)state;
	plan(KNOWN GO "-shared", BOB_SKIP_NONE, BOB_SKIP_GO);
	plan(NEWER GO "-shared", BOB_SKIP_NONE, BOB_SKIP_GO);
	plan(KNOWN GO "-no-pie -Wl,-e,first", BOB_SKIP_NONE, BOB_SKIP_GO);
	plan(KNOWN GO "-shared -s", BOB_SKIP_NONE, BOB_SKIP_GO);
}

static void test_no_hint(void **state)
{
	(void)state;
	plan(OLDER GO "-shared", BOB_SKIP_GO, BOB_SKIP_GO);
	plan(SHORT GO "-shared", BOB_SKIP_GO, BOB_SKIP_GO);
}

static void test_no_go(void **state)
{
	(void)state;
	plan(KNOWN "-shared", BOB_SKIP_NONE, BOB_SKIP_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_says),
		cmocka_unit_test(test_no_hint),
		cmocka_unit_test(test_no_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
