/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes that a call passes to MPI and gets from it, as defined in docs/mpi-reading.md, and the
 * recipients of messages. */
#ifndef BOB_ANALYSIS_MPI_CALL_BYTES_H
#define BOB_ANALYSIS_MPI_CALL_BYTES_H

#include "analysis/mpi/objects.h"
#include "analysis/mpi/runs.h"

enum bob_mpi_class {
	BOB_MPI_CLASS_OTHER,
	BOB_MPI_CLASS_SEND,	/* point-to-point: sends a message */
	BOB_MPI_CLASS_SEND_INIT, /* creates a request that sends a message at each start */
	BOB_MPI_CLASS_COLLECTIVE,
	BOB_MPI_CLASS_COLLECTIVE_INIT,
	BOB_MPI_CLASS_START,
	BOB_MPI_CLASS_ONE_SIDED,
	BOB_MPI_CLASS_FILE,
};

enum bob_mpi_class bob_mpi_class_of(const struct bob_mpi_function *f);
/* The blocking form of a collective function; NULL: not collective. */
const struct bob_mpi_function *bob_mpi_collective_form(const struct bob_mpi_function *f);
/* Bytes that the rank contributes; BOB_MPI_UNKNOWN: a type's size or a topology is unknown. For
 * Start and Startall 0: query their requests. */
uint64_t bob_mpi_sent(const struct bob_mpi_objects *o, const struct bob_mpi_call *c);
/* Bytes received according to the call's statuses. */
uint64_t bob_mpi_received(const struct bob_mpi_call *c);
/* Did a cancelled receive of `source` and `tag` get a message, according to its status? In old
 * traces the status of a receive without a message may have any contents. */
int bob_mpi_was_received(const uint64_t *status, uint64_t source, uint64_t tag);
/* Bytes that a one-sided call gets from its target; BOB_MPI_UNKNOWN as above. */
uint64_t bob_mpi_fetched(const struct bob_mpi_objects *o, const struct bob_mpi_call *c);
/* a + b, where either may be BOB_MPI_UNKNOWN. */
uint64_t bob_mpi_plus(uint64_t a, uint64_t b);
/* Destination of a SEND or SEND_INIT, as rank in its communicator; BOB_MPI_UNKNOWN: none. */
uint64_t bob_mpi_destination(const struct bob_mpi_call *c);
/* Communicator of a call, or of its window; BOB_MPI_UNKNOWN: none, or unknown. */
uint64_t bob_mpi_comm_of(const struct bob_mpi_objects *o, const struct bob_mpi_call *c);
/* Recipients of a collective call's data: bytes per rank of its communicator (`members` of them),
 * itself included. Returns 0 if the data leaves the process to no one, or to no particular process
 * (as in a reduction to all). */
int bob_mpi_spread(const struct bob_mpi_objects *o, const struct bob_mpi_call *c, uint64_t *to,
		   uint32_t members);

/* Which property of a parameter determines the bytes and the communicator of a call. The recipients
 * depend on the values of `dest` and `target_rank`. */
enum bob_mpi_depends bob_mpi_bytes_depend(const struct bob_mpi_function *f,
					  const struct bob_mpi_param *p);

#endif
