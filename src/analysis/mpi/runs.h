/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI calls of a thread in *runs*: calls that do not differ in the queried values are reported
 * once, with their number. Works on the folded form: the work grows with the number of loops and of
 * varying values, not with the number of calls.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_RUNS_H
#define BOB_ANALYSIS_MPI_RUNS_H

#include "analysis/mpi/decode_calls.h"

enum bob_mpi_want {
	BOB_MPI_WANT_NONE,	/* calls of the function are skipped */
	BOB_MPI_WANT_RUNS,
	BOB_MPI_WANT_EACH, /* in call order, if a loop has several such functions */
};

enum bob_mpi_depends {
	BOB_MPI_DEPENDS_NOT,
	BOB_MPI_DEPENDS_ON_SIGN, /* a single number: whether it is negative */
	BOB_MPI_DEPENDS,	/* a status: its bytes; requests: their identity */
};

struct bob_mpi_run {
	struct bob_mpi_call call; /* the first call; valid during the callback */
	uint64_t times;
	uint64_t made;		/* requests that the thread created before it */
};

struct bob_mpi_question {
	enum bob_mpi_want (*want)(void *ctx, const struct bob_mpi_function *f);
	/* Does the result depend on the parameter? Its value before the call; for a status, and for
	 * results of an event, its value after the call. The result always depends on return value,
	 * function and call site. */
	enum bob_mpi_depends (*depends)(void *ctx, const struct bob_mpi_function *f,
					const struct bob_mpi_param *p);
	/* Called for each run. Runs of one place come in program order; places in a loop's body
	 * come one after the other. */
	bob_status (*take)(void *ctx, const struct bob_mpi_run *run);
	void *ctx;
};

/* BOB_OK, also without calls; BOB_ERR_CORRUPT: damage, the rest was reported; BOB_ERR_NOMEM; or the
 * failure of `take`. */
bob_status bob_mpi_runs(const struct bob_trace *t, uint32_t thread,
			const struct bob_mpi_question *q, struct bob_error *err);

#endif
