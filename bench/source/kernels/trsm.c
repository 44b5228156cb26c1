/* SPDX-License-Identifier: BSD-3-Clause */
/* X with X A = B, A an upper triangle, in place of B: the loops of BLAS DTRSM. trsm TIMES */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 200
#endif

static double a[N][N], b[N][N];

static void solve(void)
{
	for (int j = 0; j < N; j++)
		for (int k = 0; k < N; k++)
			if (b[j][k] != 0) {
				b[j][k] = b[j][k] / a[k][k];
				for (int i = k + 1; i < N; i++)
					b[j][i] = b[j][i] - b[j][k] * a[k][i];
			}
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < N; i++) {
		for (int j = 0; j < N; j++) {
			a[i][j] = 1e-3 * ((i + 2 * j) % 7);
			b[i][j] = (3 * i + j) % 5;
		}
		a[i][i] = 1;
	}
	for (int time = 0; time < times; time++)
		solve();
	printf("%.15g\n", b[N / 2][N / 2]);
	return 0;
}
