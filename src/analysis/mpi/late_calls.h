/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to late.h: what a call means for messages and collective operations. */
#ifndef BOB_ANALYSIS_MPI_LATE_CALLS_H
#define BOB_ANALYSIS_MPI_LATE_CALLS_H

#include "analysis/mpi/late_private.h"

struct bob_late_event {
	const struct bob_mpi_call *call;
	struct bob_late_call at;
	uint64_t made;		/* requests that the thread made before */
	uint32_t thread;	/* number in the process */
};

/* In the order of time. */
void bob_late_take(struct bob_mpi_late *l, const struct bob_late_event *e);
/* Of the call's communicator, as bob_late_comm_of. */
const struct bob_late_comm *bob_late_comm_of_call(struct bob_mpi_late *l,
						  const struct bob_late_event *e,
						  const struct bob_mpi_comm **own);
/* late_all.c: a collective call; `n` is the number of its function, without large counts. */
void bob_late_collective(struct bob_mpi_late *l, const struct bob_late_event *e, uint32_t n);
/* Of struct bob_mpi_late's `requests`, after bob_late_match_end. */
void bob_late_request_free(void *request);
/* Has the process MPI calls? */
int bob_mpi_has_calls_of(const struct bob_trace *t, uint32_t process);

#endif
