/* SPDX-License-Identifier: BSD-3-Clause */
/* Proof that the freestanding parts need nothing of libc but the four functions below: they are
 * linked with this file and nothing else. Running it only shows that the program is loadable. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
_Noreturn void _start(void);

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	return memmove(to, from, n);
}

void *memmove(void *to, const void *from, size_t n)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if (t < f)
		for (size_t i = 0; i < n; i++)
			t[i] = f[i];
	else
		while (n--)
			t[n] = f[n];
	return to;
}

void *memset(void *to, int c, size_t n)
{
	unsigned char *t = to;

	while (n--)
		t[n] = (unsigned char)c;
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

_Noreturn void _start(void)
{
	long number = 60; /* exit */

	__asm__ volatile("syscall" : "+a"(number) : "D"(0L) : "rcx", "r11", "memory");
	__builtin_unreachable();
}
