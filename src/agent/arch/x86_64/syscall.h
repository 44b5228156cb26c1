/* SPDX-License-Identifier: BSD-3-Clause */
/* Raw system calls by number, x86-64 Linux. A negative result is -errno. */
#ifndef BOB_AGENT_ARCH_SYSCALL_H
#define BOB_AGENT_ARCH_SYSCALL_H

static inline long sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#define sys0(nr) sys6(nr, 0, 0, 0, 0, 0, 0)
#define sys1(nr, a) sys6(nr, a, 0, 0, 0, 0, 0)
#define sys2(nr, a, b) sys6(nr, a, b, 0, 0, 0, 0)
#define sys3(nr, a, b, c) sys6(nr, a, b, c, 0, 0, 0)
#define sys4(nr, a, b, c, d) sys6(nr, a, b, c, d, 0, 0)
#define sys5(nr, a, b, c, d, e) sys6(nr, a, b, c, d, e, 0)

#endif
