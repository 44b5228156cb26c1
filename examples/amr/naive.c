/* SPDX-License-Identifier: BSD-3-Clause */
/* Shallow water on an adaptive mesh, with everything in the loop: pictures, refining the mesh,
 * balancing the load, statistics. Compare events.c.
 *
 *     mpirun -n 4 ./amr_naive 20 amr       # 20 bursts of 10 steps; writes amr.000.ppm ...
 *
 * A round hill of water collapses between four walls. Rusanov fluxes; what leaves a cell over half
 * a side enters its neighbour, so the water is conserved up to rounding, which is checked. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "adapt.h"
#include "frame.h"
#include "mesh.h"

#define GRAVITY 9.8
#define STEADY 0.4		/* fraction of the largest stable time step */
#define BURST 10
#define FINER 0.03		/* jumps of height between neighbours, by the height */
#define COARSER 0.008
#define UNEVEN 1.1		/* imbalance from which the load is balanced */
#define PICTURE 256

struct flux {
	double h, hu, hv;
};

/* --- finite differences --- */

static double largest_speed(const struct state *s, double momentum)
{
	return fabs(momentum / s->h) + sqrt(GRAVITY * s->h);
}

/* Over a side between `a` (west) and `b` (east). */
static struct flux flux_x(const struct state *a, const struct state *b)
{
	double ua = a->hu / a->h, ub = b->hu / b->h;
	double s = fmax(largest_speed(a, a->hu), largest_speed(b, b->hu));
	struct flux f;

	f.h = 0.5 * (a->hu + b->hu) - 0.5 * s * (b->h - a->h);
	f.hu = 0.5 * (a->hu * ua + b->hu * ub + 0.5 * GRAVITY * (a->h * a->h + b->h * b->h)) -
	       0.5 * s * (b->hu - a->hu);
	f.hv = 0.5 * (a->hv * ua + b->hv * ub) - 0.5 * s * (b->hv - a->hv);
	return f;
}

static struct state turned(const struct state *s)
{
	return (struct state){ s->h, s->hv, s->hu };
}

/* A wall is a cell with the same water going the other way. */
static struct state mirrored(const struct state *s, enum side side)
{
	int x = side == WEST || side == EAST;

	return (struct state){ s->h, x ? -s->hu : s->hu, x ? s->hv : -s->hv };
}

/* What flows out of `own` over one side, per length. */
static struct flux outflow(const struct state *own, const struct state *near, enum side side)
{
	struct state a = side == EAST || side == NORTH ? *own : *near;
	struct state b = side == EAST || side == NORTH ? *near : *own;
	double sign = side == EAST || side == NORTH ? 1 : -1;
	struct flux f;

	if (side == WEST || side == EAST) {
		f = flux_x(&a, &b);
		return (struct flux){ sign * f.h, sign * f.hu, sign * f.hv };
	}
	a = turned(&a);
	b = turned(&b);
	f = flux_x(&a, &b);
	return (struct flux){ sign * f.h, sign * f.hv, sign * f.hu };
}

static void step_cell(const struct mesh *m, int i, double dt, struct state *out)
{
	double size = mesh_size(m, i), part = dt / (2 * size);

	*out = m->own[i];
	for (int side = 0; side < SIDES; side++)
		for (int half = 0; half < 2; half++) {
			int near = m->near[i][side][half];
			struct state wall = mirrored(&m->own[i], (enum side)side);
			struct flux f = outflow(&m->own[i], near == WALL ? &wall : &m->own[near],
						(enum side)side);

			out->h -= part * f.h;
			out->hu -= part * f.hu;
			out->hv -= part * f.hv;
		}
}

static double time_step(const struct mesh *m)
{
	double dt = 1, all;

	for (int i = 0; i < m->owned; i++) {
		const struct state *s = &m->own[i];
		double fastest = fmax(largest_speed(s, s->hu), largest_speed(s, s->hv));

		dt = fmin(dt, STEADY * mesh_size(m, i) / fastest);
	}
	MPI_Allreduce(&dt, &all, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
	return all;
}

static void finite_differences(struct mesh *m, double *time)
{
	double dt = time_step(m);
	struct state *next = malloc(((size_t)m->owned + 1) * sizeof(*next));

	if (!next)
		MPI_Abort(MPI_COMM_WORLD, 2);
	mesh_exchange(m);
	for (int i = 0; i < m->owned; i++)
		step_cell(m, i, dt, &next[i]);
	for (int i = 0; i < m->owned; i++)
		m->own[i] = next[i];
	free(next);
	*time += dt;
}

static void pour_water(struct mesh *m)
{
	for (int i = 0; i < m->owned; i++) {
		double x, y, half = mesh_size(m, i) / 2;

		mesh_corner(m, m->first[m->rank] + i, &x, &y);
		x += half - 0.4;
		y += half - 0.45;
		m->own[i] = (struct state){ x * x + y * y < 0.04 ? 10 : 2, 0, 0 };
	}
}

static double water(const struct mesh *m)
{
	double own = 0, all = 0;

	for (int i = 0; i < m->owned; i++)
		own += m->own[i].h * mesh_size(m, i) * mesh_size(m, i);
	MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

/* --- refining --- */

static double largest_jump(const struct mesh *m, int i)
{
	double jump = 0;

	for (int k = 0; k < SIDES * 2; k++) {
		int near = m->near[i][k / 2][k % 2];

		if (near != WALL)
			jump = fmax(jump, fabs(m->own[near].h - m->own[i].h) / m->own[i].h);
	}
	return jump;
}

static int refine_mesh(struct mesh *m)
{
	int8_t *want = malloc((size_t)m->owned + 1);
	int changed;

	if (!want)
		MPI_Abort(MPI_COMM_WORLD, 2);
	mesh_exchange(m);
	for (int i = 0; i < m->owned; i++) {
		double jump = largest_jump(m, i);

		want[i] = (int8_t)((jump > FINER) - (jump < COARSER));
	}
	changed = mesh_refine(m, want);
	free(want);
	mesh_connect(m);
	return changed;
}

/* --- pictures --- */

/* Heights of all cells on rank 0; NULL elsewhere. */
static double *gather_heights(const struct mesh *m)
{
	double *own = malloc(((size_t)m->owned + 1) * sizeof(*own));
	double *all = m->rank ? NULL : malloc((size_t)m->cells * sizeof(*all));
	int *count = malloc((size_t)m->ranks * sizeof(*count));

	if (!own || !count || (!all && !m->rank))
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (int i = 0; i < m->owned; i++)
		own[i] = m->own[i].h;
	for (int r = 0; r < m->ranks; r++)
		count[r] = m->first[r + 1] - m->first[r];
	MPI_Gatherv(own, m->owned, MPI_DOUBLE, all, count, m->first, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	free(count);
	free(own);
	return all;
}

static void visualise(const struct mesh *m, const char *prefix, int number)
{
	double *height = gather_heights(m);
	struct frame f;

	if (m->rank)
		return;
	if (frame_create(&f, PICTURE))
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (int i = 0; i < m->cells; i++) {
		double x, y;

		mesh_corner(m, i, &x, &y);
		frame_paint(&f, x, y, 1.0 / (1 << m->level[i]), (height[i] - 1) / 5);
	}
	if (frame_write(&f, prefix, number))
		MPI_Abort(MPI_COMM_WORLD, 1);
	frame_destroy(&f);
	free(height);
}

/* --- the whole --- */

int main(int argc, char **argv)
{
	int bursts = argc > 1 ? atoi(argv[1]) : 10;
	const char *prefix = argc > 2 ? argv[2] : "amr";
	int refined = 0, balanced = 0, most_cells = 0, most_own = 0;
	double time = 0, before, after;
	struct mesh m;

	MPI_Init(&argc, &argv);
	mesh_create(&m);
	mesh_connect(&m);
	pour_water(&m);
	for (int level = MESH_LEVEL_MIN; level < MESH_LEVEL_MAX; level++) {
		refine_mesh(&m);
		mesh_balance(&m);
		mesh_connect(&m);
		pour_water(&m);
	}
	before = water(&m);

	visualise(&m, prefix, 0);
	for (int burst = 1; burst <= bursts; burst++) {
		for (int step = 0; step < BURST; step++) {
			finite_differences(&m, &time);
			refined += refine_mesh(&m);
			if (mesh_imbalance(&m) > UNEVEN) {
				mesh_balance(&m);
				mesh_connect(&m);
				balanced++;
			}
			if (m.cells > most_cells)
				most_cells = m.cells;
			if (m.owned > most_own)
				most_own = m.owned;
		}
		visualise(&m, prefix, burst);
	}
	after = water(&m);
	MPI_Allreduce(MPI_IN_PLACE, &most_own, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);

	if (m.rank == 0) {
		printf("%d pictures, cells %d at most, %d refined or joined, "
		       "%d of a rank at most, balanced %d times\n",
		       bursts + 1, most_cells, refined, most_own, balanced);
		printf("time %.6f, cells %d, water %.9f: %s\n", time, m.cells, after,
		       fabs(after - before) < 1e-12 * before * BURST * (bursts + 1) ? "conserved" :
										      "LOST");
	}
	mesh_destroy(&m);
	MPI_Finalize();
	return fabs(after - before) < 1e-12 * before * BURST * (bursts + 1) ? 0 : 1;
}
