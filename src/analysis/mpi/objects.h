/* SPDX-License-Identifier: BSD-3-Clause */
/* What the MPI handles of a process stand for: communicators and who is in them, sizes of types,
 * windows, persistent requests. Their numbers are given once, in the order of making, so one object
 * says it for the whole run of all the process's threads.
 *
 * Owner: the caller. Threads: constant once it is made. */
#ifndef BOB_ANALYSIS_MPI_OBJECTS_H
#define BOB_ANALYSIS_MPI_OBJECTS_H

#include <stddef.h>

#include "analysis/mpi/calls.h"

struct bob_mpi_comm {
	uint64_t number;
	const struct bob_mpi_function *made_by; /* NULL: predefined */
	/* ranks in the trace; of the remote group, if it is an intercommunicator. NULL: not
	 * known */
	const uint32_t *member;
	uint32_t members;
	uint32_t me;		/* the process's rank in it; ~0: not known, or another group's */
	uint32_t neighbours;	/* that it sends to in the topology; ~0: not known */
	uint32_t thread;	/* that made it: its number in the process */
	/* Of what Intercomm_create made, and its duplicates: ranks in the trace of the own group.
	 * NULL: not known, or it is no intercommunicator */
	const uint32_t *local;
	uint32_t locals;
};

/* A persistent request. */
struct bob_mpi_persistent {
	uint64_t id;		/* thread << 32 | number of its making there */
	const struct bob_mpi_function *function; /* that made it */
	uint64_t comm;
	uint64_t peer;		/* in that, of point-to-point; BOB_MPI_UNKNOWN: none */
	uint64_t sent;		/* bytes at each start; BOB_MPI_UNKNOWN: not known */
};

struct bob_mpi_objects;

/* Of process `process`. BOB_ERR_NOMEM; what cannot be read makes objects unknown, no error. */
bob_status bob_mpi_objects_create(const struct bob_trace *t, uint32_t process,
				  struct bob_mpi_objects **out);
void bob_mpi_objects_destroy(struct bob_mpi_objects *o); /* NULL is allowed */

/* The process's rank in the trace (struct bob_world_info); ~0: not known. */
uint32_t bob_mpi_objects_rank(const struct bob_mpi_objects *o);
/* How many ranks of the trace there are up to the last of its world; 0: not known. */
uint32_t bob_mpi_objects_ranks(const struct bob_mpi_objects *o);
/* NULL: not known. */
const struct bob_mpi_comm *bob_mpi_objects_comm(const struct bob_mpi_objects *o, uint64_t number);
/* All that are known, by number. */
const struct bob_mpi_comm *bob_mpi_objects_comms(const struct bob_mpi_objects *o, size_t *count);
/* The rank in the trace of rank `rank` of the communicator; ~0: not known, or no process. */
uint32_t bob_mpi_objects_member(const struct bob_mpi_objects *o, uint64_t comm, uint64_t rank);
/* Bytes of one of the type; BOB_MPI_UNKNOWN. */
uint64_t bob_mpi_objects_size(const struct bob_mpi_objects *o, uint64_t type);
/* The communicator that a window was made on; BOB_MPI_UNKNOWN. */
uint64_t bob_mpi_objects_window_comm(const struct bob_mpi_objects *o, uint64_t win);
/* NULL: it is no persistent request. */
const struct bob_mpi_persistent *bob_mpi_objects_persistent(const struct bob_mpi_objects *o,
							    uint64_t id);

/* Requests are named by how many the thread has made since: `made` before the call. 0: the null
 * request, or not known. */
uint64_t bob_mpi_request_id(uint64_t word, uint32_t thread, uint64_t made);
/* How many requests the call made. */
uint32_t bob_mpi_requests_made(const struct bob_mpi_call *c);

#endif
