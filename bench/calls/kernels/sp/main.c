/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes, time steps and checks of SP: norms of the error and of the change. */
#include "sp.h"

#include "frame/frame.h"

struct problem {
	int n, steps;
	double error, change;	/* after all steps, from a run on one rank */
};

static const struct problem SMALL = { 32, 80, 0.003628095278087787, 0.0002857759870309873 };
static const struct problem LARGE = { 64, 60, 0.07257280565923534, 0.0016135849006948 };

static void step(struct sp_box *b)
{
	sp_fill_ghosts(b);
	sp_change(b);
	sp_solve_x(b);
	sp_solve_y(b);
	sp_solve_z(b);
	sp_add(b);
}

int main(int argc, char **argv)
{
	struct frame f;
	struct sp_box b;
	const struct problem *p;
	double start;

	frame_begin(&f, "sp", &argc, &argv);
	p = f.size == 'S' ? &SMALL : &LARGE;
	frame_share(&f, p->n / SP_GHOSTS);	/* a slab is at least as thick as the ghosts */
	sp_box_create(&b, p->n, f.rank, f.ranks, p->n / f.ranks);
	start = sp_error_norm(&b);

	frame_start(&f);
	for (int i = 0; i < p->steps; i++)
		step(&b);
	frame_stop(&f);

	frame_check(&f, "error", sp_error_norm(&b), p->error, 1e-8);
	frame_check(&f, "change", sp_change_norm(&b), p->change, 1e-8);
	frame_check_below(&f, "error_reduction", sp_error_norm(&b) / start, 0.95);
	sp_box_destroy(&b);
	return frame_end(&f);
}
