/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributed vectors, and the product of the matrix with one. */
#include "cg.h"

#include "frame/frame.h"

#include <mpi.h>

void cg_multiply(const struct cg_matrix *a, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
	for (int r = 0; r < a->rows; r += CG_BLOCK)
		cg_rows_multiply(a, x, y, r, r + CG_BLOCK < a->rows ? r + CG_BLOCK : a->rows);
}

static double dot_own(const double *x, const double *y, int n)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

double cg_dot(const double *x, const double *y, int n)
{
	return frame_sum(dot_own(x, y, n));
}

void cg_add_scaled(double *y, double s, const double *x, int n)
{
	for (int i = 0; i < n; i++)
		y[i] += s * x[i];
}

void cg_scale_add(double *y, double s, const double *x, int n)
{
	for (int i = 0; i < n; i++)
		y[i] = x[i] + s * y[i];
}

void cg_gather(const double *part, double *whole, int rows)
{
	MPI_Allgather(part, rows, MPI_DOUBLE, whole, rows, MPI_DOUBLE, MPI_COMM_WORLD);
}
