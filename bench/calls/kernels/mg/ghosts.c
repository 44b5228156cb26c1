/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghost points of the periodic box. */
#include "mg.h"

#include <mpi.h>
#include <string.h>

static void wrap_plane(const struct mg_grid *g, double *v, int z)
{
	size_t row = ((size_t)g->n + 2) * sizeof(*v);

	for (int y = 1; y <= g->n; y++) {
		double *line = v + mg_at(g, z, y, 0);

		line[0] = line[g->n];
		line[g->n + 1] = line[1];
	}
	memcpy(v + mg_at(g, z, 0, 0), v + mg_at(g, z, g->n, 0), row);
	memcpy(v + mg_at(g, z, g->n + 1, 0), v + mg_at(g, z, 1, 0), row);
}

static void swap_planes(const struct mg_solver *s, const struct mg_grid *g, double *v)
{
	int count = (g->n + 2) * (g->n + 2);
	int up = (s->rank + 1) % s->ranks, down = (s->rank + s->ranks - 1) % s->ranks;

	MPI_Sendrecv(v + mg_at(g, g->planes, 0, 0), count, MPI_DOUBLE, up, 1, v, count, MPI_DOUBLE,
		     down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(v + mg_at(g, 1, 0, 0), count, MPI_DOUBLE, down, 2,
		     v + mg_at(g, g->planes + 1, 0, 0), count, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

static void wrap_planes(const struct mg_grid *g, double *v)
{
	size_t bytes = ((size_t)g->n + 2) * ((size_t)g->n + 2) * sizeof(*v);

	memcpy(v, v + mg_at(g, g->planes, 0, 0), bytes);
	memcpy(v + mg_at(g, g->planes + 1, 0, 0), v + mg_at(g, 1, 0, 0), bytes);
}

void mg_fill_ghosts(const struct mg_solver *s, const struct mg_grid *g, double *v)
{
	for (int z = 1; z <= g->planes; z++)
		wrap_plane(g, v, z);
	if (g->whole)
		wrap_planes(g, v);
	else
		swap_planes(s, g, v);
}
