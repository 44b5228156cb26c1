/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices whose rows are distributed over the ranks, in blocks. A rank has its rows 0 .. rows - 1 and, after
 * them, ghosts: the columns of others that these need. A vector contains both. */
#ifndef BENCH_CSR_H
#define BENCH_CSR_H

#include "comm.h"

struct matrix {
	int rows, ghosts;
	long *first;		/* the first row of each rank, comm_size + 1 */
	int *row;		/* rows + 1 */
	int *column;		/* local */
	double *value;
	double *diagonal;
	struct halo halo;
};

/* `row`, `global` (columns as all ranks count them) and `value` become the matrix's; so does `first`. */
void matrix_make(struct matrix *m, int rows, int *row, long *global, double *value, long *first);
void matrix_free(struct matrix *m);
/* A list of the first rows, if this rank has so many: the caller's. */
long *deal_rows(int rows);
double *vector_make(const struct matrix *m);

/* Sorted, each once; returns how many. */
int list_unique(long *list, int n);
/* Where `wanted` is, or the last one before it. */
int list_find(const long *list, int n, long wanted);

void multiply(const struct matrix *m, double *x, double *y);	/* y = m x */
double dot(int n, const double *x, const double *y);		/* over all ranks */
void add_scaled(int n, double *y, double a, const double *x);	/* y += a x */

#endif
