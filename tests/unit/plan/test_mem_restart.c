/* SPDX-License-Identifier: BSD-3-Clause */
/* Code in restartable sequences is not translated, all other code of the image is; whatever form
 * the addresses in the descriptors have. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/image.h"
#include "plan/mem/mem.h"
#include "assemble.h"

/* As programs have it; `last` begins where the sequence of `taken` ends. */
static const char source[] = "	.macro function name\n"
			     "	.globl \\name\n"
			     "	.hidden \\name\n"
			     "	.type \\name,@function\n"
			     "\\name:	.cfi_startproc\n"
			     "	.endm\n"
			     "	.macro end name\n"
			     "	.cfi_endproc\n"
			     "	.size \\name,.-\\name\n"
			     "	.endm\n"
			     "	.macro sequence start, end, abort\n"
			     "	.pushsection __rseq_cs, \"aw\"\n"
			     "	.balign 32\n"
			     "	.long 0, 0\n"
			     "	.quad \\start, \\end - \\start, \\abort\n"
			     "	.popsection\n"
			     "	.endm\n"
			     "	.text\n"
			     "	function first\n"
			     "	mov (%rdi), %rax\n"
			     "	ret\n"
			     "	end first\n"
			     "	function middle\n" /* within the function */
			     "1:	mov %rdi, %rdx\n"
			     "	mov (%rdi), %rax\n"
			     "	inc %rax\n"
			     "	mov %rax, (%rdi)\n"
			     "2:	ret\n"
			     "	end middle\n"
			     "	sequence 1b, 2b, broken_off\n"
			     "	function taken\n" /* to its last byte */
			     "1:	mov (%rdi), %rax\n"
			     "	mov %rax, (%rsi)\n"
			     "	ret\n"
			     "2:	end taken\n"
			     "	sequence 1b, 2b, broken_off\n"
			     "	function last\n"
			     "	mov (%rdi), %rax\n"
			     "	ret\n"
			     "	end last\n"
			     "	function before_abort\n" /* has the signature */
			     "	mov (%rdi), %rax\n"
			     "	jmp *%rax\n"
			     "	.long 0x53053053\n"
			     "	end before_abort\n"
			     "	function broken_off\n"
			     "	mov (%rdi), %rax\n"
			     "	jmp first\n"
			     "	end broken_off\n"
			     "	function after\n"
			     "	mov (%rdi), %rax\n"
			     "	ret\n"
			     "	end after\n"
			     "	.section .note.GNU-stack,\"\",@progbits\n";

static const struct {
	const char *name;
	unsigned decline;
} expected[] = {
	{ "first", BOB_MEM_TAKEN },	     { "middle", BOB_MEM_RESTART },
	{ "taken", BOB_MEM_RESTART },	     { "last", BOB_MEM_TAKEN },
	{ "before_abort", BOB_MEM_RESTART }, { "broken_off", BOB_MEM_RESTART },
	{ "after", BOB_MEM_TAKEN },
};

/* Some linkers leave nothing where a relocation puts an address. */
static void forget_addends(uint8_t *file)
{
	const Elf64_Ehdr *e = (const void *)file;
	const Elf64_Shdr *sh = (const void *)(file + e->e_shoff), *cs = NULL;
	const char *names = (const char *)file + sh[e->e_shstrndx].sh_offset;
	unsigned count = 0;

	for (unsigned i = 0; i < e->e_shnum; i++)
		if (!strcmp(names + sh[i].sh_name, "__rseq_cs"))
			cs = &sh[i];
	assert_non_null(cs);
	for (unsigned i = 0; i < e->e_shnum; i++) {
		const Elf64_Rela *r = (const void *)(file + sh[i].sh_offset);

		for (size_t k = 0; sh[i].sh_type == SHT_RELA && k < sh[i].sh_size / sizeof(*r); k++)
			if (r[k].r_offset - cs->sh_addr < cs->sh_size) {
				memset(file + cs->sh_offset + (r[k].r_offset - cs->sh_addr), 0, 8);
				count++;
			}
	}
	assert_int_equal(count, 4);
}

static void change_file(const char *path, void (*change)(uint8_t *file))
{
	static uint8_t file[1 << 16] __attribute__((aligned(8)));
	FILE *f = fopen(path, "r+");
	size_t n;

	assert_non_null(f);
	n = fread(file, 1, sizeof(file), f);
	assert_true(n < sizeof(file));
	change(file);
	rewind(f);
	assert_int_equal(fwrite(file, 1, n, f), n);
	fclose(f);
}

static unsigned decline_of(const struct bob_plan_image *img, const struct bob_mem_plan *plan,
			   const char *name)
{
	for (size_t i = 0; i < plan->funcs.count; i++) {
		const struct bob_mem_func *f = &plan->funcs.at[i];

		if (f->func != BOB_PLAN_NO_INDEX && !strcmp(img->funcs.at[f->func].name, name))
			return f->decline;
	}
	return BOB_MEM_DECLINES;
}

static void plan_and_compare(const char *options, void (*change)(uint8_t *file))
{
	struct bob_plan_image img;
	struct bob_mem_plan plan;
	struct bob_error err = { 0 };
	char path[600];

	test_assemble("mem_restart", source, options, path, sizeof(path));
	if (change)
		change_file(path, change);
	assert_int_equal(bob_mem_plan_open(path, &img, &plan, &err), BOB_OK);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		unsigned decline = decline_of(&img, &plan, expected[i].name);

		if (decline != expected[i].decline)
			fail_msg("%s: %s: %s", options, expected[i].name,
				 bob_mem_decline_text(decline));
	}
	bob_mem_plan_free(&plan);
	bob_plan_elf_close(&img);
}

static void test_relocated(void **state)
{
	(void)state;
	plan_and_compare("-shared", NULL);
	plan_and_compare("-shared", forget_addends);
	plan_and_compare("-shared -Wl,-z,pack-relative-relocs", NULL);
}

static void test_fixed(void **state)
{
	(void)state;
	plan_and_compare("-no-pie -Wl,-e,first", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_relocated),
		cmocka_unit_test(test_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
