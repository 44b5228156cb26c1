/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths as a tree: a path is a number, so comparing paths is comparing numbers. Recursion is
 * folded: no place is on a path twice, and a call from a place that is already on the path leads
 * back to it. So a recursive function has few paths at any depth, even if it calls itself from many
 * places. (The signatures of ScalaTrace only drop repetitions, but there are square-free sequences
 * of three symbols of any length.)
 *
 * Owner: the caller, also of the memory. Threads: one. Freestanding. */
#ifndef BOB_FOLD_PATHS_H
#define BOB_FOLD_PATHS_H

#include <stddef.h>
#include <stdint.h>

#define BOB_PATHS_MAX 32768u
#define BOB_PATHS_SLOTS (2 * BOB_PATHS_MAX)
#define BOB_PATHS_NONE UINT32_MAX

struct bob_path_node {
	uint64_t place;
	uint32_t parent;
};

struct bob_path_slot {
	uint64_t place;
	uint32_t parent;
	uint32_t child;		/* 0: free slot */
};

struct bob_paths {
	uint32_t count;		/* including the root; 0 in zeroed memory counts as 1 */
	uint32_t used;		/* used slots */
	struct bob_path_node node[BOB_PATHS_MAX];
	struct bob_path_slot slot[BOB_PATHS_SLOTS];
};

/* Finds or creates the path `parent` (0: root) + `place`; *is_new is 1 if it was created.
 * BOB_PATHS_NONE: the table is full. `p` must be zeroed memory at first. */
uint32_t bob_paths_child(struct bob_paths *p, uint32_t parent, uint64_t place, int *is_new);

#endif
