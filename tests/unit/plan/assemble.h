/* SPDX-License-Identifier: BSD-3-Clause */
/* An image made of assembly that a test holds as text. */
#ifndef BOB_TEST_PLAN_ASSEMBLE_H
#define BOB_TEST_PLAN_ASSEMBLE_H

#include <stdio.h>
#include <stdlib.h>

/* `function name`: three instructions that load. */
#define ASSEMBLE_FUNCTION                                                                          \
	"\t.macro function name\n"                                                                 \
	"\t.globl \\name\n"                                                                        \
	"\t.type \\name,@function\n"                                                               \
	"\t.p2align 4, 0xcc\n"                                                                     \
	"\\name:\t.cfi_startproc\n"                                                                \
	"\tmov (%rdi), %rax\n"                                                                     \
	"\tmov (%rax), %rax\n"                                                                     \
	"\tret\n"                                                                                  \
	"\t.cfi_endproc\n"                                                                         \
	"\t.size \\name,.-\\name\n"                                                                \
	"\t.endm\n"

/* NAME.S and NAME.elf beside the tests; *path gets the latter's. */
static void test_assemble(const char *name, const char *source, const char *options, char *path,
			  size_t capacity)
{
	const char *build = getenv("BOBBIN_BUILD");
	char text[600], command[1400];
	FILE *f;

	snprintf(text, sizeof(text), "%s/tests/%s.S", build ? build : "/tmp", name);
	snprintf(path, capacity, "%s/tests/%s.elf", build ? build : "/tmp", name);
	f = fopen(text, "w");
	assert_non_null(f);
	fputs(source, f);
	fclose(f);
	snprintf(command, sizeof(command), "gcc -nostdlib %s -o %s %s", options, path, text);
	assert_int_equal(system(command), 0);
}

#endif
