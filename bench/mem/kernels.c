/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of bench/mem/run: kernels NAME TIMES. With zero times, only the program's start and
 * end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 100
#define LONG 100000
#define ROWS 5000

double a[N][N], b[N][N], c[N][N], x[LONG], y[LONG], z[LONG];
int row[ROWS + 1], column[ROWS * 10];
double value[ROWS * 10];
static struct node {
	struct node *next;
	long key;
} nodes[LONG];

__attribute__((noipa)) static void matmul(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double s = 0;

			for (int k = 0; k < N; k++)
				s += a[i][k] * b[k][j];
			c[i][j] = s;
		}
}

__attribute__((noipa)) static void triad(void)
{
	for (int i = 0; i < LONG; i++)
		x[i] = y[i] + 3 * z[i];
}

__attribute__((noipa)) static void lu(void)
{
	for (int k = 0; k < N; k++)
		for (int i = k + 1; i < N; i++) {
			a[i][k] /= a[k][k];
			for (int j = k + 1; j < N; j++)
				a[i][j] -= a[i][k] * a[k][j];
		}
}

__attribute__((noipa)) static void cholesky(void)
{
	for (int j = 0; j < N; j++)
		for (int i = j; i < N; i++) {
			double s = b[i][j];

			for (int k = 0; k < j; k++)
				s -= c[i][k] * c[j][k];
			c[i][j] = s / (1 + c[j][j]);
		}
}

__attribute__((noipa)) static void csr(void)
{
	for (int i = 0; i < ROWS; i++) {
		double s = 0;

		for (int k = row[i]; k < row[i + 1]; k++)
			s += value[k] * y[column[k]];
		x[i] = s;
	}
}

static long total;

__attribute__((noipa)) static void chase(void)
{
	for (const struct node *n = nodes; n; n = n->next)
		total += n->key;
}

static void prepare(void)
{
	unsigned seed = 1;
	int at = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			a[i][j] = b[i][j] = 1 + (i == j) * N + i * 0.5 + j;
	for (int i = 0; i < ROWS; i++) {
		row[i] = at;
		seed = seed * 1664525u + 1013904223u;
		for (unsigned k = (seed >> 16) % 10; k; k--) {
			seed = seed * 1664525u + 1013904223u;
			column[at++] = (int)((seed >> 8) % LONG);
		}
	}
	row[ROWS] = at;
	for (unsigned i = 0, at2 = 0; i + 1 < LONG; i++) {
		unsigned to = (at2 * 5 + 3) % 65536; /* all of them, out of order */

		if (i >= 65535)
			break;
		nodes[at2].next = to ? &nodes[to] : NULL;
		at2 = to;
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kernels[] = { { "matmul", matmul },	  { "triad", triad }, { "lu", lu },
			{ "cholesky", cholesky }, { "csr", csr },     { "chase", chase } };
	long times = argc > 2 ? atol(argv[2]) : 0;

	prepare();
	for (size_t i = 0; argc > 1 && i < sizeof(kernels) / sizeof(*kernels); i++)
		if (!strcmp(argv[1], kernels[i].name))
			while (times-- > 0)
				kernels[i].run();
	printf("%g %ld\n", x[5] + c[3][4] + a[7][7], total);
	return 0;
}
