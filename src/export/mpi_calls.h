/* SPDX-License-Identifier: BSD-3-Clause */
/* Iterates over the MPI calls of the selected threads, process by process, and passes each to a
 * visitor with the data that exports need.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_EXPORT_MPI_CALLS_H
#define BOB_EXPORT_MPI_CALLS_H

#include <stdio.h>

#include "analysis/mpi/messages.h"
#include "export/export.h"
#include "export/mpi_clock.h"

/* State of the iteration; valid during a callback. */
struct bob_mpi_visited {
	uint32_t thread, process; /* indices in the trace */
	uint32_t number;	/* of the thread in the process */
	uint32_t rank;		/* ~0: unknown */
	uint64_t index;		/* number of the call in the thread, from 0 */
	const struct bob_mpi_call *call;
	uint64_t made;		/* requests created before this call, see bob_mpi_request_id */
	struct bob_mpi_span span;
	const struct bob_mpi_objects *objects;
	struct bob_mpi_messages *messages; /* query at most once per call */
	int lone;		/* no other thread of the process made calls */
};

struct bob_mpi_visitor {
	/* Each callback may be NULL. Any result except BOB_OK ends the iteration and is
	 * returned. */
	bob_status (*begin_process)(void *ctx,
				    const struct bob_mpi_visited *visited); /* `call` is unset */
	bob_status (*begin_thread)(void *ctx,
				   const struct bob_mpi_visited *visited); /* `call` is unset */
	bob_status (*call)(void *ctx, const struct bob_mpi_visited *visited);
	bob_status (*end_thread)(void *ctx, const struct bob_mpi_visited *visited);
	bob_status (*end_process)(void *ctx, const struct bob_mpi_visited *visited);
	void *ctx;
	uint64_t budget;	/* maximal number of calls per thread */
	int exact;		/* use the exact times of the trace */
};

/* Runs the visitor. BOB_ERR_CORRUPT: some data is damaged, the rest was visited. x->cut_events
 * counts the calls beyond the budget. */
bob_status bob_mpi_tour(struct bob_export *x, const struct bob_mpi_visitor *v);
/* Budget per thread for which all threads together have at most x->max_events calls. */
uint64_t bob_mpi_tour_budget(const struct bob_export *x);
/* BOB_ERR_IO if writing has failed, so that a visitor can end the iteration. */
bob_status bob_mpi_tour_out(const struct bob_export *x);

/* --- texts --- */

/* Writes the input parameters of a call, or with `out` its results:
 * "buf=other count=1 datatype=INT dest=1 tag=7 comm=COMM_WORLD".
 * Predefined handles have their names. Requests are numbered from 1 in each thread ("thread:number"
 * for those of another thread). Special ranks and tags are -1 to -3. */
void bob_mpi_put_words(const struct bob_mpi_visited *visited, int out, FILE *to);
/* Writes the innermost source location of the call: function, file and line. */
void bob_mpi_put_site(const struct bob_export *x, const struct bob_mpi_visited *visited, FILE *to);

#endif
