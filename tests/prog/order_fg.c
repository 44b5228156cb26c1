/* SPDX-License-Identifier: BSD-3-Clause */
/* f() + g(): in which order does it call them? The language does not say, a trace does. The
 * program prints the call tree that the trace must show. */
#include <string.h>

#include "truth.h"

static char tree[1 << 14];

static inline __attribute__((always_inline)) void draw(const char *name)
{
	size_t n = strlen(tree);

	snprintf(tree + n, sizeof(tree) - n, "%*s%s\n", (int)(DEPTH_NOW() - 1) * 2, "", name);
}

#define IN(name)                                                                                   \
	do {                                                                                       \
		ENTER(name);                                                                       \
		draw(#name);                                                                       \
	} while (0)

TFN int t_h(int n)
{
	IN(t_h);
	LEAVE;
	return n;
}

TFN int t_f(int n)
{
	int r;

	IN(t_f);
	r = t_h(n) + 1;
	LEAVE;
	return r;
}

TFN int t_g(int n)
{
	int r;

	IN(t_g);
	r = t_h(n) * t_h(2);
	LEAVE;
	return r;
}

TFN int t_k(int a, int b)
{
	IN(t_k);
	LEAVE;
	return a - b;
}

TFN int t_sum(int n)
{
	int r;

	IN(t_sum);
	r = t_f(n) + t_g(n);
	r += t_k(t_f(n), t_g(n));
	r += t_f(n) && t_g(n) ? t_h(0) : t_k(0, 0);
	LEAVE;
	return r;
}

int main(void)
{
	int r;

	truth_begin(0, 1 << 12);
	r = t_sum(3) + t_sum(4);
	fputs(tree, stdout);
	return truth_end(2 * 18, r == (4 + 6 + 4 - 6) + (5 + 8 + 5 - 8));
}
