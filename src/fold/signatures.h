/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to packing: encodes the paths of a folded trace as numbers in a signature tree
 * (bobbin/fold.h). */
#ifndef BOB_FOLD_SIGNATURES_H
#define BOB_FOLD_SIGNATURES_H

#include "fold/buffer.h"
#include "fold/tables.h"

/* Writes the paths of `t`. BOB_ERR_INVAL: one of them is not in the tree. BOB_ERR_NOMEM. */
bob_status bob_tree_put_paths(const struct bob_fold_tree *tree, const struct bob_tables *t,
			      struct bob_buffer *b);
/* Reads paths into `t`, which has none yet. *at advances. BOB_ERR_INVAL: they refer to another
 * tree. Errors: BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_tree_get_paths(const struct bob_fold_tree *tree, const uint8_t **at,
			      const uint8_t *end, struct bob_tables *t);

#endif
