/* SPDX-License-Identifier: BSD-3-Clause */
/* A batch draws its numbers from its own place in one sequence, so any rank or thread may do it. */
#include "ep.h"

#include <mpi.h>

#define SEED 271828183u

void ep_tally_batch(struct ep_tally *t, uint64_t index)
{
	double state = ep_draw_at(SEED, index * 2 * EP_BATCH);
	double u[2 * EP_CHUNK];
	struct ep_tally own = { { 0 }, 0, 0 };

	for (int i = 0; i < EP_BATCH / EP_CHUNK; i++) {
		ep_draw_fill(&state, u, 2 * EP_CHUNK);
		ep_tally_chunk(&own, u, EP_CHUNK);
	}
#pragma omp critical
	ep_tally_add(t, &own);
}

void ep_tally_reduce(struct ep_tally *t)
{
	MPI_Allreduce(MPI_IN_PLACE, t->annulus, EP_ANNULI, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, &t->sum_x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, &t->sum_y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
