/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes that a call gives to MPI and gets from it, as docs/mpi-reading.md defines them, and where a
 * message goes. */
#ifndef BOB_ANALYSIS_MPI_BYTES_H
#define BOB_ANALYSIS_MPI_BYTES_H

#include "analysis/mpi/objects.h"
#include "analysis/mpi/runs.h"

enum bob_mpi_class {
	BOB_MPI_CLASS_OTHER,
	BOB_MPI_CLASS_SEND,	/* point-to-point: a message, now */
	BOB_MPI_CLASS_SEND_INIT, /* a message at each start */
	BOB_MPI_CLASS_COLLECTIVE,
	BOB_MPI_CLASS_COLLECTIVE_INIT,
	BOB_MPI_CLASS_START,
	BOB_MPI_CLASS_ONE_SIDED,
	BOB_MPI_CLASS_FILE,
};

enum bob_mpi_class bob_mpi_class_of(const struct bob_mpi_function *f);
/* The blocking form of a collective function; NULL: it is no collective function. */
const struct bob_mpi_function *bob_mpi_collective_form(const struct bob_mpi_function *f);
/* What the rank contributes: BOB_MPI_UNKNOWN if a type's size or a topology is not known. Of Start
 * and Startall 0: ask for their requests. */
uint64_t bob_mpi_sent(const struct bob_mpi_objects *o, const struct bob_mpi_call *c);
/* What its statuses say. */
uint64_t bob_mpi_received(const struct bob_mpi_call *c);
/* Did a receive of `source` and `tag` that was cancelled get a message, by its status? Recorders
 * once left there what MPI did: zeros, or anything. */
int bob_mpi_was_received(const uint64_t *status, uint64_t source, uint64_t tag);
/* What a one-sided call brings from its target; BOB_MPI_UNKNOWN as above. */
uint64_t bob_mpi_fetched(const struct bob_mpi_objects *o, const struct bob_mpi_call *c);
/* a + b, where one of them may be BOB_MPI_UNKNOWN. */
uint64_t bob_mpi_plus(uint64_t a, uint64_t b);
/* The rank in its communicator that a SEND or SEND_INIT goes to; BOB_MPI_UNKNOWN: none. */
uint64_t bob_mpi_destination(const struct bob_mpi_call *c);
/* The communicator of a call, of its window if it has one; BOB_MPI_UNKNOWN: none, or not known. */
uint64_t bob_mpi_comm_of(const struct bob_mpi_objects *o, const struct bob_mpi_call *c);
/* What a collective call's data go to, by the rank in its communicator: bytes for each of its
 * `members`, itself included. 0: they go nowhere from here, or, in a reduction to all and the like,
 * to no particular process. */
int bob_mpi_spread(const struct bob_mpi_objects *o, const struct bob_mpi_call *c, uint64_t *to,
		   uint32_t members);

/* What of a parameter the bytes and the communicator of a call depend on. Where messages go: on all
 * of `dest` and `target_rank`. */
enum bob_mpi_depends bob_mpi_bytes_depend(const struct bob_mpi_function *f,
					  const struct bob_mpi_param *p);

#endif
