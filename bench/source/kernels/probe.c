/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs of probes: irregular addresses (one probe for each), short rows of nests; and additional
 * costs of single probes: turns, ends of loops, irregular addresses. probe WHAT TIMES */
#include <stdio.h>
#include <stdlib.h>

#define N 2000
#define ROW 8

static double x[N], y[N / ROW][ROW], z[N / ROW][ROW];
static int at[N];
static int wide = ROW; /* a row's length that the text does not say: nothing is laid out */

#define MANY 40000
#define SHORT 3

static double many[MANY], half[MANY], in_turn[4][N];
static double alone[N / SHORT], to[N / SHORT][SHORT], from[N / SHORT][SHORT], by[N / SHORT][SHORT];
static double cube[N / SHORT][SHORT][SHORT], sum;
static unsigned seed = 12345;
static int order[MANY];

static int next(void)
{
	seed = seed * 1103515245u + 12345u;
	return (int)((seed >> 8) % MANY);
}

static void each(void)
{
	for (int i = 0; i < N; i++)
		x[at[i]] = i;
}

static void row(void)
{
	for (int i = 0; i < N / ROW; i++)
		for (int j = 0; j < wide; j++)
			y[i][j] = i;
}

static void rows(void)
{
	for (int i = 0; i < N / ROW; i++)
		for (int j = 0; j < wide; j++)
			y[i][j] = y[i][j] + z[i][j] + z[i][ROW - 1 - j];
}

/* A nest for each row: a statement between the loops. */
static void lone(void)
{
	for (int i = 0; i < N / ROW; i++) {
		at[i] = i;
		for (int j = 0; j < wide; j++)
			y[i][j] = i;
	}
}

static void lones(void)
{
	for (int i = 0; i < N / ROW; i++) {
		at[i] = i;
		for (int j = 0; j < wide; j++)
			y[i][j] = y[i][j] + z[i][j] + z[i][ROW - 1 - j];
	}
}

static void turns(void)
{
	for (int i = 0; i < N; i++)
		in_turn[0][i] = in_turn[1][i] + in_turn[2][i] * in_turn[3][i];
}

/* Something comes between the short loops. */
static void ends(void)
{
	for (int i = 0; i < N / SHORT; i++) {
		alone[i] = i;
		for (int j = 0; j < SHORT; j++)
			to[i][j] = from[i][j] + by[i][j];
	}
}

/* One of them goes back for each i. */
static void back(void)
{
	for (int m = 0; m < N / SHORT; m++)
		for (int i = 0; i < SHORT; i++) {
			by[m][i] = m;
			for (int j = 0; j < SHORT; j++)
				cube[m][i][j] = from[m][j];
		}
}

/* Other places each time. */
static void scattered(void)
{
	for (int i = 0; i < N; i++)
		many[next()] = i;
}

/* Of `half` that is asked for; the same places each time. */
static void chance(void)
{
	for (int i = 0; i < MANY; i++)
		sum += many[i] * half[order[i]];
}

static void none(void)
{
}

int main(int argc, char **argv)
{
	static void (*const what[])(void) = { each,  row,	 rows, lone,	  lones, none,
						   turns, ends, back, scattered, chance };
	void (*volatile loop)(void) = what[argc > 1 ? atoi(argv[1]) % 11 : 0];

	for (int i = 0; i < N; i++)
		at[i] = i;
	for (int i = 0; i < MANY; i++)
		order[i] = next();
	for (int i = argc > 2 ? atoi(argv[2]) : 1; i > 0; i--)
		loop();
	printf("%g %g %g\n", x[N - 1], y[1][1], sum);
	return 0;
}
