/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and collective operations that MPI calls start and complete. Reads the calls of a
 * process, thread by thread, and keeps only incomplete requests.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_MESSAGES_H
#define BOB_ANALYSIS_MPI_MESSAGES_H

#include "analysis/mpi/call_bytes.h"

enum bob_mpi_act_kind {
	BOB_MPI_ACT_SEND,	/* blocking */
	BOB_MPI_ACT_RECV,
	BOB_MPI_ACT_ISEND,	/* started */
	BOB_MPI_ACT_ISEND_DONE,
	BOB_MPI_ACT_IRECV,
	BOB_MPI_ACT_IRECV_DONE,
	/* a receive without a message: freed or cancelled */
	BOB_MPI_ACT_DROPPED,
	/* a matched probe (Mprobe): another call will receive the message */
	BOB_MPI_ACT_MATCHED,
	BOB_MPI_ACT_COLLECTIVE,
	BOB_MPI_ACT_ICOLLECTIVE,
	BOB_MPI_ACT_ICOLLECTIVE_DONE,
};

struct bob_mpi_act {
	enum bob_mpi_act_kind kind;
	int at_end;		/* 1: when the call returns; 0: when it begins */
	uint64_t request;	/* id of a nonblocking operation; the same at each start of a
				 * persistent one */
	const struct bob_mpi_function *function; /* the function that started it or created the
						  * request */
	uint64_t comm;
	int64_t peer,
		/* rank in `comm`; of a started receive as requested: negative may be a wildcard */
		tag;
	int64_t root;		/* of a collective operation; -1: none */
	uint64_t sent, received; /* bytes; BOB_MPI_UNKNOWN */
	int probed;		/* RECV, IRECV: an earlier MATCHED act has the message */
};

typedef bob_status (*bob_mpi_act_fn)(void *ctx, const struct bob_mpi_act *act);

struct bob_mpi_messages;

/* Borrows `o`, the objects of the process. Errors: BOB_ERR_NOMEM. */
bob_status bob_mpi_messages_create(const struct bob_mpi_objects *o, struct bob_mpi_messages **out);
void bob_mpi_messages_destroy(struct bob_mpi_messages *m); /* NULL is allowed */
/* Calls `act` for the acts of a call, those at its begin first. `thread`: number in the process;
 * `made`: see bob_mpi_request_id. Returns BOB_ERR_NOMEM or the failure of `act`. */
bob_status bob_mpi_messages_take(struct bob_mpi_messages *m, const struct bob_mpi_call *c,
				 uint32_t thread, uint64_t made, bob_mpi_act_fn act, void *ctx);
/* Number of completed requests of unknown kind: created before recording, or by another thread that
 * has not been read yet. */
uint64_t bob_mpi_messages_unknown(const struct bob_mpi_messages *m);

#endif
