/* SPDX-License-Identifier: BSD-3-Clause */
/* Value set of ranks by their signatures. Ranks with equal signatures are one *group*. At most
 * BOB_CLUSTER_GROUPS are kept. Up to that number, the result does not depend on the order or tree
 * in which sets are united. Beyond it, the two nearest groups are joined into one that is like the
 * larger; this may depend on the order, and is counted.
 *
 *     bytes, LEB128: 2; the comparison; number of joins; number of groups; for each group, in the
 *     order of smallest ranks: number of features, 1 if there are more; for each feature:
 *     difference of its id to the previous one, count; number of runs of ranks; for each run:
 *     first rank less the previous run's last, number of further ranks
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
	struct bob_cluster_run *run; /* ascending, not adjacent */
};

struct bob_cluster_groups {
	/* of several concatenated sets; when two sets are united the later comparison wins */
	uint64_t comparison;
	uint64_t joined;	/* number of joins */
	uint32_t count;
	struct bob_cluster_group group[BOB_CLUSTER_GROUPS + 1]; /* by smallest rank */
};

/* NULL: out of memory. */
struct bob_cluster_groups *bob_cluster_create(void);
void bob_cluster_destroy(struct bob_cluster_groups *g); /* NULL is allowed */
/* 1, or 0: out of memory; part of it may be missing then. Arguments stay the caller's. */
int bob_cluster_add(struct bob_cluster_groups *g, uint32_t rank,
		    const struct bob_cluster_signature *like);
int bob_cluster_unite(struct bob_cluster_groups *into, const struct bob_cluster_groups *from);
uint64_t bob_cluster_ranks(const struct bob_cluster_group *g);
/* Returns the number of bytes; they are written if `capacity` suffices. */
size_t bob_cluster_pack(const struct bob_cluster_groups *g, void *to, size_t capacity);
/* From untrusted bytes; NULL: invalid, or out of memory. */
struct bob_cluster_groups *bob_cluster_unpack(const void *bytes, size_t len);

/* --- medoids.c --- */

#define BOB_CLUSTER_MOST 32u

/* k-medoids of n <= BOB_CLUSTER_GROUPS groups: at most k medoids with a small sum of ranks'
 * distances to their nearest medoid, by PAM (Kaufman and Rousseeuw: BUILD, then SWAP). of[i] is the
 * medoid of group i, itself a group. Deterministic. 0: out of memory. */
int bob_cluster_medoids(const struct bob_cluster_groups *g, uint32_t k, uint32_t *of);
/* The next run of ranks, from `from` on, in the cluster of a medoid. 0: none. */
int bob_cluster_next_run(const struct bob_cluster_groups *g, const uint32_t *of, uint32_t medoid,
			 uint64_t from, struct bob_cluster_run *out);
/* Text for users: "2 clusters of 16 ranks: 0-4,6-15 like 0; 5 like 5, 0.083 from 0". Returns its
 * length, less than `capacity`; a text that does not fit ends in "...". */
size_t bob_cluster_text(const struct bob_cluster_groups *g, uint32_t k, char *to, size_t capacity);

#endif
