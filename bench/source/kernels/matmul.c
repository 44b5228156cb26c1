/* SPDX-License-Identifier: BSD-3-Clause */
/* The textbook matrix product of N x N. matmul TIMES */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 200
#endif

static double a[N][N], b[N][N], c[N][N];

static void multiply(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < N; k++)
				c[i][j] = c[i][j] + a[i][k] * b[k][j];
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1;
	double sum = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = (i + 2 * j) % 7;
			b[i][j] = (3 * i + j) % 5;
		}
	for (int time = 0; time < times; time++)
		multiply();
	for (int i = 0; i < N; i++)
		sum += c[i][N - 1 - i];
	printf("%.15g\n", sum);
	return 0;
}
