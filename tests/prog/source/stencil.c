/* SPDX-License-Identifier: BSD-3-Clause */
/* A plain program that is instrumented: arrays as arguments, a sum in a local variable. Prints its
 * results, which are the same with and without probes. */
#include <stdio.h>
#include <stdlib.h>

#define N 12

static double a[N][N], b[N][N];
double total;

static void smooth(double (*to)[N], double (*from)[N])
{
	for (int i = 1; i < N - 1; i++)
		for (int j = 1; j < N - 1; j++)
			to[i][j] = (from[i - 1][j] + from[i + 1][j]) / 2;
}

static double sum(const double *x, int n)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += x[i];
	return s;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 2;

	for (int j = 0; j < N; j++)
		a[0][j] = 64;
	for (int t = 0; t < steps; t++) {
		smooth(b, a);
		smooth(a, b);
	}
	total = sum(a[1], N) + sum(&b[2][0], N);
	printf("%.4f\n", total);
	return 0;
}
