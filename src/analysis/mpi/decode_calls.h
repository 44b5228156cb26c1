/* SPDX-License-Identifier: BSD-3-Clause */
/* Iteration over the MPI calls of a thread, decoded: function, call path, and the words of the
 * parameters.
 *
 * Owner: the caller. Threads: one reader, one thread. A call's pointers are valid until the next
 * call. */
#ifndef BOB_ANALYSIS_MPI_DECODE_CALLS_H
#define BOB_ANALYSIS_MPI_DECODE_CALLS_H

#include "archive/events/mpi_functions.h"
#include "bobbin/trace.h"

#define BOB_MPI_NO_VECTOR 255u
#define BOB_MPI_UNKNOWN UINT64_MAX /* handle of an unrecorded object; unknown size or rank */
#define BOB_MPI_FIRST_NEW 256u		/* first number of handles that are not predefined */

struct bob_mpi_call {
	const struct bob_mpi_function *function;
	struct bob_value_event event;
};

struct bob_mpi_reader;

/* BOB_NONE: the thread has no MPI calls. Errors: BOB_ERR_NOMEM, BOB_ERR_INVAL. */
bob_status bob_mpi_reader_open(const struct bob_trace *t, uint32_t thread,
			       struct bob_mpi_reader **out, struct bob_error *err);
/* BOB_END after the last call; BOB_ERR_CORRUPT: damage, the next call continues after it. */
bob_status bob_mpi_reader_next(struct bob_mpi_reader *r, struct bob_mpi_call *call,
			       struct bob_error *err);
void bob_mpi_reader_close(struct bob_mpi_reader *r); /* NULL is allowed */

/* The function of an event's key; NULL: unknown. */
const struct bob_mpi_function *bob_mpi_function_of_key(const struct bob_trace *t,
						       const uint8_t *key, size_t len);

/* The same, if its events have so many words and vectors, otherwise NULL. Incomplete events
 * (`open`) may lack vectors. */
const struct bob_mpi_function *bob_mpi_function_fitting(const struct bob_trace *t,
							const uint8_t *key, size_t len,
							uint32_t words, uint32_t vectors, int open);
/* Reports an unknown function. Returns BOB_ERR_CORRUPT. */
bob_status bob_mpi_unknown_function(struct bob_error *err);

/* The parameter of that name; NULL: none. */
const struct bob_mpi_param *bob_mpi_param_named(const struct bob_mpi_function *f, const char *name);
/* The first input parameter of that role that is no vector; NULL: none. */
const struct bob_mpi_param *bob_mpi_param_of(const struct bob_mpi_function *f,
					     enum bob_mpi_role role);
/* Index of the vector of a parameter, or of a new communicator's members; or BOB_MPI_NO_VECTOR. For
 * a parameter that is input and output: its input. */
uint32_t bob_mpi_vector_of(const struct bob_mpi_function *f, const struct bob_mpi_param *p);
/* The same for the output. */
uint32_t bob_mpi_vector_after(const struct bob_mpi_function *f, const struct bob_mpi_param *p);
/* The word of the parameter before or after the call; 0: none, or the call did not return. */
uint64_t bob_mpi_in(const struct bob_mpi_call *c, const struct bob_mpi_param *p);
uint64_t bob_mpi_out(const struct bob_mpi_call *c, const struct bob_mpi_param *p);
/* Return value of the function; 0: MPI_SUCCESS, or it did not return. */
int64_t bob_mpi_result(const struct bob_mpi_call *c);

#endif
