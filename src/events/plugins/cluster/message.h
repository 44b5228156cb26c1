/* SPDX-License-Identifier: BSD-3-Clause */
/* The message to all ranks after they have been compared: the cluster of each rank.
 *
 *     bytes, LEB128: 1; the comparison; number of clusters; for each, in the order of smallest
 *     ranks: the medoid's rank; number of runs of ranks; for each run: first rank less the
 *     previous run's last, number of further ranks
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_EVENTS_CLUSTER_MESSAGE_H
#define BOB_EVENTS_CLUSTER_MESSAGE_H

#include "events/plugins/cluster/groups.h"

/* Writes at most k clusters of the groups. Returns the number of bytes; they are written if
 * `capacity` suffices. 0: out of memory. */
size_t bob_cluster_write(const struct bob_cluster_groups *g, uint32_t k, void *to, size_t capacity);
/* Reads untrusted bytes: the cluster of `rank`. 1, or 0: invalid, or the rank is in no cluster;
 * *out may be changed then. */
int bob_cluster_read(const void *bytes, size_t len, uint32_t rank, struct bob_cluster *out);

#endif
