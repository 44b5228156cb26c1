/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that the MPI handles of a process represent: communicators and their members, sizes of
 * types, windows, persistent requests. Numbers of handles are assigned once, in order of creation,
 * so one object describes the whole run of all threads.
 *
 * Owner: the caller. Threads: constant once created. */
#ifndef BOB_ANALYSIS_MPI_OBJECTS_H
#define BOB_ANALYSIS_MPI_OBJECTS_H

#include <stddef.h>

#include "analysis/mpi/decode_calls.h"

struct bob_mpi_comm {
	uint64_t number;
	const struct bob_mpi_function *made_by; /* NULL: predefined */
	/* ranks in the trace; of the remote group of an intercommunicator. NULL: unknown */
	const uint32_t *member;
	uint32_t members;
	uint32_t me;		/* the process's rank in it; ~0: unknown, or it is in the other
				 * group */
	uint32_t neighbours;	/* number of destinations in the topology; ~0: unknown */
	uint32_t thread;	/* number in the process of the creating thread */
	/* Own group of an intercommunicator that Intercomm_create made, or of its duplicate, as
	 * ranks in the trace. NULL: unknown, or no intercommunicator */
	const uint32_t *local;
	uint32_t locals;
};

/* A persistent request. */
struct bob_mpi_persistent {
	uint64_t id;		/* thread << 32 | number of its creation there */
	const struct bob_mpi_function *function; /* that created it */
	uint64_t comm;
	uint64_t peer;		/* rank in `comm`, of point-to-point operations; BOB_MPI_UNKNOWN:
				 * none */
	uint64_t sent;		/* bytes per start; BOB_MPI_UNKNOWN */
};

struct bob_mpi_objects;

/* Reads the objects of `process`. Unreadable calls make objects unknown and are no error. Errors:
 * BOB_ERR_NOMEM. */
bob_status bob_mpi_objects_create(const struct bob_trace *t, uint32_t process,
				  struct bob_mpi_objects **out);
void bob_mpi_objects_destroy(struct bob_mpi_objects *o); /* NULL is allowed */

/* The process's rank in the trace (struct bob_world_info); ~0: unknown. */
uint32_t bob_mpi_objects_rank(const struct bob_mpi_objects *o);
/* Number of ranks in the trace up to the last one of its world; 0: unknown. */
uint32_t bob_mpi_objects_ranks(const struct bob_mpi_objects *o);
/* NULL: unknown. */
const struct bob_mpi_comm *bob_mpi_objects_comm(const struct bob_mpi_objects *o, uint64_t number);
/* All known ones, sorted by number. */
const struct bob_mpi_comm *bob_mpi_objects_comms(const struct bob_mpi_objects *o, size_t *count);
/* Rank in the trace of rank `rank` of the communicator; ~0: unknown, or no process. */
uint32_t bob_mpi_objects_member(const struct bob_mpi_objects *o, uint64_t comm, uint64_t rank);
/* Size of the type in bytes; BOB_MPI_UNKNOWN. */
uint64_t bob_mpi_objects_size(const struct bob_mpi_objects *o, uint64_t type);
/* The communicator on which a window was created; BOB_MPI_UNKNOWN. */
uint64_t bob_mpi_objects_window_comm(const struct bob_mpi_objects *o, uint64_t win);
/* NULL: no persistent request. */
const struct bob_mpi_persistent *bob_mpi_objects_persistent(const struct bob_mpi_objects *o,
							    uint64_t id);

/* Id of a request from its recorded word, which counts the requests that the thread created since.
 * `made`: requests that it created before the call. 0: null request, or unknown. */
uint64_t bob_mpi_request_id(uint64_t word, uint32_t thread, uint64_t made);
/* Number of requests that the call created. */
uint32_t bob_mpi_requests_made(const struct bob_mpi_call *c);

#endif
