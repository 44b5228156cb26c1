/* SPDX-License-Identifier: BSD-3-Clause */
/* What a folded trace is like, small enough to be sent and compared: how often each leaf and each
 * loop comes, by what they are.
 *
 * A *feature* is a leaf -- event and call path -- or a loop, which is the features of its body in
 * order; its count: how often the leaf comes, how many iterations the loop has, all runs together.
 * Values, and elements of vectors, are no features. A signature has the features of the smallest
 * ids, at most BOB_CLUSTER_FEATURES: two signatures are compared where both have all.
 *
 * The distance of two signatures is
 *
 *     sum |w(a) - w(b)| / sum (w(a) + w(b))        w(n) = 1 + log2 n (between powers of two linear), w(0) = 0
 *
 * over all features: 0 of equal ones, 1 where they have nothing in common. Integers only, so it is
 * the same everywhere.
 *
 * Owner: the caller (free). Threads: any; pure functions. */
#ifndef BOB_EVENTS_CLUSTER_SIGNATURE_H
#define BOB_EVENTS_CLUSTER_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/hooks.h"

#define BOB_CLUSTER_FEATURES 512u
#define BOB_CLUSTER_ONE (1u << 24) /* a distance of 1 */

struct bob_cluster_feature {
	uint64_t id, count;
};

struct bob_cluster_signature {
	uint32_t features;
	uint32_t cut;		/* 1: there are more, of larger ids */
	struct bob_cluster_feature feature[]; /* ids ascending, counts not 0 */
};

/* NULL: no memory, or the trace cannot be read. */
struct bob_cluster_signature *bob_cluster_signature_of(const struct bob_so_far *s);
/* Of so many features with ids in any order, which it changes: one id may come several times. */
struct bob_cluster_signature *bob_cluster_signature_make(struct bob_cluster_feature *feature,
							 size_t count);
int bob_cluster_is_equal(const struct bob_cluster_signature *a,
			 const struct bob_cluster_signature *b);
/* At most BOB_CLUSTER_ONE; at least 1 unless they are equal where both have all. */
uint32_t bob_cluster_distance(const struct bob_cluster_signature *a,
			      const struct bob_cluster_signature *b);

#endif
