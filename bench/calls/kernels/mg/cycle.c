/* SPDX-License-Identifier: BSD-3-Clause */
/* The V-cycle and its parts on whole levels. */
#include "mg.h"

#include "frame/frame.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define SMOOTH_TIMES 2
#define COARSEST_TIMES 20
#define COARSEST 4	/* points along an axis */

static void create_grid(struct mg_grid *g, int n, const struct mg_solver *s)
{
	uint64_t points;

	g->n = n;
	g->whole = s->ranks == 1 || n / s->ranks < 2;
	g->planes = g->whole ? n : n / s->ranks;
	g->first = g->whole ? 0 : s->rank * g->planes;
	points = (uint64_t)(g->planes + 2) * (uint64_t)(n + 2) * (uint64_t)(n + 2);
	g->u = frame_alloc(points, sizeof(double));
	g->f = frame_alloc(points, sizeof(double));
	g->r = frame_alloc(points, sizeof(double));
}

void mg_create(struct mg_solver *s, int n, int rank, int ranks)
{
	s->rank = rank;
	s->ranks = ranks;
	s->levels = 0;
	for (; n >= COARSEST && s->levels < MG_MAX_LEVELS; n /= 2)
		create_grid(&s->grid[s->levels++], n, s);
}

void mg_destroy(struct mg_solver *s)
{
	for (int i = 0; i < s->levels; i++) {
		free(s->grid[i].u);
		free(s->grid[i].f);
		free(s->grid[i].r);
	}
}

static double spacing_squared(const struct mg_grid *g)
{
	return 1.0 / ((double)g->n * g->n);
}

void mg_smooth(struct mg_solver *s, int level, int times)
{
	struct mg_grid *g = &s->grid[level];

	for (int i = 0; i < times; i++) {
		double *relaxed = g->r;

		mg_fill_ghosts(s, g, g->u);
#pragma omp parallel for schedule(static)
		for (int z = 1; z <= g->planes; z++)
			mg_smooth_plane(g, z, spacing_squared(g));
		g->r = g->u;
		g->u = relaxed;
	}
}

void mg_residual(const struct mg_solver *s, int level)
{
	const struct mg_grid *g = &s->grid[level];

	mg_fill_ghosts(s, g, g->u);
#pragma omp parallel for schedule(static)
	for (int z = 1; z <= g->planes; z++)
		mg_residual_plane(g, z, spacing_squared(g));
}

static void restrict_residual(const struct mg_solver *s, int level)
{
	const struct mg_grid *fine = &s->grid[level], *coarse = &s->grid[level + 1];
	int share = fine->planes / 2;
	int count = share * (coarse->n + 2) * (coarse->n + 2);

	for (int z = 1; z <= share; z++)
		mg_restrict_plane(fine, coarse, z);
	if (coarse->whole && !fine->whole)
		MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL,
			      coarse->f + mg_at(coarse, 1, 0, 0), count, MPI_DOUBLE,
			      MPI_COMM_WORLD);
}

static void clear(const struct mg_grid *g)
{
	memset(g->u, 0, mg_at(g, g->planes + 2, 0, 0) * sizeof(double));
}

void mg_cycle(struct mg_solver *s, int level)
{
	const struct mg_grid *g = &s->grid[level];

	if (level == s->levels - 1) {
		mg_smooth(s, level, COARSEST_TIMES);
		return;
	}
	mg_smooth(s, level, SMOOTH_TIMES);
	mg_residual(s, level);
	restrict_residual(s, level);
	clear(&s->grid[level + 1]);
	mg_cycle(s, level + 1);
	mg_fill_ghosts(s, &s->grid[level + 1], s->grid[level + 1].u);
	for (int z = 1; z <= g->planes; z++)
		mg_prolong_plane(&s->grid[level + 1], g, z);
	mg_smooth(s, level, SMOOTH_TIMES);
}

static double plane_sum(const struct mg_grid *g, int z)
{
	double sum = 0;

	for (int y = 1; y <= g->n; y++)
		for (int x = 1; x <= g->n; x++)
			sum += g->r[mg_at(g, z, y, x)] * g->r[mg_at(g, z, y, x)];
	return sum;
}

double mg_norm(const struct mg_solver *s)
{
	const struct mg_grid *g = &s->grid[0];
	double sum = 0;

	mg_residual(s, 0);
	for (int z = 1; z <= g->planes; z++)
		sum += plane_sum(g, z);
	return sqrt(frame_sum(sum) / ((double)g->n * g->n * g->n));
}
