/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways into the first bytes of a function that no branch, symbol or pointer of the code shows:
 * landing pads, rows of call frame information, sites of run times. Each function below would be
 * hooked by a jump of five bytes if the rule for it were missing, as its counterpart `plain` is;
 * some may be hooked after NOPs that belong to others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/image.h"
#include "assemble.h"

#define HOOKED BOB_SKIP_NONE

/* No padding between functions, or a jump of two bytes could lead there. */
static const char source[] =
	"	.macro function name\n"
	"	.globl \\name\n"
	"	.type \\name,@function\n"
	"\\name:	.cfi_startproc\n"
	"	.endm\n"
	"	.macro end name\n"
	"	.cfi_endproc\n"
	"	.size \\name,.-\\name\n"
	"	.endm\n"
	"	.macro body nops\n"
	"	.rept \\nops\n"
	"	nop\n"
	"	.endr\n"
	"	.endm\n"
	"	.macro rest\n"
	"	mov (%rdi), %rax\n"
	"	mov (%rax), %rax\n"
	"	ret\n"
	"	.endm\n"
	/* a table with one call site, whose pad is `pad` bytes from the function's start */
	"	.macro table label, pad\n"
	"	.pushsection .gcc_except_table, \"a\"\n"
	"\\label:	.byte 0xff, 0xff, 0x01, 4\n"
	"	.byte 0, 1, \\pad, 0\n"
	"	.popsection\n"
	"	.endm\n"
	"	.macro lands name, pad\n"
	"	function \\name\n"
	"	.cfi_personality 0x9b, DW.ref.__gxx_personality_v0\n"
	"	.cfi_lsda 0x1b, .Ltable_\\name\n"
	"	body 6\n"
	"	rest\n"
	"	end \\name\n"
	"	table .Ltable_\\name, \\pad\n"
	"	.endm\n"
	"	.macro routine name\n"
	"	.pushsection .data.rel.DW.ref.\\name, \"aw\"\n"
	"	.balign 8\n"
	"	.hidden DW.ref.\\name\n"
	"	.globl DW.ref.\\name\n"
	"DW.ref.\\name:	.quad \\name\n"
	"	.popsection\n"
	"	.endm\n"
	"	routine __gxx_personality_v0\n"
	"	routine their_personality\n"
	"	.text\n"
	"	function first\n"
	"	rest\n"
	"	end first\n"
	"	.ifdef OWN\n"
	"	function __gxx_personality_v0\n"
	"	rest\n"
	"	end __gxx_personality_v0\n"
	"	function their_personality\n"
	"	rest\n"
	"	end their_personality\n"
	"	.endif\n"
	"	function plain\n"
	"	body 6\n"
	"	rest\n"
	"	end plain\n"
	"	lands pad1, 1\n"
	"	lands pad2, 2\n"
	"	lands pad3, 3\n"
	"	lands pad4, 4\n"
	"	lands pad5, 5\n"
	"	lands pad_nowhere, 0\n"
	/* a cold part, whose pad follows a nop; it has no symbol */
	"	.cfi_startproc\n"
	"	.cfi_personality 0x9b, DW.ref.__gxx_personality_v0\n"
	"	.cfi_lsda 0x1b, .Ltable_cold\n"
	"	body 6\n"
	"	rest\n"
	"	.cfi_endproc\n"
	"	table .Ltable_cold, 1\n"
	"	function after_cold\n"
	"	body 6\n"
	"	rest\n"
	"	end after_cold\n"
	/* unreadable tables */
	"	function theirs\n"
	"	.cfi_personality 0x9b, DW.ref.their_personality\n"
	"	.cfi_lsda 0x1b, .Ltable_theirs\n"
	"	body 6\n"
	"	rest\n"
	"	end theirs\n"
	"	table .Ltable_theirs, 0\n"
	"	function no_table\n" /* of the same CIE */
	"	.cfi_personality 0x9b, DW.ref.their_personality\n"
	"	body 6\n"
	"	rest\n"
	"	end no_table\n"
	"	function broken\n"
	"	.cfi_personality 0x9b, DW.ref.__gxx_personality_v0\n"
	"	.cfi_lsda 0x1b, .Ltable_broken\n"
	"	body 6\n"
	"	rest\n"
	"	end broken\n"
	"	.pushsection .gcc_except_table, \"a\"\n"
	".Ltable_broken:	.byte 0xff, 0xff, 0x01, 0xff, 0xff, 0xff, 0x7f\n"
	"	.popsection\n"
	"	function outside\n" /* the pad is not in code */
	"	.cfi_personality 0x9b, DW.ref.__gxx_personality_v0\n"
	"	.cfi_lsda 0x1b, .Ltable_outside\n"
	"	body 6\n"
	"	rest\n"
	"	end outside\n"
	"	.pushsection .gcc_except_table, \"a\"\n"
	".Ltable_outside:	.byte 0xff, 0xff, 0x01, 8, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x7f, 0\n"
	"	.popsection\n"
	/* rows of call frame information */
	"	function row_jumps\n"
	"	nop\n"
	"	.cfi_def_cfa_offset 16\n"
	"	body 5\n"
	"	rest\n"
	"	end row_jumps\n"
	"	function row_of_push\n"
	"	push %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	sub $16, %rsp\n"
	"	.cfi_def_cfa_offset 32\n"
	"	rest\n"
	"	end row_of_push\n"
	"	function row_of_frame\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset 6, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register 6\n"
	"	rest\n"
	"	end row_of_frame\n"
	"	function row_too_early\n"
	"	nop\n"
	"	.cfi_def_cfa_offset 16\n"
	"	push %rbx\n"
	"	body 4\n"
	"	rest\n"
	"	end row_too_early\n"
	/* restartable sequences */
	"	.macro sequence start, end, abort\n"
	"	.pushsection __rseq_cs, \"aw\"\n"
	"	.balign 32\n"
	"	.long 0, 0\n"
	"	.quad \\start, \\end - \\start, \\abort\n"
	"	.popsection\n"
	"	.endm\n"
	"	function in_sequence\n"
	"	nop\n"
	"	nop\n"
	"11:	mov (%rdi), %rax\n"
	"12:	rest\n"
	"	end in_sequence\n"
	"	function aborts\n"
	"	push %rax\n"
	"	.cfi_def_cfa_offset 16\n"
	"	push %rax\n"
	"	.cfi_def_cfa_offset 24\n"
	"13:	body 6\n"
	"	rest\n"
	"	end aborts\n"
	"	sequence 11b, 12b, 13b\n"
	/* USDT */
	"	.pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
	"	.weak _.stapsdt.base\n"
	"	.hidden _.stapsdt.base\n"
	"_.stapsdt.base:	.space 1\n"
	"	.size _.stapsdt.base, 1\n"
	"	.popsection\n"
	"	.macro probe\n"
	"990:	nop\n"
	"	.pushsection .note.stapsdt, \"?\", \"note\"\n"
	"	.balign 4\n"
	"	.4byte 992f-991f, 994f-993f, 3\n"
	"991:	.asciz \"stapsdt\"\n"
	"992:	.balign 4\n"
	"993:	.8byte 990b\n"
	"	.8byte _.stapsdt.base\n"
	"	.8byte 0\n"
	"	.asciz \"t\"\n"
	"	.asciz \"p\"\n"
	"	.asciz \"\"\n"
	"994:	.balign 4\n"
	"	.popsection\n"
	"	.endm\n"
	"	function probed\n"
	"	push %rax\n"
	"	.cfi_def_cfa_offset 16\n"
	"	push %rax\n"
	"	.cfi_def_cfa_offset 24\n"
	"	probe\n"
	"	body 3\n"
	"	rest\n"
	"	end probed\n"
	"	function probed_first\n"
	"	probe\n"
	"	body 5\n"
	"	rest\n"
	"	end probed_first\n"
	/* patchable entries, XRay */
	"	function patchable\n"
	"	body 5\n"
	"	rest\n"
	"	end patchable\n"
	"	.pushsection __patchable_function_entries, \"aw\"\n"
	"	.balign 8\n"
	"	.quad patchable_site\n"
	"	.popsection\n"
	"	.hidden patchable_site\n"
	"	.set patchable_site, patchable\n"
	"	function sled\n"
	"17:	.byte 0xeb, 0x09\n"
	"	.byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0\n"
	"	rest\n"
	"	end sled\n"
	"	function sled_later\n"
	"	push %rax\n"
	"	.cfi_def_cfa_offset 16\n"
	"14:	ret\n"
	"	.byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0\n"
	"	rest\n"
	"	end sled_later\n"
	"	.macro xray at, kind\n"
	"	.pushsection xray_instr_map, \"a\"\n"
	"15:	.quad \\at - 15b, 0\n"
	"	.byte \\kind, 1, 2\n"
	"	.zero 13\n"
	"	.popsection\n"
	"	.endm\n"
	"	xray 17b, 0\n"
	"	xray 14b, 1\n"
	/* relocation by symbol; data */
	"	function pointed\n"
	"	body 6\n"
	"	rest\n"
	"	end pointed\n"
	"	.pushsection .data\n"
	"	.balign 8\n"
	"	.quad pointed + 2\n"
	"	.popsection\n"
	/* how code of the large model finds its global offset table, and something like it */
	"	.macro own_address name, then:vararg\n"
	"	function \\name\n"
	"	push %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"21:	lea 21b(%rip), %rbx\n"
	"	\\then\n"
	"	rest\n"
	"	end \\name\n"
	"	.endm\n"
	"	own_address large, movabs $0x123456789a, %r11\n"
	"	own_address not_large, mov $16, %r11d\n"
	"	function before_data\n" /* which looks like padding */
	"	ret\n"
	"	end before_data\n"
	"	.type data, @object\n"
	"	.size data, 8\n"
	"data:	body 8\n"
	"	function last\n"
	"	body 6\n"
	"	rest\n"
	"	end last\n"
	"	.section .note.GNU-stack,\"\",@progbits\n";

static const struct {
	const char *name;
	unsigned skip, delta;
} expected[] = {
	{ "plain", HOOKED, 0 },
	{ "pad1", BOB_SKIP_BRANCH, 0 },
	{ "pad2", BOB_SKIP_BRANCH, 0 },
	{ "pad3", BOB_SKIP_BRANCH, 0 },
	{ "pad4", BOB_SKIP_BRANCH, 0 },
	{ "pad5", HOOKED, 0 },
	{ "pad_nowhere", HOOKED, 0 },
	{ "after_cold", HOOKED, 0 },
	{ "theirs", BOB_SKIP_UNWIND, 0 },
	{ "no_table", HOOKED, 0 },
	{ "broken", BOB_SKIP_UNWIND, 0 },
	{ "outside", BOB_SKIP_UNWIND, 0 },
	{ "row_jumps", BOB_SKIP_BRANCH, 0 },
	{ "row_of_push", HOOKED, 0 },
	{ "row_of_frame", HOOKED, 0 },
	{ "row_too_early", BOB_SKIP_BRANCH, 0 },
	{ "in_sequence", BOB_SKIP_SITE, 0 },
	{ "aborts", BOB_SKIP_SITE, 0 },
	{ "probed", BOB_SKIP_SITE, 0 },
	{ "probed_first", HOOKED, 1 },
	{ "patchable", HOOKED, 5 },
	{ "sled", HOOKED, 11 },
	{ "sled_later", BOB_SKIP_SITE, 0 },
	{ "pointed", BOB_SKIP_BRANCH, 0 },
	{ "large", HOOKED, 0 },
	{ "not_large", BOB_SKIP_BRANCH, 0 },
	{ "before_data", BOB_SKIP_SHORT, 0 },
	{ "last", HOOKED, 0 },
};

static const struct bob_plan_func *find(const void *plan, const char *name)
{
	const struct bob_plan_head *h = plan;
	const struct bob_plan_func *f = (const void *)((const uint8_t *)plan + h->funcs.off);
	const char *names = (const char *)plan + h->names.off;

	for (uint32_t i = 0; i < h->func_count; i++)
		if (f[i].name != UINT32_MAX && !strcmp(names + f[i].name, name))
			return &f[i];
	return NULL;
}

static unsigned compare(const void *plan, const char *options)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct bob_plan_func *f = find(plan, expected[i].name);

		if (f && f->skip == expected[i].skip && f->patch_delta == expected[i].delta &&
		    (f->kind == BOB_PATCH_NONE) == (f->skip != BOB_SKIP_NONE))
			continue;
		fprintf(stderr, "%s: %s: %s, after %u bytes\n", options, expected[i].name,
			f ? bob_plan_skip_text(f->skip) : "no function", f ? f->patch_delta : 0);
		wrong++;
	}
	return wrong;
}

/* The stretch of code without a symbol is a part, no function. */
static void cold_part_is_no_function(const void *plan)
{
	const struct bob_plan_func *before = find(plan, "pad_nowhere");
	const struct bob_plan_func *after = find(plan, "after_cold");

	assert_non_null(before);
	assert_ptr_equal(before + 1, after);
	assert_true(after->addr - before->addr > before->size);
}

static void plan_and_compare(const char *options)
{
	char path[600];
	void *plan;
	size_t len;

	test_assemble("entries", source, options, path, sizeof(path));
	assert_int_equal(bob_plan_image(path, &plan, &len, NULL, NULL), BOB_OK);
	assert_int_equal(bob_plan_check(plan, len, 0), BOB_OK);
	assert_int_equal(compare(plan, options), 0);
	cold_part_is_no_function(plan);
	free(plan);
}

static void test_linkers(void **state)
{
	(void)state;
	plan_and_compare("-shared");
	plan_and_compare("-shared -Wl,-z,pack-relative-relocs");
	plan_and_compare("-shared -Wl,-Bsymbolic");
	plan_and_compare("-no-pie -Wl,-e,first -Wa,--defsym,OWN=1");
	plan_and_compare("-static-pie -Wl,-e,first -Wa,--defsym,OWN=1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linkers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
