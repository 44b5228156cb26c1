/* SPDX-License-Identifier: BSD-3-Clause */
/* The four functions that compilers may call implicitly. String instructions use no vector
 * register, and microcode makes them fast for long blocks. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *p, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	void *d = to;

	__asm__ volatile("rep movsb" : "+D"(d), "+S"(from), "+c"(n) : : "memory");
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	char *d = to;
	const char *s = from;

	if ((size_t)(d - s) >= n)
		return memcpy(to, from, n);
	while (n--)
		__asm__ volatile("movb %1, %%al\n\tmovb %%al, %0" : "=m"(d[n]) : "m"(s[n]) : "al");
	return to;
}

void *memset(void *p, int c, size_t n)
{
	void *d = p;

	__asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(c) : "memory");
	return p;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;

	for (size_t i = 0; i < n; i++) {
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
		__asm__ volatile(""
				 :
				 :
				 : "memory"); /* prevents gcc from replacing this loop by a
						      * call of memcmp */
	}
	return 0;
}
