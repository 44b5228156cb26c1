/* SPDX-License-Identifier: BSD-3-Clause */
/* A nest of constant loops, and a conjugate gradient whose iterations end by the residual. */
#include <stdio.h>
#define NOINLINE __attribute__((noinline))
#define N 48
static double u[N][N], f[N][N], r[N][N], p[N][N], q[N][N];
static NOINLINE double cell(double (*a)[N], int i, int j)
{
	return a[i][j];
}
static NOINLINE double flux(double (*a)[N], int i, int j)
{
	return 4 * cell(a, i, j) - cell(a, i - 1, j) - cell(a, i + 1, j) - cell(a, i, j - 1) -
	       cell(a, i, j + 1);
}
static NOINLINE void row(double (*to)[N], double (*a)[N], int i)
{
	for (int j = 1; j < N - 1; j++)
		to[i][j] = flux(a, i, j);
}
static NOINLINE void apply(double (*to)[N], double (*a)[N])
{
	for (int i = 1; i < N - 1; i++)
		row(to, a, i);
}
static NOINLINE double dot_row(double *a, double *b)
{
	double s = 0;
	for (int j = 0; j < N; j++)
		s += a[j] * b[j];
	return s;
}
static NOINLINE double dot(double (*a)[N], double (*b)[N])
{
	double s = 0;
	for (int i = 0; i < N; i++)
		s += dot_row(a[i], b[i]);
	return s;
}
static NOINLINE void axpy_row(double *y, double c, double *x)
{
	for (int j = 0; j < N; j++)
		y[j] += c * x[j];
}
static NOINLINE void axpy(double (*y)[N], double c, double (*x)[N])
{
	for (int i = 0; i < N; i++)
		axpy_row(y[i], c, x[i]);
}
static NOINLINE int solve(double eps)
{
	double rr, old;
	int it = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			u[i][j] = 0;
			r[i][j] = p[i][j] = f[i][j];
		}
	for (old = rr = dot(r, r); rr > eps && it < 400; it++) {
		apply(q, p);
		double alpha = rr / dot(p, q);
		axpy(u, alpha, p);
		axpy(r, -alpha, q);
		old = rr;
		rr = dot(r, r);
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++)
				p[i][j] = r[i][j] + rr / old * p[i][j];
	}
	return it;
}
int main(void)
{
	int total = 0;

	for (int step = 0; step < 6; step++) {
		for (int i = 1; i < N - 1; i++)
			for (int j = 1; j < N - 1; j++)
				f[i][j] = (i * 31 + j * 17 + step * 7) % 13 - 6;
		total += solve(1e-6 * (step % 3 + 1));
	}
	printf("%d\n", total);
	return 0;
}
