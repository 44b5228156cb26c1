/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops and calls of all kinds, left in all ways. test_instrument.py has the expected counts. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 6
#define TWICE(x) twice(x)
#define EACH(i, n) for (int i = 0; i < (n); i++)

static double a[N][N], sum;
static jmp_buf out;

static int twice(int x)
{
	return 2 * x;
}

static int descend(int n)
{
	if (n <= 0)
		return 0;
	return 1 + descend(n - 1);
}

/* Leaves the inner loop by a jump, and both by return. */
static int search(int want)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			if (i * N + j == want)
				return i;
			if (j > i)
				goto next;
			continue;
next:
			break;
		}
	return -1;
}

static int triangle(void)
{
	int n = 0, i = 0;

	while (i < N)
		do
			n += i;
		while (++i % 3);
	return n;
}

/* One probe for all that the inner nest accesses. */
static void smooth(void)
{
	for (int step = 0; step < 3; step++)
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++)
				a[i][j] = a[i][j] + 1;
}

static int duff(int n)
{
	int k = 0;

	switch (n % 2) {
	case 0:
		do {
			k++;
		case 1:
			k++;
		} while (--n > 0);
	}
	return k;
}

static void leap(int n)
{
	for (;;)
		if (!n--)
			longjmp(out, 1);
}

struct pair {
	int x, y;
};

static struct pair both(int x, int y)
{
	return (struct pair){ x, y };
}

int main(int argc, char **argv)
{
	int (*function)(int) = argc > 1 ? descend : twice;
	int n = 0;

	for (int k = 0; k < 4; k++)
		n += twice(twice(k)) + both(k, 1).y;
	n += descend(5) + TWICE(3) + (*function)(2);
	n += search(7) + search(100) + triangle() + duff(4);
	EACH(i, 2)
	n++;
	if (!setjmp(out))
		leap(3);
	smooth();
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			sum += a[i][j];
	for (int i = 5; i < 5; i++)
		n--;
	printf("%d %g %zu\n", n, sum, strlen(argv[0] + strlen(argv[0])));
	return 0;
}
