/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes, time steps and check of Hybrid: the digest of the snapshots. */
#include "hybrid.h"

#include "frame/frame.h"

#include <mpi.h>

#define SNAPSHOT_STEPS 20

struct problem {
	int n, steps;
	double digest;	/* its low 52 bits, from a run on one rank */
};

static const struct problem SMALL = { 512, 4000, 1703919658552584.0 };
static const struct problem LARGE = { 1024, 6000, 1417896942579150.0 };

int main(int argc, char **argv)
{
	struct frame f;
	struct heat_strip s;
	struct digest d;
	const struct problem *p;
	uint64_t own, sum = 0;

	frame_begin(&f, "hybrid", &argc, &argv);
	p = f.size == 'S' ? &SMALL : &LARGE;
	heat_strip_create(&s, p->n, frame_share(&f, p->n), f.rank, f.ranks);
	if (digest_begin(&d, s.n, s.rows) != 0)
		MPI_Abort(MPI_COMM_WORLD, 2);

	frame_start(&f);
	for (int i = 1; i <= p->steps; i++) {
		heat_step(&s);
		if (i % SNAPSHOT_STEPS == 0)
			digest_give(&d, &s);
	}
	own = digest_end(&d);
	frame_stop(&f);

	MPI_Allreduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	frame_check(&f, "digest", (double)(sum & 0xfffffffffffffull), p->digest, 0);
	heat_strip_destroy(&s);
	return frame_end(&f);
}
