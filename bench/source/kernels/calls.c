/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that get one of two matrices, the first in one of 20 calls.
 * calls TIMES */
#include <stdio.h>
#include <stdlib.h>

#define N 200

static double a[N][N], b[N][N];
static int order[N];

/* loops with one probe */
static void smooth(double (*x)[N])
{
	for (int i = 1; i < N - 1; i++)
		for (int j = 1; j < N - 1; j++)
			x[i][j] = 0.25 * (x[i][j - 1] + x[i][j + 1] + x[i - 1][j] + x[i + 1][j]);
}

/* an access at a time */
static double gather(double (*x)[N], double s)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			s += x[order[i]][order[j]];
	return s;
}

static double sum(double (*x)[N])
{
	double s = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			s += x[i][j];
	return s;
}

int main(int argc, char **argv)
{
	const int times = argc > 1 ? atoi(argv[1]) : 20;
	double total = 0;

	for (int i = 0; i < N; i++) {
		order[i] = i * 37 % N;
		for (int j = 0; j < N; j++) {
			a[i][j] = (i + 1) * (j + 1) % 17;
			b[i][j] = (i + j) % 13;
		}
	}
	for (int time = 1; time <= times; time++) {
		if (time % 20 == 0) {
			smooth(a);
			total = gather(a, total);
		} else {
			smooth(b);
			total = gather(b, total);
		}
	}
	printf("%24.16e %24.16e %24.16e\n", total, sum(a), sum(b));
	return 0;
}
