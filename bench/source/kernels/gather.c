/* SPDX-License-Identifier: BSD-3-Clause */
/* A sparse matrix of N rows times a vector, whose elements come in irregular order. gather TIMES */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 200
#endif
#define WIDTH 20 /* of a row */

static double x[N * N], y[N * N / WIDTH], value[N * N];
static int at[N * N];

static void multiply(void)
{
	for (int i = 0; i < N * N / WIDTH; i++) {
		double sum = 0;

		for (int k = i * WIDTH; k < (i + 1) * WIDTH; k++)
			sum += value[k] * x[at[k]];
		y[i] = sum;
	}
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1;
	unsigned seed = 12345;

	for (int k = 0; k < N * N; k++) {
		seed = seed * 1103515245 + 12345;
		x[k] = k % 7;
		at[k] = (int)((seed >> 8) % (N * N));
		value[k] = k % 3;
	}
	for (int time = 0; time < times; time++)
		multiply();
	printf("%.15g\n", y[N / 2]);
	return 0;
}
