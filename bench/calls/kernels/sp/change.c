/* SPDX-License-Identifier: BSD-3-Clause */
/* The right side: the change of u in one step, row by row, and the exchange it needs. */
#include "sp.h"

#include <mpi.h>

#define NU 0.8
#define EPS 0.05

static double difference(const double *u, long stride, double speed)
{
	double far = u[-2 * stride] + u[2 * stride], near = u[-stride] + u[stride];

	return 0.5 * speed * (u[stride] - u[-stride]) - NU * (near - 2 * u[0]) +
	       EPS * (far - 4 * near + 6 * u[0]);
}

static void point_change(const double *u, const long *stride, const double *force, double step,
			 double *out)
{
	for (int f = 0; f < SP_FIELDS; f++) {
		double sum = force ? force[f] : 0;

		for (int axis = 0; axis < 3; axis++)
			sum -= difference(u + f, stride[axis], sp_speed(u, axis, f));
		out[f] = step * sum;
	}
}

void sp_row_change(const struct sp_box *b, int z, int y, const double *force, double *out)
{
	long w = b->n + 2 * SP_GHOSTS;
	long stride[3] = { SP_FIELDS, w * SP_FIELDS, w * w * SP_FIELDS };
	const double *u = b->u + sp_at(b, z, y, 0);

	for (int x = 0; x < b->n; x++)
		point_change(u + x * SP_FIELDS, stride, force ? force + x * SP_FIELDS : NULL,
			     b->step, out + x * SP_FIELDS);
}

void sp_change(struct sp_box *b)
{
#pragma omp parallel for schedule(static)
	for (int z = 0; z < b->planes; z++)
		for (int y = 0; y < b->n; y++)
			sp_row_change(b, z, y, b->force + sp_in(b, z, y, 0),
				      b->delta + sp_in(b, z, y, 0));
}

void sp_fill_ghosts(struct sp_box *b)
{
	int count = SP_GHOSTS * (int)(sp_at(b, 1, 0, 0) - sp_at(b, 0, 0, 0));
	int up = b->rank + 1 < b->ranks ? b->rank + 1 : MPI_PROC_NULL;
	int down = b->rank > 0 ? b->rank - 1 : MPI_PROC_NULL;
	double *bottom = b->u + sp_at(b, 0, -SP_GHOSTS, -SP_GHOSTS);
	double *ghost = b->u;
	double *top = b->u + sp_at(b, b->planes - SP_GHOSTS, -SP_GHOSTS, -SP_GHOSTS);

	MPI_Sendrecv(top, count, MPI_DOUBLE, up, 1, ghost, count, MPI_DOUBLE, down, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	ghost = b->u + sp_at(b, b->planes, -SP_GHOSTS, -SP_GHOSTS);
	MPI_Sendrecv(bottom, count, MPI_DOUBLE, down, 2, ghost, count, MPI_DOUBLE, up, 2,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
