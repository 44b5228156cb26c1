/* SPDX-License-Identifier: BSD-3-Clause */
/* For left.f90: t_out, which is hooked, never returns, but jumps out. */
#include <setjmp.h>

static jmp_buf back;

void t_out(int n, int *total);
void leave_(const int *n, int *total);

__attribute__((noinline)) void t_out(int n, int *total)
{
	*total += n;
	longjmp(back, 1);
}

void leave_(const int *n, int *total)
{
	if (!setjmp(back))
		t_out(*n, total);
}
