/* SPDX-License-Identifier: BSD-3-Clause */
/* alloca and variable-length arrays: the caller's stack pointer at a call is not a constant. */
#include <alloca.h>
#include <string.h>

#include "truth.h"

TFN int t_leaf(volatile char *p, int n)
{
	ENTER(t_leaf);
	p[n - 1] = (char)n;
	LEAVE;
	return p[n - 1];
}

TFN int t_alloca(int n)
{
	int r = 0;

	ENTER(t_alloca);
	for (int i = 1; i <= n; i++) {
		char *p = (char *)alloca((size_t)i * 24);

		memset(p, 0, (size_t)i * 24);
		r += t_leaf(p, i);
	}
	LEAVE;
	return r;
}

TFN int t_vla(int n)
{
	int r = 0;

	ENTER(t_vla);
	for (int i = 1; i <= n; i++) {
		char v[i * 16];

		r += t_leaf(v, i);
		if (i % 3 == 0)
			r += t_alloca(i % 5) * 0;
	}
	LEAVE;
	return r;
}

/* Vectors wider than the stack's alignment make the compiler realign the frame. */
typedef float wide __attribute__((vector_size(64)));

TFN int t_realigned(int n)
{
	wide w = { 0 };
	volatile wide *vw = &w;
	int r;

	ENTER(t_realigned);
	(*vw)[n & 15] = 1;
	r = t_leaf((volatile char *)vw, 64) + (int)(*vw)[n & 15];
	r += n ? t_realigned(n - 1) : 0;
	LEAVE;
	return r;
}

int main(void)
{
	int ok;

	truth_begin(0, 1 << 16);
	ok = t_alloca(20) == 210 && t_vla(20) == 210;
	ok = t_realigned(9) >= 640 && ok;
	/* t_vla: i = 3, 6, 9, 12, 15, 18 call t_alloca(3, 1, 4, 2, 0, 3) */
	return truth_end(21 + 21 + 6 + 13 + 20, ok);
}
