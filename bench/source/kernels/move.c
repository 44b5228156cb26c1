/* SPDX-License-Identifier: BSD-3-Clause */
/* The path of a point in space: N movements, each a random rotation and a step; all places are
 * kept. move TIMES */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 200
#endif

static double turn[N][3][3], step[N][3], place[N + 1][3];

static double next(void)
{
	static unsigned seed = 12345;

	seed = seed * 1103515245u + 12345u;
	return (seed >> 8) / 16777216.0;
}

/* Rodrigues: around the axis x, y, z by an angle. */
static void prepare(int m)
{
	double v[3], angle = 6.28318530717958648 * next(), c = cos(angle), s = sin(angle), len = 0;

	for (int i = 0; i < 3; i++) {
		v[i] = next() - 0.5;
		len += v[i] * v[i];
		step[m][i] = next() - 0.5;
	}
	for (int i = 0; i < 3; i++)
		v[i] /= sqrt(len);
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			turn[m][i][j] = (i == j ? c : 0) + (1 - c) * v[i] * v[j];
	for (int i = 0; i < 3; i++) {
		int j = (i + 1) % 3, k = (i + 2) % 3;

		turn[m][j][k] -= s * v[i];
		turn[m][k][j] += s * v[i];
	}
}

static void move(void)
{
	for (int m = 0; m < N; m++)
		for (int i = 0; i < 3; i++) {
			place[m + 1][i] = step[m][i];
			for (int j = 0; j < 3; j++)
				place[m + 1][i] = place[m + 1][i] + turn[m][i][j] * place[m][j];
		}
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1;

	for (int m = 0; m < N; m++)
		prepare(m);
	place[0][0] = 1;
	for (int time = 0; time < times; time++)
		move();
	printf("%.15g %.15g %.15g\n", place[N][0], place[N][1], place[N][2]);
	return 0;
}
