/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices whose rows are distributed over the ranks in blocks. A rank has its rows 0 ..
 * rows - 1, followed by ghosts: the columns of other ranks that these need. A vector contains
 * both. */
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

/* The matrix takes ownership of `row`, `global` (columns by global number), `value` and `first`. */
void matrix_make(struct matrix *m, int rows, int *row, long *global, double *value, long *first);
void matrix_free(struct matrix *m);
/* The list of first rows if this rank has `rows` rows; owned by the caller. */
long *deal_rows(int rows);
double *vector_make(const struct matrix *m);

/* Sorts and removes duplicates; returns the new length. */
int list_unique(long *list, int n);
/* The index of `wanted`, or of the last smaller element. */
int list_find(const long *list, int n, long wanted);

void multiply(const struct matrix *m, double *x, double *y);	/* y = m x */
double dot(int n, const double *x, const double *y);		/* over all ranks */
void add_scaled(int n, double *y, double a, const double *x);	/* y += a x */

#endif
