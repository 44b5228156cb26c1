/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and collective operations that MPI calls begin and complete. Reads the calls of a
 * process, thread after thread, and keeps only the requests that are not complete.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_MESSAGES_H
#define BOB_ANALYSIS_MPI_MESSAGES_H

#include "analysis/mpi/bytes.h"

enum bob_mpi_act_kind {
	BOB_MPI_ACT_SEND,	/* blocking */
	BOB_MPI_ACT_RECV,
	BOB_MPI_ACT_ISEND,	/* it begins */
	BOB_MPI_ACT_ISEND_DONE,
	BOB_MPI_ACT_IRECV,
	BOB_MPI_ACT_IRECV_DONE,
	/* a receive that will not be: freed, or complete without a message */
	BOB_MPI_ACT_DROPPED,
	/* a probe took the message out of the line: it will be received by another call */
	BOB_MPI_ACT_MATCHED,
	BOB_MPI_ACT_COLLECTIVE,
	BOB_MPI_ACT_ICOLLECTIVE,
	BOB_MPI_ACT_ICOLLECTIVE_DONE,
};

struct bob_mpi_act {
	enum bob_mpi_act_kind kind;
	int at_end;		/* when the call comes back; else when it begins */
	uint64_t request;	/* of what is not blocking; each time it is started the same */
	const struct bob_mpi_function *function; /* that began it or made the request */
	uint64_t comm;
	int64_t peer,
		/* rank in `comm`; of a receive that begins as asked for: negative may be any */
		tag;
	int64_t root;		/* of a collective operation; -1: none */
	uint64_t sent, received; /* bytes; BOB_MPI_UNKNOWN */
	int probed;		/* RECV, IRECV: MATCHED said what it gets */
};

typedef bob_status (*bob_mpi_act_fn)(void *ctx, const struct bob_mpi_act *act);

struct bob_mpi_messages;

/* `o` is of the process and has to stay. BOB_ERR_NOMEM. */
bob_status bob_mpi_messages_create(const struct bob_mpi_objects *o, struct bob_mpi_messages **out);
void bob_mpi_messages_destroy(struct bob_mpi_messages *m); /* NULL is allowed */
/* Acts of a call: those at its begin first. `thread` is the thread's number in the process, `made`
 * as bob_mpi_request_id has it. BOB_ERR_NOMEM; what `act` returns. */
bob_status bob_mpi_messages_take(struct bob_mpi_messages *m, const struct bob_mpi_call *c,
				 uint32_t thread, uint64_t made, bob_mpi_act_fn act, void *ctx);
/* Completed requests of unknown kind: created before recording, or by another thread later than
 * this. */
uint64_t bob_mpi_messages_unknown(const struct bob_mpi_messages *m);

#endif
