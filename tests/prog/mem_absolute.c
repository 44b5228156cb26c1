/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses with an absolute address of 32 bits in the instruction, wherever the program is
 * loaded. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
__attribute__((noinline)) long once(int i)
{
	long v;
	__asm__ volatile("movl %0, 0x100010" : : "r"(i) : "memory");
	__asm__ volatile("mov 0x100018, %0" : "=r"(v) : : "memory");
	return v;
}
__attribute__((noinline)) long loop(int n, long *p)
{
	long v = 0, s = 0;
	for (int i = 0; i < n; i++) {
		__asm__ volatile("addl $1, 0x100020\n\tmov 0x100028, %0"
				 : "=r"(v)
				 :
				 : "memory", "cc");
		s += v + p[i];
	}
	return s;
}
int main(void)
{
	static long a[64];
	if (mmap((void *)0x100000, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	    MAP_FAILED)
		return 1;
	long s = once(3) + loop(50, a);
	printf("%ld %d\n", s, *(volatile int *)0x100020);
	return 0;
}
