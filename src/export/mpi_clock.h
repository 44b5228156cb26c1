/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of a thread's calls, for exports: exact where the trace has them, else consecutive units of
 * time. */
#ifndef BOB_EXPORT_MPI_CLOCK_H
#define BOB_EXPORT_MPI_CLOCK_H

#include "bobbin/trace.h"

#define BOB_MPI_CLOCK_UNIT_NS 1000u

struct bob_mpi_span {
	uint64_t begin_ns, end_ns;
};

struct bob_mpi_clock;

/* Does the trace say when each call of these threads was? */
int bob_mpi_clock_is_exact(const struct bob_trace *t, const uint32_t *threads, uint32_t count);
/* Owner: the caller. Threads: one. `exact` as above. BOB_ERR_NOMEM. */
bob_status bob_mpi_clock_open(const struct bob_trace *t, uint32_t thread, int exact,
			      struct bob_mpi_clock **out);
/* Of the next call. Times never decrease; without exact ones call n takes the unit from n on.
 * BOB_ERR_CORRUPT. */
bob_status bob_mpi_clock_next(struct bob_mpi_clock *c, struct bob_mpi_span *span);
void bob_mpi_clock_close(struct bob_mpi_clock *c); /* NULL is allowed */

#endif
