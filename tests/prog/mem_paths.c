/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions called from several places, and by themselves: what they store is known. */
volatile int a[100];
volatile long b[10];

__attribute__((noinline)) void inner(int i)
{
	for (int k = 0; k < 4; k++)
		a[i * 4 + k] = k;
}

__attribute__((noinline)) void outer(void)
{
	for (int i = 0; i < 3; i++) {
		inner(i);
		b[i]++;
	}
}

__attribute__((noinline)) int deep(int n)
{
	b[n] = n;
	return n ? deep(n - 1) + (int)b[n] : 0;
}

int main(void)
{
	outer();
	inner(7);
	return deep(5) != 15;
}
