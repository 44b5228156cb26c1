/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses in functions that are inlined into each other. */
#define INLINE static inline __attribute__((always_inline))

static volatile int a[40];

INLINE void put(int i, int x)
{
	a[i] = x;
}

INLINE void both(int i)
{
	put(i, i);
	put(i + 1, a[i]);
}

int main(void)
{
	for (int i = 0; i < 30; i++)
		both(i);
	put(0, 1);
	return 0;
}
