/* SPDX-License-Identifier: BSD-3-Clause */
/* Smoothing of an N x N array: the mean of each element and its four neighbours. smooth STEPS */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 200
#endif

static double a[N][N], b[N][N];

static void smooth(void)
{
	for (int i = 1; i < N - 1; i++)
		for (int j = 1; j < N - 1; j++)
			b[i][j] =
				(a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) /
				5;
	for (int i = 1; i < N - 1; i++)
		for (int j = 1; j < N - 1; j++)
			a[i][j] = b[i][j];
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 1;
	double sum = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			a[i][j] = (i * 7 + j * 13) % 101;
	for (int step = 0; step < steps; step++)
		smooth();
	for (int i = 0; i < N; i++)
		sum += a[i][i];
	printf("%.15g\n", sum);
	return 0;
}
