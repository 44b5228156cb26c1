/* SPDX-License-Identifier: BSD-3-Clause */
/* Charges, V-cycles and checks of MG: the norm of the residual after some cycles, and its
 * reduction. */
#include "mg.h"

#include "frame/frame.h"

#define SEED 141421356ull
#define CHARGES 10	/* of each sign */

struct problem {
	int n, cycles;
	double norm;	/* after `norm_cycles`, from a run on one rank */
};

#define NORM_CYCLES 5	/* later norms are close to the rounding error */

static const struct problem SMALL = { 128, 30, 0.8989587116424343 };
static const struct problem LARGE = { 256, 25, 2.517335419358145 };

static void put_charges(struct mg_solver *s)
{
	struct mg_grid *g = &s->grid[0];
	double strength = (double)g->n * g->n * g->n;
	uint64_t state = SEED;

	for (int i = 0; i < 2 * CHARGES; i++) {
		int at[3];

		for (int k = 0; k < 3; k++) {
			state = frame_random_next(state);
			at[k] = (int)(frame_random_unit(state) * g->n);
		}
		at[2] -= g->first;
		if (at[2] >= 0 && at[2] < g->planes)
			g->f[mg_at(g, at[2] + 1, at[1] + 1, at[0] + 1)] += i % 2 ? strength :
										   -strength;
	}
}

int main(int argc, char **argv)
{
	struct frame f;
	struct mg_solver s;
	const struct problem *p;
	double first, norm = 0, last;

	frame_begin(&f, "mg", &argc, &argv);
	p = f.size == 'S' ? &SMALL : &LARGE;
	frame_share(&f, p->n / 2);
	mg_create(&s, p->n, f.rank, f.ranks);
	put_charges(&s);
	first = mg_norm(&s);

	frame_start(&f);
	for (int i = 1; i <= p->cycles; i++) {
		mg_cycle(&s, 0);
		if (i == NORM_CYCLES)
			norm = mg_norm(&s);
	}
	last = mg_norm(&s);
	frame_stop(&f);

	frame_check(&f, "norm", norm, p->norm, 1e-8);
	frame_check_below(&f, "reduction", last / first, 1e-8);
	mg_destroy(&s);
	return frame_end(&f);
}
