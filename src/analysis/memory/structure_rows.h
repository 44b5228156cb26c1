/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the tree of structure.h: which represent others, and which give the trip counts of a
 * loop. bob_structure_create calls these functions in this order. */
#ifndef BOB_ANALYSIS_STRUCTURE_ROWS_H
#define BOB_ANALYSIS_STRUCTURE_ROWS_H

#include <stddef.h>

#include "analysis/memory/structure.h"

/* The addresses of one access, its offset and peeled iterations included, without equal
 * neighbours. */
bob_status bob_structure_read_addresses(const struct bob_structure *s,
					const struct bob_structure_node *n, struct bob_leaf *leaf,
					struct bob_leaf_access *a, struct bob_series *out);
/* Adds the peeled iterations of `n` to its addresses. */
bob_status bob_structure_add_peeled(const struct bob_structure *s,
				    const struct bob_structure_node *n, struct bob_series *x);
/* Joins iterations of loops that are one record and were folded outside these: sets `peeled`. */
bob_status bob_structure_join_peeled(const struct bob_structure *s, struct bob_structure_node *node,
				     size_t count);
/* Sets `joined` and `apart` of the ACCESS nodes. Accesses are equal neighbours if they follow each
 * other in one line of the source, are of one kind and size, and their addresses follow the same
 * rule at equal distances: stores of registers at the beginning of a function, or the copies of an
 * unrolled statement. */
bob_status bob_structure_join(const struct bob_structure *s, struct bob_structure_node *node,
			      size_t count);
/* Sets `rule`, `first`, `own_loops` and `loops` of the LOOP and LEAF nodes. */
bob_status bob_structure_find_rules(const struct bob_structure *s, struct bob_structure_node *node,
				    size_t count);

#endif
