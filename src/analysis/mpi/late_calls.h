/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to late.h: effects of a call on messages and collective operations. */
#ifndef BOB_ANALYSIS_MPI_LATE_CALLS_H
#define BOB_ANALYSIS_MPI_LATE_CALLS_H

#include "analysis/mpi/late_private.h"

struct bob_late_event {
	const struct bob_mpi_call *call;
	struct bob_late_call at;
	uint64_t made;		/* number of requests that the thread created before */
	uint32_t thread;	/* number in the process */
};

/* Processes a call; calls must come in the order of time. */
void bob_late_take(struct bob_mpi_late *l, const struct bob_late_event *e);
/* The communicator of the call, see bob_late_comm_of. */
const struct bob_late_comm *bob_late_comm_of_call(struct bob_mpi_late *l,
						  const struct bob_late_event *e,
						  const struct bob_mpi_comm **own);
/* late_all.c: processes a collective call; `n`: number of its function, that of the small-count
 * form. */
void bob_late_collective(struct bob_mpi_late *l, const struct bob_late_event *e, uint32_t n);
/* Frees an element of struct bob_mpi_late's `requests`; after bob_late_match_end. */
void bob_late_request_free(void *request);
/* Does the process have MPI calls? */
int bob_mpi_has_calls_of(const struct bob_trace *t, uint32_t process);

#endif
