/* SPDX-License-Identifier: BSD-3-Clause */
/* CG: smallest eigenvalue of a random sparse symmetric matrix by inverse iteration, the inner
 * solves by conjugate gradients. Rows are distributed in blocks, vectors are gathered whole. */
#ifndef CG_H
#define CG_H

#include <stdint.h>

#define CG_BLOCK 32	/* rows of one call of cg_rows_multiply */

struct cg_matrix {	/* the rows [first, first + rows) in compressed rows, values owned */
	int n, first, rows;
	int *start;	/* rows + 1 */
	int *column;
	double *value;
};

void cg_matrix_create(struct cg_matrix *a, int n, int first, int rows, int edges_per_row);
void cg_matrix_destroy(struct cg_matrix *a);

/* y[0 .. rows) = A x, x whole. */
void cg_multiply(const struct cg_matrix *a, const double *x, double *y);
void cg_rows_multiply(const struct cg_matrix *a, const double *x, double *y, int from, int to);

/* On parts of vectors; dot is collective. */
double cg_dot(const double *x, const double *y, int n);
void cg_add_scaled(double *y, double s, const double *x, int n);	/* y += s x */
void cg_scale_add(double *y, double s, const double *x, int n);	/* y = x + s y */
void cg_gather(const double *part, double *whole, int rows);

struct cg_space {	/* the vectors of a solve, owned by main */
	double *r, *p, *q, *whole;
};

/* z = about A^-1 x after `steps` iterations; the result is |x - A z|. */
double cg_solve(const struct cg_matrix *a, const double *x, double *z, struct cg_space *s,
		int steps);

#endif
