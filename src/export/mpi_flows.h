/* SPDX-License-Identifier: BSD-3-Clause */
/* Matches receives with messages while only one process is read: sender and receiver derive the
 * same number independently. Messages with equal communicator, sender, receiver and tag do not
 * overtake each other (MPI 4.0, 3.5): the k-th one sent matches the k-th one received, in the order
 * in which the receives were posted. So complete receives are delayed until the messages of all
 * receives posted before them are known. The state consists of the incomplete receives, and a count
 * for each peer and tag.
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

/* Where the message was received; the caller defines the meaning of `time`. */
struct bob_mpi_arrival {
	uint32_t thread;
	uint64_t time;
};

typedef void (*bob_mpi_flow_fn)(void *ctx, uint64_t id, const struct bob_mpi_arrival *at);

/* `arrived` is called once for each received message, possibly later than its act. */
bob_status bob_mpi_flows_create(bob_mpi_flow_fn arrived, void *ctx, struct bob_mpi_flows **out);
void bob_mpi_flows_destroy(struct bob_mpi_flows *f); /* NULL is allowed */
/* The following acts are of the process of `o`. Errors: BOB_ERR_NOMEM. */
bob_status bob_mpi_flows_begin(struct bob_mpi_flows *f, const struct bob_mpi_objects *o);
/* Switches the first pass on or off. In it, acts get no ids, `arrived` is not called, and the
 * thread of each channel is stored. */
void bob_mpi_flows_learn(struct bob_mpi_flows *f, int learning);
/* Runs the first pass over all calls of the process. Required if several threads made calls. `o`:
 * as in bob_mpi_flows_begin. */
bob_status bob_mpi_flows_read(struct bob_mpi_flows *f, const struct bob_trace *t, uint32_t process,
			      const struct bob_mpi_objects *o);
/* *id: number of the message sent by `a`; 0 if it sends none or the receiver is unknown. Errors:
 * BOB_ERR_NOMEM. */
bob_status bob_mpi_flows_act(struct bob_mpi_flows *f, const struct bob_mpi_act *a,
			     const struct bob_mpi_arrival *at, uint64_t *id);
/* Ends the process and reports the remaining complete receives. */
void bob_mpi_flows_end(struct bob_mpi_flows *f);
/* Number of sends and receives without an id: the communicator is unknown, several threads use the
 * channel, or the process has too many channels. Both ends of a message are counted. */
uint64_t bob_mpi_flows_lost(const struct bob_mpi_flows *f);

#endif
