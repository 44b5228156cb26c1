/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI calls of a thread, one after the other, decoded: which function, from where, and the
 * words of its parameters.
 *
 * Owner: the caller. Threads: one reader, one thread. What a call points to is valid until the next
 * one. */
#ifndef BOB_ANALYSIS_MPI_CALLS_H
#define BOB_ANALYSIS_MPI_CALLS_H

#include "archive/events/mpi_functions.h"
#include "bobbin/trace.h"

#define BOB_MPI_NO_VECTOR 255u
#define BOB_MPI_UNKNOWN                                                                            \
	UINT64_MAX /* a handle that no recorded call made; a size or a rank that is not known */
#define BOB_MPI_FIRST_NEW 256u		/* handles that calls made */

struct bob_mpi_call {
	const struct bob_mpi_function *function;
	struct bob_value_event event;
};

struct bob_mpi_reader;

/* BOB_NONE: the thread has no MPI calls. BOB_ERR_NOMEM, BOB_ERR_INVAL. */
bob_status bob_mpi_reader_open(const struct bob_trace *t, uint32_t thread,
			       struct bob_mpi_reader **out, struct bob_error *err);
/* BOB_END after the last; BOB_ERR_CORRUPT: something is damaged, the next call continues after
 * it. */
bob_status bob_mpi_reader_next(struct bob_mpi_reader *r, struct bob_mpi_call *call,
			       struct bob_error *err);
void bob_mpi_reader_close(struct bob_mpi_reader *r); /* NULL is allowed */

/* Of an event's key in the trace; NULL: unknown. */
const struct bob_mpi_function *bob_mpi_function_of_key(const struct bob_trace *t,
						       const uint8_t *key, size_t len);

/* The same, if its events have so many words and vectors; else NULL. One that never completed may
 * be without its vectors. */
const struct bob_mpi_function *bob_mpi_function_fitting(const struct bob_trace *t,
							const uint8_t *key, size_t len,
							uint32_t words, uint32_t vectors, int open);
/* What to say of others: BOB_ERR_CORRUPT. */
bob_status bob_mpi_unknown_function(struct bob_error *err);

/* The parameter of that name; NULL: the function has none such. */
const struct bob_mpi_param *bob_mpi_param_named(const struct bob_mpi_function *f, const char *name);
/* The first parameter of that role that goes in and is no vector; NULL: none. */
const struct bob_mpi_param *bob_mpi_param_of(const struct bob_mpi_function *f,
					     enum bob_mpi_role role);
/* Which of an event's vectors is the parameter's, or a new communicator's; or BOB_MPI_NO_VECTOR. */
uint32_t bob_mpi_vector_of(const struct bob_mpi_function *f, const struct bob_mpi_param *p);
/* Of one that goes in and comes out that above is how it was before the call, this how it was
 * after. */
uint32_t bob_mpi_vector_after(const struct bob_mpi_function *f, const struct bob_mpi_param *p);
/* The words of the parameter before the call, or after it: 0 if there are none, or the call did not
 * come that far. */
uint64_t bob_mpi_in(const struct bob_mpi_call *c, const struct bob_mpi_param *p);
uint64_t bob_mpi_out(const struct bob_mpi_call *c, const struct bob_mpi_param *p);
/* What the function returned; 0: MPI_SUCCESS, or it did not return. */
int64_t bob_mpi_result(const struct bob_mpi_call *c);

#endif
