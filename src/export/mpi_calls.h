/* SPDX-License-Identifier: BSD-3-Clause */
/* Visits the MPI calls of the chosen threads one after the other, process by process, with the data
 * that exports need of each.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_EXPORT_MPI_CALLS_H
#define BOB_EXPORT_MPI_CALLS_H

#include <stdio.h>

#include "analysis/mpi/messages.h"
#include "export/export.h"
#include "export/mpi_clock.h"

/* Valid during the visit. */
struct bob_mpi_visited {
	uint32_t thread, process; /* indices */
	uint32_t number;	/* of the thread in the process */
	uint32_t rank;		/* ~0: not known */
	uint64_t index;		/* of the call in the thread, from 0 */
	const struct bob_mpi_call *call;
	uint64_t made;		/* as bob_mpi_request_id has it */
	struct bob_mpi_span span;
	const struct bob_mpi_objects *objects;
	struct bob_mpi_messages *messages; /* to be asked once for each call, if at all */
	int lone;		/* the process has no other thread with calls */
};

struct bob_mpi_visitor {
	/* Each may be NULL. All return what ends the tour, or BOB_OK. */
	bob_status (*begin_process)(void *ctx,
				    const struct bob_mpi_visited *visited); /* no call yet */
	bob_status (*begin_thread)(void *ctx,
				   const struct bob_mpi_visited *visited); /* no call yet */
	bob_status (*call)(void *ctx, const struct bob_mpi_visited *visited);
	bob_status (*end_thread)(void *ctx, const struct bob_mpi_visited *visited);
	bob_status (*end_process)(void *ctx, const struct bob_mpi_visited *visited);
	void *ctx;
	uint64_t budget;	/* calls of each thread at most */
	int exact;		/* times */
};

/* BOB_ERR_CORRUPT: something is damaged, the rest was visited. x->cut_events counts calls beyond
 * the budget. */
bob_status bob_mpi_tour(struct bob_export *x, const struct bob_mpi_visitor *v);
/* What each thread may have so that all together have x->max_events at most. */
uint64_t bob_mpi_tour_budget(const struct bob_export *x);
/* Writing has failed: the tour may end. */
bob_status bob_mpi_tour_out(const struct bob_export *x);

/* --- texts --- */

/* "buf=other count=1 datatype=INT dest=1 tag=7 comm=COMM_WORLD": parameters that go in, or, with
 * `out`, what came out. Handles as people know them, requests by number in the thread from 1
 * ("thread:number" of another one), -1 to -3 of ranks and tags as they are. */
void bob_mpi_put_words(const struct bob_mpi_visited *visited, int out, FILE *to);
/* Innermost place of the call: function, file and line. */
void bob_mpi_put_site(const struct bob_export *x, const struct bob_mpi_visited *visited, FILE *to);

#endif
