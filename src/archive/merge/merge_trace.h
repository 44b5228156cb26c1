/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to merging processes in one file (merge_trace.c): its state, and the numbers for the
 * records of each source (merge_names.c). */
#ifndef BOB_ARCHIVE_MERGE_TRACE_H
#define BOB_ARCHIVE_MERGE_TRACE_H

#include "archive/folds.h"
#include "archive/merge/merging.h"

struct bob_merging {
	const struct bob_trace *t;
	const uint8_t *is_in;	/* by process */
	const struct bob_process *
		*first; /* by common: the first of its processes that is in; NULL: none */
	/* by common: of processes that are in, what comes before what they have themselves */
	uint8_t *has_some_before;
	int running;		/* they are, in MPI_Finalize: the file will be a head */
	struct bob_fold_settings how;
	/* by common: the records of its threads; NULL: it has none, or is not in */
	struct bob_folded **merged;
	struct bob_folded **events; /* likewise: events with values */
	struct bob_unified unified;
	struct bob_process *own; /* what it has given already is left out; NULL: nothing is */
	struct bob_rec_after *now; /* what it has given then */
	size_t now_count;
	FILE *to;
	uint64_t used;		/* bytes written */
};

/* The names of one common's records. */
struct bob_names {
	const struct bob_unified_of *of;
	uint64_t *id;		/* of its participants: old, new, old, new ... by old */
	size_t id_count, id_cap;
	struct bob_fold_rename rename;
};

/* What comes before `p` in another file: a head, or a part of the same file; NULL: nothing does. */
const struct bob_process *bob_process_before(const struct bob_process *p);
/* Of all commons; names[i] is zeroed, and borrows from `m`; its `id` is to be freed, whatever comes
 * back. BOB_ERR_NOMEM. */
bob_status bob_names_find(const struct bob_merging *m, int events, struct bob_names *names);

#endif
