/* SPDX-License-Identifier: BSD-3-Clause */
#include "ep.h"

#include "frame/frame.h"

struct problem {
	int batches;
	double sum_x, sum_y, pairs;
};

static const struct problem SMALL = { 1024, -1517.837766763939, 6813.469974970394, 52713475.0 };
static const struct problem LARGE = { 7168, 11082.24075698778, -13998.35141687134, 368945474.0 };

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
