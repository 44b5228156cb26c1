/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounded-error mode: values may deviate by less than a bound, so that more of them are affine
 * (bob_folder_tolerate). Freestanding. */
#ifndef BOB_FOLD_LOOSE_H
#define BOB_FOLD_LOOSE_H

#include "fold/columns.h"

/* All zero: values are exact. */
struct bob_loose {
	uint64_t within;
	uint64_t last;		/* last folded value, if `begun` */
	uint64_t begun;
};

/* The value to fold in place of `v`: deviates by at most `within` and has the same top bit. `slot`
 * is the column's. */
uint64_t bob_loose_value(struct bob_loose *t, const struct bob_column_slot *slot, uint64_t v);

#endif
