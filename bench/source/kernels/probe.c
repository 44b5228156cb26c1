/* SPDX-License-Identifier: BSD-3-Clause */
/* What a probe costs: places that no rule of the text tells (one probe for each), and short rows of nests. probe WHAT TIMES */
#include <stdio.h>
#include <stdlib.h>

#define N 2000
#define ROW 8

static double x[N], y[N / ROW][ROW], z[N / ROW][ROW];
static int at[N];

static void each(void)
{
	for (int i = 0; i < N; i++)
		x[at[i]] = i;
}

static void row(void)
{
	for (int i = 0; i < N / ROW; i++)
		for (int j = 0; j < ROW; j++)
			y[i][j] = i;
}

static void rows(void)
{
	for (int i = 0; i < N / ROW; i++)
		for (int j = 0; j < ROW; j++)
			y[i][j] = y[i][j] + z[i][j] + z[i][ROW - 1 - j];
}

/* A nest for each row: something stands between the loops. */
static void lone(void)
{
	for (int i = 0; i < N / ROW; i++) {
		at[i] = i;
		for (int j = 0; j < ROW; j++)
			y[i][j] = i;
	}
}

static void lones(void)
{
	for (int i = 0; i < N / ROW; i++) {
		at[i] = i;
		for (int j = 0; j < ROW; j++)
			y[i][j] = y[i][j] + z[i][j] + z[i][ROW - 1 - j];
	}
}

static void none(void)
{
}

int main(int argc, char **argv)
{
	static void (*const what[])(void) = { each, row, rows, lone, lones, none };
	void (*volatile loop)(void) = what[argc > 1 ? atoi(argv[1]) % 6 : 0];

	for (int i = 0; i < N; i++)
		at[i] = i;
	for (int i = argc > 2 ? atoi(argv[2]) : 1; i > 0; i--)
		loop();
	printf("%g %g\n", x[N - 1], y[1][1]);
	return 0;
}
