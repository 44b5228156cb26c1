/* SPDX-License-Identifier: BSD-3-Clause */
/* Stencils on one plane. A is the usual seven-point Laplacian with its sign turned. */
#include "mg.h"

#define OMEGA (6.0 / 7.0)

void mg_smooth_plane(const struct mg_grid *g, int z, double h2)
{
	size_t w = (size_t)g->n + 2, p = w * w;

	for (int y = 1; y <= g->n; y++) {
		const double *u = g->u + mg_at(g, z, y, 0);
		const double *f = g->f + mg_at(g, z, y, 0);
		double *r = g->r + mg_at(g, z, y, 0);

		for (int x = 1; x <= g->n; x++) {
			double sum = u[x - 1] + u[x + 1] + *(u + x - w) + *(u + x + w) +
				     *(u + x - p) + *(u + x + p);

			r[x] = u[x] + OMEGA * ((h2 * f[x] + sum) * (1.0 / 6.0) - u[x]);
		}
	}
}

void mg_residual_plane(const struct mg_grid *g, int z, double h2)
{
	size_t w = (size_t)g->n + 2, p = w * w;
	double s = 1.0 / h2;

	for (int y = 1; y <= g->n; y++) {
		const double *u = g->u + mg_at(g, z, y, 0);
		const double *f = g->f + mg_at(g, z, y, 0);
		double *r = g->r + mg_at(g, z, y, 0);

		for (int x = 1; x <= g->n; x++) {
			double sum = u[x - 1] + u[x + 1] + *(u + x - w) + *(u + x + w) +
				     *(u + x - p) + *(u + x + p);

			r[x] = f[x] - s * (6.0 * u[x] - sum);
		}
	}
}

/* Cells, not corners: a coarse point is the mean of eight fine ones. */
void mg_restrict_plane(const struct mg_grid *fine, const struct mg_grid *coarse, int z)
{
	int zf = 2 * z - 1;

	for (int y = 1; y <= coarse->n; y++) {
		const double *a = fine->r + mg_at(fine, zf, 2 * y - 1, 0);
		const double *b = fine->r + mg_at(fine, zf, 2 * y, 0);
		const double *c = fine->r + mg_at(fine, zf + 1, 2 * y - 1, 0);
		const double *d = fine->r + mg_at(fine, zf + 1, 2 * y, 0);
		double *to = coarse->f +
			     mg_at(coarse, coarse->whole && !fine->whole ? fine->first / 2 + z : z,
				   y, 0);

		for (int x = 1; x <= coarse->n; x++)
			to[x] = 0.125 * (a[2 * x - 1] + a[2 * x] + b[2 * x - 1] + b[2 * x] +
					 c[2 * x - 1] + c[2 * x] + d[2 * x - 1] + d[2 * x]);
	}
}

/* Trilinear: three quarters of the own cell, one quarter of the nearer neighbour, per axis. */
static double blend(const double *u, int toward)
{
	return 0.75 * u[0] + 0.25 * u[toward];
}

void mg_prolong_plane(const struct mg_grid *coarse, const struct mg_grid *fine, int z)
{
	int global = fine->first + z - 1;
	int zc = global / 2 - coarse->first + 1;
	int zn = global % 2 ? zc + 1 : zc - 1;

	for (int y = 1; y <= fine->n; y++) {
		int yc = (y + 1) / 2, yn = y % 2 ? yc - 1 : yc + 1;
		const double *cc = coarse->u + mg_at(coarse, zc, yc, 0);
		const double *cn = coarse->u + mg_at(coarse, zc, yn, 0);
		const double *nc = coarse->u + mg_at(coarse, zn, yc, 0);
		const double *nn = coarse->u + mg_at(coarse, zn, yn, 0);
		double *u = fine->u + mg_at(fine, z, y, 0);

		for (int x = 1; x <= fine->n; x++) {
			int xc = (x + 1) / 2, toward = x % 2 ? -1 : 1;

			u[x] += 0.75 * (0.75 * blend(cc + xc, toward) +
					0.25 * blend(cn + xc, toward)) +
				0.25 * (0.75 * blend(nc + xc, toward) +
					0.25 * blend(nn + xc, toward));
		}
	}
}
