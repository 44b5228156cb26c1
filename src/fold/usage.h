/* SPDX-License-Identifier: BSD-3-Clause */
/* Space that each column takes in a folded trace. Any thread; the trace does not change. */
#ifndef BOB_FOLD_USAGE_H
#define BOB_FOLD_USAGE_H

#include "bobbin/fold.h"

struct bob_fold_usage {
	uint64_t bytes;		/* of the pieces of all participants, in memory */
	uint32_t forms;		/* number of groups of participants */
	uint32_t without;	/* number of parts of participants with given-up values */
	/* maximal number of given-up values in a part, over the first members of the groups; 0 for
	 * loops, where they are not counted */
	uint64_t most;
};

/* Cache: how often each item occurs in a part, for the last part queried, because columns have the
 * same parts in the same order. Zeroed at first; used for one `f`. Call bob_fold_usage_end in any
 * case. */
struct bob_fold_usage_counts {
	uint64_t *at;
	uint32_t part;
};
void bob_fold_usage_end(const struct bob_folded *f, struct bob_fold_usage_counts *counts);

/* Usage of one column; `item` and `word` as in bob_folded_pieces. BOB_ERR_INVAL: no such column.
 * Errors: BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_folded_usage(const struct bob_folded *f, uint32_t item, uint32_t word,
			    struct bob_fold_usage_counts *counts, struct bob_fold_usage *usage);
/* Bytes of all value streams. */
uint64_t bob_folded_usage_of_values(const struct bob_folded *f);

#endif
