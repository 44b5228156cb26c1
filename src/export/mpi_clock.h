/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of a thread's MPI calls for exports: exact if the trace has them, otherwise consecutive
 * time units. */
#ifndef BOB_EXPORT_MPI_CLOCK_H
#define BOB_EXPORT_MPI_CLOCK_H

#include "bobbin/trace.h"

#define BOB_MPI_CLOCK_UNIT_NS 1000u

struct bob_mpi_span {
	uint64_t begin_ns, end_ns;
};

struct bob_mpi_clock;

/* True if the trace has the time of each call of these threads. */
int bob_mpi_clock_is_exact(const struct bob_trace *t, const uint32_t *threads, uint32_t count);
/* Owner: the caller. Threads: one. `exact`: result of bob_mpi_clock_is_exact. Errors:
 * BOB_ERR_NOMEM. */
bob_status bob_mpi_clock_open(const struct bob_trace *t, uint32_t thread, int exact,
			      struct bob_mpi_clock **out);
/* Times of the next call. Times never decrease. If they are not exact, call n lasts one unit from n
 * units on. Errors: BOB_ERR_CORRUPT. */
bob_status bob_mpi_clock_next(struct bob_mpi_clock *c, struct bob_mpi_span *span);
void bob_mpi_clock_close(struct bob_mpi_clock *c); /* NULL is allowed */

#endif
