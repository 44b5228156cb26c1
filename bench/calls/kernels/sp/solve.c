/* SPDX-License-Identifier: BSD-3-Clause */
/* The three sweeps. Along z each rank eliminates its part of a row of lines, passes the carries on,
 * and gets the values for the substitution from above. */
#include "sp.h"

#include "frame/frame.h"

#include <mpi.h>
#include <stdlib.h>

static void solve_line(struct sp_box *b, int axis, int z, int y, int x, size_t u_stride,
		       size_t stride)
{
	for (int f = 0; f < SP_FIELDS; f++) {
		struct sp_carry c = { { 0, 0 }, { 0, 0 }, { 0, 0 } };
		double next[2] = { 0, 0 };
		size_t at = sp_in(b, z, y, x) + (size_t)f;

		sp_line_forward(b->u + sp_at(b, z, y, x), u_stride, axis, f, b->step, b->n,
				b->delta + at, b->p + at, b->q + at, stride, &c);
		sp_line_back(b->n, b->delta + at, b->p + at, b->q + at, stride, next);
	}
}

void sp_solve_x(struct sp_box *b)
{
#pragma omp parallel for schedule(static)
	for (int z = 0; z < b->planes; z++)
		for (int y = 0; y < b->n; y++)
			solve_line(b, 0, z, y, 0, SP_FIELDS, SP_FIELDS);
}

void sp_solve_y(struct sp_box *b)
{
	size_t u_stride = sp_at(b, 0, 1, 0) - sp_at(b, 0, 0, 0);
	size_t stride = sp_in(b, 0, 1, 0);

#pragma omp parallel for schedule(static)
	for (int z = 0; z < b->planes; z++)
		for (int x = 0; x < b->n; x++)
			solve_line(b, 1, z, 0, x, u_stride, stride);
}

static void eliminate_row(struct sp_box *b, int y, struct sp_carry *carry)
{
	size_t u_stride = sp_at(b, 1, 0, 0) - sp_at(b, 0, 0, 0), stride = sp_in(b, 1, 0, 0);

	for (int x = 0; x < b->n; x++)
		for (int f = 0; f < SP_FIELDS; f++) {
			size_t at = sp_in(b, 0, y, x) + (size_t)f;

			sp_line_forward(b->u + sp_at(b, 0, y, x), u_stride, 2, f, b->step,
					b->planes, b->delta + at, b->p + at, b->q + at, stride,
					&carry[x * SP_FIELDS + f]);
		}
}

static void substitute_row(struct sp_box *b, int y, double (*next)[2])
{
	size_t stride = sp_in(b, 1, 0, 0);

	for (int x = 0; x < b->n; x++)
		for (int f = 0; f < SP_FIELDS; f++) {
			size_t at = sp_in(b, 0, y, x) + (size_t)f;

			sp_line_back(b->planes, b->delta + at, b->p + at, b->q + at, stride,
				     next[x * SP_FIELDS + f]);
		}
}

static void clear(double *v, int count)
{
	for (int i = 0; i < count; i++)
		v[i] = 0;
}

void sp_solve_z(struct sp_box *b)
{
	int lines = b->n * SP_FIELDS;
	struct sp_carry *carry = frame_alloc((uint64_t)lines, sizeof(*carry));
	double(*next)[2] = frame_alloc((uint64_t)lines, sizeof(*next));

	for (int y = 0; y < b->n; y++) {
		if (b->rank > 0)
			MPI_Recv(carry, 6 * lines, MPI_DOUBLE, b->rank - 1, 3, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		else
			clear(&carry[0].p[0], 6 * lines);
		eliminate_row(b, y, carry);
		if (b->rank + 1 < b->ranks)
			MPI_Send(carry, 6 * lines, MPI_DOUBLE, b->rank + 1, 3, MPI_COMM_WORLD);
	}
	for (int y = 0; y < b->n; y++) {
		if (b->rank + 1 < b->ranks)
			MPI_Recv(next, 2 * lines, MPI_DOUBLE, b->rank + 1, 4, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		else
			clear(&next[0][0], 2 * lines);
		substitute_row(b, y, next);
		if (b->rank > 0)
			MPI_Send(next, 2 * lines, MPI_DOUBLE, b->rank - 1, 4, MPI_COMM_WORLD);
	}
	free(carry);
	free(next);
}
