/* SPDX-License-Identifier: BSD-3-Clause */
/* One step: exchange the rows at the seams, then relax every row. */
#include "hybrid.h"

#include "frame/frame.h"

#include <mpi.h>
#include <stdlib.h>

static double *row_of(double *v, const struct heat_strip *s, int y)
{
	return v + (size_t)y * ((size_t)s->n + 2);
}

static void set_walls(struct heat_strip *s, double *v)
{
	for (int y = 0; y < s->rows + 2; y++) {
		row_of(v, s, y)[0] = 1.0;
		row_of(v, s, y)[s->n + 1] = (double)(y + s->first) / s->n;
	}
	for (int x = 0; x < s->n + 2; x++) {
		if (s->rank == 0)
			row_of(v, s, 0)[x] = 2.0;
		if (s->rank == s->ranks - 1)
			row_of(v, s, s->rows + 1)[x] = -1.0;
	}
}

void heat_strip_create(struct heat_strip *s, int n, int rows, int rank, int ranks)
{
	uint64_t points = (uint64_t)(rows + 2) * (uint64_t)(n + 2);

	s->n = n;
	s->rows = rows;
	s->first = rank * rows;
	s->rank = rank;
	s->ranks = ranks;
	s->now = frame_alloc(points, sizeof(double));
	s->next = frame_alloc(points, sizeof(double));
	set_walls(s, s->now);
	set_walls(s, s->next);
}

void heat_strip_destroy(struct heat_strip *s)
{
	free(s->now);
	free(s->next);
}

static void exchange(struct heat_strip *s)
{
	int up = s->rank > 0 ? s->rank - 1 : MPI_PROC_NULL;
	int down = s->rank + 1 < s->ranks ? s->rank + 1 : MPI_PROC_NULL;
	MPI_Request r[4];

	MPI_Irecv(row_of(s->now, s, 0), s->n + 2, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(row_of(s->now, s, s->rows + 1), s->n + 2, MPI_DOUBLE, down, 2, MPI_COMM_WORLD,
		  &r[1]);
	MPI_Isend(row_of(s->now, s, s->rows), s->n + 2, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &r[2]);
	MPI_Isend(row_of(s->now, s, 1), s->n + 2, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &r[3]);
	MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

void heat_step(struct heat_strip *s)
{
	double *swap = s->now;

	exchange(s);
#pragma omp parallel for schedule(static)
	for (int y = 1; y <= s->rows; y++)
		heat_row(row_of(s->now, s, y - 1), row_of(s->now, s, y), row_of(s->now, s, y + 1),
			 row_of(s->next, s, y), s->n);
	s->now = s->next;
	s->next = swap;
}
