/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes, time loop and checks of CG: the eigenvalue, and the residual of the last solve. */
#include "cg.h"

#include "frame/frame.h"

#include <math.h>
#include <stdlib.h>

struct problem {
	int n, edges_per_row, rounds;
	double eigenvalue;	/* from a run on one rank; the check on other rank counts */
};

static const struct problem SMALL = { 16384, 10, 90, 3.160876155268341 };
static const struct problem LARGE = { 65536, 13, 130, 4.656447521756374 };
#define STEPS 25

static double inverse_iteration(const struct cg_matrix *a, double *x, double *z, struct cg_space *s,
				double *residual)
{
	double xz, norm;

	*residual = cg_solve(a, x, z, s, STEPS);
	xz = cg_dot(x, z, a->rows);
	norm = 1.0 / sqrt(cg_dot(z, z, a->rows));
	cg_scale_add(x, 0.0, z, a->rows);
	for (int i = 0; i < a->rows; i++)
		x[i] *= norm;
	return 1.0 / xz;
}

static void start_vector(double *x, int n, int rows)
{
	for (int i = 0; i < rows; i++)
		x[i] = 1.0 / sqrt((double)n);
}

int main(int argc, char **argv)
{
	struct frame f;
	struct cg_matrix a;
	struct cg_space s;
	const struct problem *p;
	double *x, *z, residual = 0, eigenvalue = 0;
	uint64_t rows;

	frame_begin(&f, "cg", &argc, &argv);
	p = f.size == 'S' ? &SMALL : &LARGE;
	rows = (uint64_t)frame_share(&f, p->n);
	cg_matrix_create(&a, p->n, f.rank * (int)rows, (int)rows, p->edges_per_row);
	x = frame_alloc(rows, sizeof(*x));
	z = frame_alloc(rows, sizeof(*z));
	s.r = frame_alloc(rows, sizeof(double));
	s.p = frame_alloc(rows, sizeof(double));
	s.q = frame_alloc(rows, sizeof(double));
	s.whole = frame_alloc((uint64_t)p->n, sizeof(double));
	start_vector(x, p->n, (int)rows);

	frame_start(&f);
	for (int i = 0; i < p->rounds; i++)
		eigenvalue = inverse_iteration(&a, x, z, &s, &residual);
	frame_stop(&f);

	frame_check(&f, "eigenvalue", eigenvalue, p->eigenvalue, 1e-9);
	frame_check_below(&f, "residual", residual, 1e-1);
	cg_matrix_destroy(&a);
	free(x);
	free(z);
	free(s.r);
	free(s.p);
	free(s.q);
	free(s.whole);
	return frame_end(&f);
}
