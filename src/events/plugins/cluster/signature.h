/* SPDX-License-Identifier: BSD-3-Clause */
/* Signature of a folded trace, small enough to be sent and compared: the number of occurrences of
 * each leaf and each loop.
 *
 * A *feature* is a leaf (event and call path) or a loop (hash of its body's features, in order).
 * Its count is the number of occurrences of the leaf, or of iterations of the loop, over all runs.
 * Values and elements of vectors are not features. A signature has the features with the smallest
 * ids, at most BOB_CLUSTER_FEATURES (a bottom-k sketch); two signatures are compared up to the id
 * up to which both are complete.
 *
 * The distance of two signatures is, over all features,
 *
 *     sum |w(a) - w(b)| / sum (w(a) + w(b))
 *     w(n) = 1 + log2 n (linear between powers of two), w(0) = 0
 *
 * It is 0 for equal signatures, and 1 if they have nothing in common. All arithmetic is in
 * integers, hence the same on all machines.
 *
 * Owner: the caller (free). Threads: any; pure functions. */
#ifndef BOB_EVENTS_CLUSTER_SIGNATURE_H
#define BOB_EVENTS_CLUSTER_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/hooks.h"

#define BOB_CLUSTER_FEATURES 512u
#define BOB_CLUSTER_ONE (1u << 24) /* distance 1 */

struct bob_cluster_feature {
	uint64_t id, count;
};

struct bob_cluster_signature {
	uint32_t features;
	uint32_t cut;		/* 1: features with larger ids were omitted */
	struct bob_cluster_feature feature[]; /* ids ascending, counts not 0 */
};

/* NULL: out of memory, or the trace cannot be read. */
struct bob_cluster_signature *bob_cluster_signature_of(const struct bob_so_far *s);
/* From `count` features in any order, which it modifies; an id may occur several times. */
struct bob_cluster_signature *bob_cluster_signature_make(struct bob_cluster_feature *feature,
							 size_t count);
int bob_cluster_is_equal(const struct bob_cluster_signature *a,
			 const struct bob_cluster_signature *b);
/* At most BOB_CLUSTER_ONE; at least 1 unless they are equal as far as both are complete. */
uint32_t bob_cluster_distance(const struct bob_cluster_signature *a,
			      const struct bob_cluster_signature *b);

#endif
