/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths as a tree: a path is a number, so comparing two is comparing numbers. Recursion is
 * folded: no place is on a path twice, and a call from a place that is already on the path leads
 * back to it. So a recursive function has few paths at any depth, even if it calls itself from many
 * places. (The signatures of ScalaTrace only drop repetitions, but sequences of three symbols
 * without a repetition exist in any length.)
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
	uint32_t child;		/* 0: the slot is free */
};

struct bob_paths {
	uint32_t count;		/* the root included; 0 at first, which is 1 */
	uint32_t used;		/* slots */
	struct bob_path_node node[BOB_PATHS_MAX];
	struct bob_path_slot slot[BOB_PATHS_SLOTS];
};

/* The path `parent` (0: no calls) and `place`; made if it is new, then *is_new is 1.
 * BOB_PATHS_NONE: no space is left. `p` was zeroed memory at first. */
uint32_t bob_paths_child(struct bob_paths *p, uint32_t parent, uint64_t place, int *is_new);

#endif
