/* SPDX-License-Identifier: BSD-3-Clause */
/* Matches receives with messages while only one process is read: sender and receiver derive the
 * same number independently. Messages of one communicator, sender, receiver and tag do not overtake
 * each other (MPI 4.0, 3.5): the k-th that is sent is the k-th that is received, by the order in
 * which receives were posted. So complete receives are delayed until the messages of all receives
 * posted before them are known. The state is the incomplete receives, and a count for each peer and
 * tag.
 *
 * The order of calls that several threads of a process make at the same time is unknown. A channel
 * (communicator, peer, tag) of such a process is matched only if one thread makes all its sends, or
 * posts all its receives. bob_mpi_flows_read finds these channels in a first pass over the calls.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_EXPORT_MPI_FLOWS_H
#define BOB_EXPORT_MPI_FLOWS_H

#include "analysis/mpi/messages.h"

struct bob_mpi_flows;

/* Where the message was received, in the caller's terms. */
struct bob_mpi_arrival {
	uint32_t thread;
	uint64_t time;
};

typedef void (*bob_mpi_flow_fn)(void *ctx, uint64_t id, const struct bob_mpi_arrival *at);

/* `arrived` is called for each message that was received, sooner or later. */
bob_status bob_mpi_flows_create(bob_mpi_flow_fn arrived, void *ctx, struct bob_mpi_flows **out);
void bob_mpi_flows_destroy(struct bob_mpi_flows *f); /* NULL is allowed */
/* From here on acts of this process. BOB_ERR_NOMEM. */
bob_status bob_mpi_flows_begin(struct bob_mpi_flows *f, const struct bob_mpi_objects *o);
/* First pass: acts get no ids and `arrived` is not called; the thread of each channel is
 * remembered. */
void bob_mpi_flows_learn(struct bob_mpi_flows *f, int learning);
/* It learns from all calls of the process, which is to be done where several threads have some. `o`
 * as above. */
bob_status bob_mpi_flows_read(struct bob_mpi_flows *f, const struct bob_trace *t, uint32_t process,
			      const struct bob_mpi_objects *o);
/* *id: of a message that is sent; 0: the act is no send, or its receiver is unknown.
 * BOB_ERR_NOMEM. */
bob_status bob_mpi_flows_act(struct bob_mpi_flows *f, const struct bob_mpi_act *a,
			     const struct bob_mpi_arrival *at, uint64_t *id);
/* The process has no more. */
void bob_mpi_flows_end(struct bob_mpi_flows *f);
/* Messages without an id: of communicators that are not known, of several threads, or of more peers
 * and tags than are counted. Both ends count. */
uint64_t bob_mpi_flows_lost(const struct bob_mpi_flows *f);

#endif
