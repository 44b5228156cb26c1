/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks at the beginning and the end of events; they leave nothing in the trace. */
#include "services.h"

#include <bobbin/hooks.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "adapt.h"
#include "frame.h"

#define FINER 0.03		/* jumps of height between neighbours, by the height */
#define COARSER 0.008
#define UNEVEN 1.1		/* imbalance from which the load is balanced */
#define PICTURE 256

struct services {
	struct mesh *mesh;
	const char *prefix;
	int pictures, refined, balanced, most_cells, most_own;
};

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

/* --- at events --- */

static void after_pour(void *ctx, const struct bob_hook_event *e)
{
	struct services *s = ctx;

	if (!e->at_end)
		return;
	refine_mesh(s->mesh);
	mesh_balance(s->mesh);
	mesh_connect(s->mesh);
}

static void after_step(void *ctx, const struct bob_hook_event *e)
{
	struct services *s = ctx;

	if (!e->at_end)
		return;
	s->refined += refine_mesh(s->mesh);
	if (mesh_imbalance(s->mesh) > UNEVEN) {
		mesh_balance(s->mesh);
		mesh_connect(s->mesh);
		s->balanced++;
	}
	if (s->mesh->cells > s->most_cells)
		s->most_cells = s->mesh->cells;
	if (s->mesh->owned > s->most_own)
		s->most_own = s->mesh->owned;
}

/* Before the run, and after each burst. */
static void take_picture(void *ctx, const struct bob_hook_event *e)
{
	struct services *s = ctx;

	if (e->at_end == !s->pictures)
		return;
	visualise(s->mesh, s->prefix, s->pictures++);
}

static void after_run(void *ctx, const struct bob_hook_event *e)
{
	struct services *s = ctx;

	if (!e->at_end)
		return;
	MPI_Allreduce(MPI_IN_PLACE, &s->most_own, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	if (s->mesh->rank == 0)
		printf("%d pictures, cells %d at most, %d refined or joined, "
		       "%d of a rank at most, balanced %d times\n",
		       s->pictures, s->most_cells, s->refined, s->most_own, s->balanced);
}

int services_add(struct mesh *m, const char *prefix)
{
	static const struct {
		const char *events;
		void (*callback)(void *ctx, const struct bob_hook_event *e);
	} services[] = { { "pour", after_pour },
			 { "step", after_step },
			 { "burst", take_picture },
			 { "run", after_run } };
	static struct bob_hook hook[sizeof(services) / sizeof(*services)];
	static struct services s;
	int added = 1;

	s.mesh = m;
	s.prefix = prefix;
	for (size_t i = 0; i < sizeof(services) / sizeof(*services); i++) {
		hook[i] = (struct bob_hook){ .size = sizeof(hook[i]),
					     .flags = BOB_HOOK_CALLBACK_ONLY,
					     .name = "services",
					     .kinds = BOB_HOOK_CUSTOM,
					     .events = services[i].events,
					     .callback = services[i].callback,
					     .ctx = &s };
		added &= bob_hook_add(&hook[i]);
	}
	return added;
}
