/* SPDX-License-Identifier: BSD-3-Clause */
/* The message to all ranks when they have been compared: which cluster each of them is in.
 *
 *     bytes, LEB128: 1; which comparison; clusters, in the order of their smallest ranks; for each:
 *     the rank that the others are like; runs of ranks; for each: its first less the last of the
 *     one before, how many more
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_EVENTS_CLUSTER_MESSAGE_H
#define BOB_EVENTS_CLUSTER_MESSAGE_H

#include "events/plugins/cluster/groups.h"

/* At most k clusters of the groups. As pack: the number of bytes; they are written if `capacity` is
 * enough. 0: no memory. */
size_t bob_cluster_write(const struct bob_cluster_groups *g, uint32_t k, void *to, size_t capacity);
/* From any bytes: what they say of a rank. 1, or 0: they are invalid, or it is in no cluster; *out
 * may be changed then. */
int bob_cluster_read(const void *bytes, size_t len, uint32_t rank, struct bob_cluster *out);

#endif
