/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks by their signatures: a value set. Those that are equal are one *group*. At most
 * BOB_CLUSTER_GROUPS are kept: as long as there are no more, what comes out does not depend on the
 * order or the tree in which sets are united; of more the two nearest become one that is like the
 * larger, which may depend on it, and is counted.
 *
 *     bytes, LEB128: 2; which comparison; groups made one; groups; for each, the one of the smallest rank first: features, 1 if there are more; for each id less the one before it
 *     and count; runs of ranks; for each: its first less the last of the one before, how many more
 *
 * Owner: the caller. Threads: one set, one thread. */
#ifndef BOB_EVENTS_CLUSTER_GROUPS_H
#define BOB_EVENTS_CLUSTER_GROUPS_H

#include "events/plugins/cluster/signature.h"

#define BOB_CLUSTER_GROUPS 64u

struct bob_cluster_run {
	uint32_t first, last;
};

struct bob_cluster_group {
	struct bob_cluster_signature *like;
	uint32_t runs;
	struct bob_cluster_run *run; /* ascending, apart */
};

struct bob_cluster_groups {
	/* of several, concatenated; of two sets the later one wins */
	uint64_t comparison;
	uint64_t joined;	/* groups that became part of others */
	uint32_t count;
	struct bob_cluster_group group[BOB_CLUSTER_GROUPS + 1]; /* by smallest rank */
};

/* NULL: no memory. */
struct bob_cluster_groups *bob_cluster_create(void);
void bob_cluster_destroy(struct bob_cluster_groups *g); /* NULL is allowed */
/* 1, or 0: no memory; some of it may be missing then. What is passed stays the caller's. */
int bob_cluster_add(struct bob_cluster_groups *g, uint32_t rank,
		    const struct bob_cluster_signature *like);
int bob_cluster_unite(struct bob_cluster_groups *into, const struct bob_cluster_groups *from);
uint64_t bob_cluster_ranks(const struct bob_cluster_group *g);
/* The number of bytes; they are written if `capacity` is enough. */
size_t bob_cluster_pack(const struct bob_cluster_groups *g, void *to, size_t capacity);
/* From any bytes; NULL: they are invalid, or no memory. */
struct bob_cluster_groups *bob_cluster_unpack(const void *bytes, size_t len);

/* --- medoids.c --- */

#define BOB_CLUSTER_MOST 32u

/* Of n <= BOB_CLUSTER_GROUPS groups at most k medoids, such that the sum of ranks' distances to the
 * nearest one is small: k-medoids, as PAM has it (build, then swap). of[i]: the medoid of group i,
 * a group. The same for the same groups. 0: no memory. */
int bob_cluster_medoids(const struct bob_cluster_groups *g, uint32_t k, uint32_t *of);
/* The next ranks in a row, from `from` on, of the cluster of a medoid. 0: there are none. */
int bob_cluster_next_run(const struct bob_cluster_groups *g, const uint32_t *of, uint32_t medoid,
			 uint64_t from, struct bob_cluster_run *out);
/* For people: "2 clusters of 16 ranks: 0-4,6-15 like 0; 5 like 5, 0.083 from 0". Its length, less
 * than `capacity`; what does not fit is left out, and "..." says so. */
size_t bob_cluster_text(const struct bob_cluster_groups *g, uint32_t k, char *to, size_t capacity);

#endif
