/* SPDX-License-Identifier: BSD-3-Clause */
/* The box: its known solution at rest, the force that makes it one, and the norms. */
#include "sp.h"

#include "frame/frame.h"

#include <math.h>
#include <stdlib.h>

#define DISTURBANCE 0.3

double sp_exact(const struct sp_box *b, int z, int y, int x, int field)
{
	double h = 1.0 / (b->n + 1);
	double px = (x + 1) * h, py = (y + 1) * h, pz = (z + b->first + 1) * h;

	return 1.0 + 0.2 * field + 0.5 * sin(1.0 + px + 2.0 * py + (1 + field) * pz) +
	       px * py * pz * (1 - 0.1 * field);
}

static double bump(int n, int at)
{
	double x = (at + 1.0) / (n + 1.0);

	return at < 0 || at >= n ? 0.0 : 4.0 * x * (1.0 - x);
}

static void set_row(struct sp_box *b, int z, int y, double disturbance)
{
	int wide = b->n + SP_GHOSTS;

	for (int x = -SP_GHOSTS; x < wide; x++)
		for (int f = 0; f < SP_FIELDS; f++)
			b->u[sp_at(b, z, y, x) + (size_t)f] =
				sp_exact(b, z, y, x, f) + disturbance * bump(b->n, x) *
								  bump(b->n, y) *
								  bump(b->n, z + b->first);
}

static void set_state(struct sp_box *b, double disturbance)
{
	for (int z = -SP_GHOSTS; z < b->planes + SP_GHOSTS; z++)
		for (int y = -SP_GHOSTS; y < b->n + SP_GHOSTS; y++)
			set_row(b, z, y, disturbance);
}

/* The force that holds the solution at rest: N of it. */
static void set_force(struct sp_box *b)
{
	double step = b->step;

	b->step = -1;
	for (int z = 0; z < b->planes; z++)
		for (int y = 0; y < b->n; y++)
			sp_row_change(b, z, y, NULL, b->force + sp_in(b, z, y, 0));
	b->step = step;
}

void sp_box_create(struct sp_box *b, int n, int rank, int ranks, int planes)
{
	uint64_t points;

	b->n = n;
	b->rank = rank;
	b->ranks = ranks;
	b->planes = planes;
	b->first = rank * planes;
	b->step = 0.5;
	points = sp_in(b, planes, 0, 0);
	b->u = frame_alloc(sp_at(b, planes + SP_GHOSTS, 0, 0), sizeof(double));
	b->force = frame_alloc(points, sizeof(double));
	b->delta = frame_alloc(points, sizeof(double));
	b->p = frame_alloc(points, sizeof(double));
	b->q = frame_alloc(points, sizeof(double));
	set_state(b, 0);
	set_force(b);
	set_state(b, DISTURBANCE);
}

void sp_box_destroy(struct sp_box *b)
{
	free(b->u);
	free(b->force);
	free(b->delta);
	free(b->p);
	free(b->q);
}

static void add_row(struct sp_box *b, int z, int y)
{
	double *u = b->u + sp_at(b, z, y, 0);
	const double *d = b->delta + sp_in(b, z, y, 0);

	for (int i = 0; i < b->n * SP_FIELDS; i++)
		u[i] += d[i];
}

void sp_add(struct sp_box *b)
{
	for (int z = 0; z < b->planes; z++)
		for (int y = 0; y < b->n; y++)
			add_row(b, z, y);
}

static double points_of(const struct sp_box *b)
{
	return (double)b->n * b->n * b->n * SP_FIELDS;
}

double sp_change_norm(const struct sp_box *b)
{
	double sum = 0;

	for (size_t i = 0; i < sp_in(b, b->planes, 0, 0); i++)
		sum += b->delta[i] * b->delta[i];
	return sqrt(frame_sum(sum) / points_of(b));
}

static double row_error(const struct sp_box *b, int z, int y)
{
	double sum = 0;

	for (int x = 0; x < b->n; x++)
		for (int f = 0; f < SP_FIELDS; f++) {
			double e = b->u[sp_at(b, z, y, x) + (size_t)f] - sp_exact(b, z, y, x, f);

			sum += e * e;
		}
	return sum;
}

double sp_error_norm(const struct sp_box *b)
{
	double sum = 0;

	for (int z = 0; z < b->planes; z++)
		for (int y = 0; y < b->n; y++)
			sum += row_error(b, z, y);
	return sqrt(frame_sum(sum) / points_of(b));
}
