/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to merging processes into one file (merge_trace.c): its state, and the maps to the new
 * numbers (merge_names.c). */
#ifndef BOB_ARCHIVE_MERGE_TRACE_H
#define BOB_ARCHIVE_MERGE_TRACE_H

#include "archive/folds.h"
#include "archive/merge/merging.h"

struct bob_merging {
	const struct bob_trace *t;
	const uint8_t *is_in;	/* by process */
	const struct bob_process **first; /* by common: its first merged process; NULL: none */
	/* by common: contains earlier parts of merged processes */
	uint8_t *has_some_before;
	int running;		/* the processes are running, in MPI_Finalize: the file will be a
				 * head */
	struct bob_fold_settings how;
	/* by common: records of its threads; NULL: none, or not merged */
	struct bob_folded **merged;
	struct bob_folded **events; /* likewise: events with values */
	struct bob_unified unified;
	struct bob_process *own; /* omit the events that it has merged earlier; NULL: omit
				  * nothing */
	struct bob_rec_after *now; /* its merged events, including this merge */
	size_t now_count;
	FILE *to;
	uint64_t used;		/* bytes written */
};

/* Maps for the records of one common. */
struct bob_names {
	const struct bob_unified_of *of;
	uint64_t *id;		/* participants: pairs (old, new), sorted by old */
	size_t id_count, id_cap;
	struct bob_fold_rename rename;
};

/* The same process in an earlier file or part: its head, or the preceding part. NULL: none. */
const struct bob_process *bob_process_before(const struct bob_process *p);
/* Makes the maps of all commons. names[i] is zeroed and borrows from `m`; free its `id` in any
 * case. Errors: BOB_ERR_NOMEM. */
bob_status bob_names_find(const struct bob_merging *m, int events, struct bob_names *names);

#endif
