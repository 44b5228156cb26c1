/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the calls of a kernel with no tool: in the counting build every function begins with a
 * call of __fentry__ (gcc -pg -mfentry; inlined functions have none), and the count is printed at
 * exit. Ground truth for what tracers of the main image see. */
#include <stdint.h>
#include <stdio.h>

void count_print(void);

__attribute__((visibility("hidden"))) uint64_t count_calls;

__asm__(".text\n"
	".globl __fentry__\n"
	".type __fentry__, @function\n"
	"__fentry__:\n"
	"	lock incq count_calls(%rip)\n"
	"	ret\n"
	".size __fentry__, . - __fentry__\n");

__attribute__((destructor)) void count_print(void)
{
	fprintf(stderr, "calls %llu\n", (unsigned long long)count_calls);
}
