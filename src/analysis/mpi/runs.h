/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI calls of a thread in *runs*: calls that do not differ in the queried values are reported
 * once, with their number. Works on the folded form: the work grows with the number of loops and
 * with what varies in them, not with the number of calls.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_RUNS_H
#define BOB_ANALYSIS_MPI_RUNS_H

#include "analysis/mpi/calls.h"

enum bob_mpi_want {
	BOB_MPI_WANT_NONE,	/* calls of the function are skipped */
	BOB_MPI_WANT_RUNS,
	BOB_MPI_WANT_EACH, /* in the order of the calls, if a loop has more than one such */
};

enum bob_mpi_depends {
	BOB_MPI_DEPENDS_NOT,
	BOB_MPI_DEPENDS_ON_SIGN, /* of a single number: on whether it is negative */
	BOB_MPI_DEPENDS,	/* of a status on its bytes; of requests on which they are */
};

struct bob_mpi_run {
	struct bob_mpi_call call; /* the first of them; valid during the visit */
	uint64_t times;
	uint64_t made;		/* requests of the thread before it */
};

struct bob_mpi_question {
	enum bob_mpi_want (*want)(void *ctx, const struct bob_mpi_function *f);
	/* Does the answer depend on the parameter, as it was before the call, or, of a status and
	 * of what an event ends with, after it? It always depends on what the function returned, on
	 * which call it is, and on where it was called. */
	enum bob_mpi_depends (*depends)(void *ctx, const struct bob_mpi_function *f,
					const struct bob_mpi_param *p);
	/* Runs of one place in the program come in the order of the program; those of a loop's body
	 * one place after the other. */
	bob_status (*take)(void *ctx, const struct bob_mpi_run *run);
	void *ctx;
};

/* BOB_OK, also without calls; BOB_ERR_CORRUPT: something is damaged, the rest was reported.
 * BOB_ERR_NOMEM; what `take` returns. */
bob_status bob_mpi_runs(const struct bob_trace *t, uint32_t thread,
			const struct bob_mpi_question *q, struct bob_error *err);

#endif
