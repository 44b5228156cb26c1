/* SPDX-License-Identifier: BSD-3-Clause */
/* The micro-benchmarks: dense KIND N [TIMES [bare]]. KIND is add, matmul, lu, cholesky or csr;
 * OpenMP threads. Status 1 if the result is wrong. bare: no check, so that there are only the
 * accesses of the kernel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"

static long n;
static int bare;
static double *a, *b, *c;

/* a x = y for a square matrix; `part`: elements at or below the diagonal, at or above it, or
 * all. */
static void apply(const double *m, int part, const double *x, double *y)
{
	for (long i = 0; i < n; i++) {
		long from = part > 0 ? i : 0, to = part < 0 ? i + 1 : n;

		y[i] = 0;
		for (long j = from; j < to; j++)
			y[i] += m[i * n + j] * x[j];
	}
}

static int differs(const double *x, const double *y)
{
	double worst = 0;

	for (long i = 0; i < n; i++)
		worst = fmax(worst, fabs(x[i] - y[i]));
	return !(worst < 1e-6 * (double)n);
}

/* A symmetric matrix that can be factored. */
static double element(long i, long j)
{
	return i == j ? (double)n : 1.0 / (double)(1 + labs(i - j));
}

static void fill(void)
{
	a = need((size_t)(n * n), sizeof(*a));
	for (long i = 0; i < n; i++)
		for (long j = 0; j < n; j++)
			a[i * n + j] = element(i, j);
}

/* --- add --- */

static int add(long times)
{
	a = need((size_t)n, sizeof(*a));
	b = need((size_t)n, sizeof(*b));
	c = need((size_t)n, sizeof(*c));
	for (long i = 0; i < n; i++) {
		a[i] = (double)i;
		b[i] = (double)(n - i);
	}
	while (times--) {
#pragma omp parallel for schedule(static)
		for (long i = 0; i < n; i++)
			c[i] = a[i] + b[i];
	}
	if (bare)
		return 0;
	return c[n / 2] != (double)n || c[n - 1] != (double)n;
}

/* --- matmul --- */

static int matmul(long times)
{
	double *one = need((size_t)n, sizeof(*one)), *x = need((size_t)n, sizeof(*x)),
	       *y = need((size_t)n, sizeof(*y));

	fill();
	b = need((size_t)(n * n), sizeof(*b));
	c = need((size_t)(n * n), sizeof(*c));
	memcpy(b, a, (size_t)(n * n) * sizeof(*b));
	while (times--) {
#pragma omp parallel for schedule(static)
		for (long i = 0; i < n; i++)
			for (long j = 0; j < n; j++) {
				double s = 0;

				for (long k = 0; k < n; k++)
					s += a[i * n + k] * b[k * n + j];
				c[i * n + j] = s;
			}
	}
	if (bare)
		return 0;
	for (long i = 0; i < n; i++)
		one[i] = 1;
	apply(b, 0, one, x);
	apply(a, 0, x, y);
	apply(c, 0, one, x);
	return differs(x, y);
}

/* --- factors --- */

static int lu(long times)
{
	double *one = need((size_t)n, sizeof(*one)), *x = need((size_t)n, sizeof(*x)),
	       *y = need((size_t)n, sizeof(*y));

	while (times--) {
		free(a);
		fill();
		for (long k = 0; k < n; k++)
			for (long i = k + 1; i < n; i++) {
				double l = a[i * n + k] /= a[k * n + k];

				for (long j = k + 1; j < n; j++)
					a[i * n + j] -= l * a[k * n + j];
			}
	}
	if (bare)
		return 0;
	for (long i = 0; i < n; i++)
		one[i] = 1;
	apply(a, 1, one, x);
	apply(a, -1, x, y);
	for (long i = 0; i < n; i++)
		y[i] += x[i] * (1 - a[i * n + i]); /* the diagonal of L is 1 */
	fill();
	apply(a, 0, one, x);
	return differs(x, y);
}

static int cholesky(long times)
{
	double *one = need((size_t)n, sizeof(*one)), *x = need((size_t)n, sizeof(*x)),
	       *y = need((size_t)n, sizeof(*y));

	while (times--) {
		free(a);
		fill();
		for (long i = 0; i < n; i++)
			for (long j = 0; j <= i; j++) {
				double s = a[i * n + j];

				for (long k = 0; k < j; k++)
					s -= a[i * n + k] * a[j * n + k];
				a[i * n + j] = i == j ? sqrt(s) : s / a[j * n + j];
			}
	}
	if (bare)
		return 0;
	for (long i = 0; i < n; i++) { /* x = L' 1 */
		one[i] = 1;
		for (long j = 0; j <= i; j++)
			x[j] += a[i * n + j];
	}
	apply(a, -1, x, y);
	fill();
	apply(a, 0, one, x);
	return differs(x, y);
}

/* --- csr --- */

static unsigned draw(void)
{
	static unsigned seed = 1;

	seed = seed * 1103515245u + 12345;
	return seed >> 8;
}

/* Rows of random length, random columns. */
static int csr(long times)
{
	int *row = need((size_t)n + 1, sizeof(int)), *column;
	double sum = 0, *value;

	for (long i = 0; i < n; i++)
		row[i + 1] = row[i] + (int)(draw() % 10);
	column = need((size_t)row[n], sizeof(int));
	value = need((size_t)row[n], sizeof(*value));
	b = need((size_t)n, sizeof(*b));
	c = need((size_t)n, sizeof(*c));
	for (int k = 0; k < row[n]; k++) {
		column[k] = (int)(draw() % (unsigned)n);
		value[k] = 1;
	}
	for (long i = 0; i < n; i++)
		b[i] = 1;
	while (times--)
		for (long i = 0; i < n; i++) {
			double s = 0;

			for (int k = row[i]; k < row[i + 1]; k++)
				s += value[k] * b[column[k]];
			c[i] = s;
		}
	for (long i = 0; !bare && i < n; i++)
		sum += c[i];
	return !bare && sum != row[n];
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(long times);
	} kinds[] = { { "add", add },
		      { "matmul", matmul },
		      { "lu", lu },
		      { "cholesky", cholesky },
		      { "csr", csr } };
	long times = argument(argc, argv, 3, 1);

	n = argument(argc, argv, 2, 100);
	bare = argc > 4;
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			int wrong = kinds[i].run(times > 0 ? times : 1);

			printf("%s %ld: %s\n", argv[1], n, wrong ? "wrong" : "right");
			return wrong;
		}
	fprintf(stderr, "usage: dense add|matmul|lu|cholesky|csr N [TIMES [bare]]\n");
	return 2;
}
