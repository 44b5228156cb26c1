/* SPDX-License-Identifier: BSD-3-Clause */
/* Space that each column takes in a folded trace. Any thread; the trace does not change. */
#ifndef BOB_FOLD_USAGE_H
#define BOB_FOLD_USAGE_H

#include "bobbin/fold.h"

struct bob_fold_usage {
	uint64_t bytes;		/* of the rules of all participants, as they are in memory */
	uint32_t forms;		/* how many groups of participants have rules of their own */
	uint32_t without;	/* parts of participants in which values come that follow no rule */
	/* how many such values there are in the one that has most, of the first of each group; not
	 * counted for loops: 0 */
	uint64_t most;
};

/* How often each item comes in a part, of the one that was asked for last: columns have the same
 * parts, one after the other. Zeroed at first, of one `f`; bob_fold_usage_end whatever came back. */
struct bob_fold_usage_counts {
	uint64_t *at;
	uint32_t part;
};
void bob_fold_usage_end(const struct bob_folded *f, struct bob_fold_usage_counts *counts);

/* Of a column, as bob_folded_pieces has it. BOB_ERR_INVAL: there is no such column.
 * BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_folded_usage(const struct bob_folded *f, uint32_t item, uint32_t word,
			    struct bob_fold_usage_counts *counts, struct bob_fold_usage *usage);
/* Bytes of all values that follow no rule. */
uint64_t bob_folded_usage_of_values(const struct bob_folded *f);

#endif
