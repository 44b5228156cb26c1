/* SPDX-License-Identifier: BSD-3-Clause */
/* Conjugate gradients, a fixed number of steps from the zero vector. */
#include "cg.h"

#include <math.h>
#include <string.h>

static double true_residual(const struct cg_matrix *a, const double *x, const double *z,
			    struct cg_space *s)
{
	cg_gather(z, s->whole, a->rows);
	cg_multiply(a, s->whole, s->q);
	memcpy(s->r, x, (size_t)a->rows * sizeof(*x));
	cg_add_scaled(s->r, -1.0, s->q, a->rows);
	return sqrt(cg_dot(s->r, s->r, a->rows));
}

double cg_solve(const struct cg_matrix *a, const double *x, double *z, struct cg_space *s,
		int steps)
{
	size_t bytes = (size_t)a->rows * sizeof(*x);
	double rho;

	memset(z, 0, bytes);
	memcpy(s->r, x, bytes);
	memcpy(s->p, x, bytes);
	rho = cg_dot(s->r, s->r, a->rows);
	for (int i = 0; i < steps; i++) {
		double alpha, next;

		cg_gather(s->p, s->whole, a->rows);
		cg_multiply(a, s->whole, s->q);
		alpha = rho / cg_dot(s->p, s->q, a->rows);
		cg_add_scaled(z, alpha, s->p, a->rows);
		cg_add_scaled(s->r, -alpha, s->q, a->rows);
		next = cg_dot(s->r, s->r, a->rows);
		cg_scale_add(s->p, next / rho, s->r, a->rows);
		rho = next;
	}
	return true_residual(a, x, z, s);
}
