/* SPDX-License-Identifier: BSD-3-Clause */
/* In each iteration the same two stores, in random order: first to two arrays, then to one place,
 * where they must not be reordered. In assembly, because compilers generate separate code for each
 * order. */
#define N 4000

static volatile char first[N];
static volatile long a[N], b[N], c;

static void both(int r, volatile long *p, volatile long *q, long value)
{
	long k, t;

	__asm__ volatile("xorl %k[k], %k[k]\n"
			 "1: movl %k[k], %k[t]\n"
			 "xorl %[r], %k[t]\n"
			 "testl $1, %k[t]\n"
			 "jz 2f\n"
			 "movq %[value], (%[p])\n"
			 "jmp 3f\n"
			 "2: movq %[value], (%[q])\n"
			 "3: incl %k[k]\n"
			 "cmpl $2, %k[k]\n"
			 "jne 1b\n"
			 : [k] "=&r"(k), [t] "=&r"(t)
			 : [r] "r"(r), [p] "r"(p), [q] "r"(q), [value] "r"(value)
			 : "memory", "cc");
}

int main(void)
{
	unsigned long state = 1;

	for (int i = 0; i < N; i++) {
		state = state * 6364136223846793005ul + 1442695040888963407ul;
		first[i] = state >> 60 & 1;
	}
	for (int i = 0; i < N; i++)
		both(first[i], &a[i], &b[i], i);
	for (int i = 0; i < 40; i++)
		both(first[i], &c, &c, i);
	return 0;
}
