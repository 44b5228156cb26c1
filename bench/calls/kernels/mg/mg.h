/* SPDX-License-Identifier: BSD-3-Clause */
/* MG: Poisson's equation in a periodic box by multigrid V-cycles. Fine levels are distributed in
 * slabs of z; each rank has a copy of the levels that are too coarse for that. */
#ifndef MG_H
#define MG_H

#include <stddef.h>

#define MG_MAX_LEVELS 10

struct mg_grid {	/* points 1..n, 1..n, 1..planes, with one ghost on every side */
	int n, planes, first;	/* first: global z of plane 1, from 0 */
	int whole;		/* every rank has all planes */
	double *u, *f, *r;	/* solution, right side, scratch */
};

struct mg_solver {
	int levels, rank, ranks;	/* level 0 is the finest */
	struct mg_grid grid[MG_MAX_LEVELS];
};

static inline size_t mg_at(const struct mg_grid *g, int z, int y, int x)
{
	size_t w = (size_t)g->n + 2;

	return ((size_t)z * w + (size_t)y) * w + (size_t)x;
}

void mg_create(struct mg_solver *s, int n, int rank, int ranks);
void mg_destroy(struct mg_solver *s);

/* Fills the ghosts of v: wraps rows and planes, exchanges planes with neighbours. */
void mg_fill_ghosts(const struct mg_solver *s, const struct mg_grid *g, double *v);

/* One plane each; h2 is the square of the spacing. */
void mg_smooth_plane(const struct mg_grid *g, int z, double h2);	/* r = relaxed u */
void mg_residual_plane(const struct mg_grid *g, int z, double h2);	/* r = f - A u */
void mg_restrict_plane(const struct mg_grid *fine, const struct mg_grid *coarse, int z);
void mg_prolong_plane(const struct mg_grid *coarse, const struct mg_grid *fine, int z);

void mg_smooth(struct mg_solver *s, int level, int times);
void mg_residual(const struct mg_solver *s, int level);
void mg_cycle(struct mg_solver *s, int level);
/* 2-norm of f - A u on the finest level, per point. Collective. */
double mg_norm(const struct mg_solver *s);

#endif
