/* SPDX-License-Identifier: BSD-3-Clause */
/* Order within expressions: test_instrument_exact.py has the expected records, written by hand. */
#include <stdio.h>

static int n, a[8] = { 0, 1, 2, 3, 4, 5, 6, 7 }, b[8];

static int bump(int by)
{
	n += by;
	return n;
}

static int add(int x, int y)
{
	return x + y;
}

int main(void)
{
	int i, which = 0;

	b[0] = a[0] && a[bump(1)] ? a[2] : a[3];
	b[1] = a[1] || a[bump(1)];
	b[2] = ((void)a[4], a[bump(1)] ? a[5] : a[6]);
	a[bump(1)] += 1;
	n = 0;
	which = add(a[bump(1)], b[bump(1)]);
	for (i = 0; i < 2; i++)
		b[i] = a[i + 1];
	printf("%d %d %d %d %d\n", b[0], b[1], b[2], a[2], which);
	return 0;
}
