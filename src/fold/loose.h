/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounded-error mode: values may deviate by less than a bound, so that more of them are affine
 * (bob_folder_tolerate). Freestanding. */
#ifndef BOB_FOLD_LOOSE_H
#define BOB_FOLD_LOOSE_H

#include "fold/columns.h"

/* Zeroed: nothing may be off. */
struct bob_loose {
	uint64_t within;
	uint64_t last;		/* value folded, if `begun` */
	uint64_t begun;
};

/* What is folded for `v`: no farther from it than `within`, with the same top bit. `slot` is the
 * column's. */
uint64_t bob_loose_value(struct bob_loose *t, const struct bob_column_slot *slot, uint64_t v);

#endif
