/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes and checks of EP: the number of pairs and the sums of deviates. OpenMP threads share
 * batches. */
#include "ep.h"

#include "frame/frame.h"

struct problem {
	int batches;
	double sum_x, sum_y, pairs;
};

/* SMALL is the problem and seed of class S of the NAS benchmarks, and so are its sums. */
static const struct problem SMALL = { 256, -3247.834652034616, -6958.407078382821, 13176389.0 };
static const struct problem LARGE = { 1536, 10924.95768664007, 2649.160041404752, 79066483.0 };

static double count_pairs(const struct ep_tally *t)
{
	double pairs = 0;

	for (int i = 0; i < EP_ANNULI; i++)
		pairs += (double)t->annulus[i];
	return pairs;
}

int main(int argc, char **argv)
{
	struct frame f;
	struct ep_tally t = { { 0 }, 0, 0 };
	const struct problem *p;
	int share;

	frame_begin(&f, "ep", &argc, &argv);
	p = f.size == 'S' ? &SMALL : &LARGE;
	share = frame_share(&f, p->batches);

	frame_start(&f);
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < share; i++)
		ep_tally_batch(&t, (uint64_t)(f.rank * share + i));
	ep_tally_reduce(&t);
	frame_stop(&f);

	frame_check(&f, "pairs", count_pairs(&t), p->pairs, 0);
	frame_check(&f, "sum_x", t.sum_x, p->sum_x, 1e-9);
	frame_check(&f, "sum_y", t.sum_y, p->sum_y, 1e-9);
	return frame_end(&f);
}
