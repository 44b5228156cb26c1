/* SPDX-License-Identifier: BSD-3-Clause */
/* The product of a block of rows with a whole vector: where CG spends its time. */
#include "cg.h"

void cg_rows_multiply(const struct cg_matrix *a, const double *x, double *y, int from, int to)
{
	for (int r = from; r < to; r++) {
		double sum = 0;

		for (int k = a->start[r]; k < a->start[r + 1]; k++)
			sum += a->value[k] * x[a->column[k]];
		y[r] = sum;
	}
}
