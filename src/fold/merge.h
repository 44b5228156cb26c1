/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal state of a merge. merge_parts.c lists the parts, merge_tables.c unites the tables,
 * merge_groups.c finds which parts share data, merge_rows.c aligns their numbers, merge.c calls
 * them. */
#ifndef BOB_FOLD_MERGE_H
#define BOB_FOLD_MERGE_H

#include "fold/folded.h"
#include "fold/memo.h"

/* An input trace. */
struct bob_merge_source {
	const struct bob_folded *f;
	const struct bob_fold_rename *rename; /* NULL: names are unchanged */
	const uint64_t *skip;	/* by participant: number of leading events to omit; NULL: none */
	int goes_on;
	int leaves_out;		/* some of its parts are not in `out` */
	struct bob_fold_maps maps;
	struct bob_list id;	/* of its parts, after renaming */
	uint32_t *column;	/* by column of `out`: its column */
	uint32_t column_capacity;
	uint32_t list;		/* its list of sharings that is being merged */
	uint32_t next;		/* its first part that is in no run yet */
	uint32_t participant;	/* the participant of that part */
	/* number of its events before that part. Both are maintained only if parts may be
	 * omitted */
	uint64_t seen;
	int is_same;		/* its spines are unchanged in `out` */
};

/* Consecutive parts of a source that are consecutive in `out`, too. */
struct bob_merge_run {
	uint32_t from;		/* index of the source */
	uint32_t first, count;	/* parts of the source */
	uint32_t at;		/* index of the first part in `out` */
};

/* Consecutive members of a sharing of a source that are in the same run. */
struct bob_merge_stretch {
	uint32_t from;		/* index of the source */
	uint32_t set;		/* set of the sharing */
	uint32_t member, count;	/* range of members of that set */
	uint32_t part, last;	/* indices in `out` of the first and last part */
	/* parts of the source from the set's first member to the first member of this stretch */
	uint32_t place;
	uint32_t next;		/* next stretch of the same group, + 1 */
	struct bob_fold_bytes bytes;	 /* the shared bytes, in numbers of `out` */
	struct bob_fold_bytes structure; /* columns: the group's structure */
	struct bob_row_reader rows;	 /* columns: the group's rows */
	struct bob_row row;	/* the current row; `first` is the value of this stretch's first
				 * member */
};

/* A sharing of `out` under construction. */
struct bob_merge_group {
	uint64_t hash;
	uint32_t first, last;	/* stretches */
	uint32_t stretches, count;	/* number of stretches; of members */
	uint32_t next;		/* next group of the same hash slot, + 1 */
};

struct bob_merge {
	struct bob_merge_source *source;
	uint32_t source_count, source_capacity;
	uint32_t *heap;		/* sources with remaining parts, ordered by their next part */
	uint32_t heap_count, heap_capacity;
	struct bob_alloc alloc;
	struct bob_folded *out;
	struct bob_merge_run *run;
	struct bob_merge_run
		*joined; /* runs of one part each that extend an existing part of `out`, at `at` */
	struct bob_merge_stretch *stretch; /* ordered by their first parts */
	struct bob_merge_group *group;	/* ordered by their first parts */
	uint32_t *slot;			/* hash table of groups */
	uint32_t *item;			/* items of a loop */
	uint64_t *key;			/* key of a memoised set or row */
	uint64_t *value;		/* values of a row */
	struct bob_buffer buffer;
	struct bob_blocks ids;		/* lists of renamed ids */
	struct bob_blocks passing;	/* lives while one list is merged: re-encoded spines */
	struct bob_memo sets, rows;	/* memo tables, keyed by stretches */
	struct bob_profiles profiles;
	uint32_t part_total;	/* of all runs, before joining */
	uint32_t run_count, run_capacity, joined_count, joined_capacity, stretch_count,
		stretch_capacity, group_count, group_capacity;
	uint32_t slot_capacity, item_capacity, key_capacity, value_capacity;
};

/* Makes the runs. BOB_ERR_INVAL: equal parts, parts out of order, or no first part where one is
 * required. */
bob_status bob_merge_parts(struct bob_merge *m);
/* After the tables: makes the parts of m->out. A part that continues the previous one becomes one
 * part with it if they have no column in common. */
bob_status bob_merge_join(struct bob_merge *m);

enum bob_merge_kind { BOB_MERGE_SPINES, BOB_MERGE_VALUES, BOB_MERGE_COLUMNS };

/* After the runs: makes the tables of m->out and the maps to them. They are the union of what the
 * parts use, in the order of the parts and, within a part, of its own tables. This order does not
 * depend on the order of merges. */
bob_status bob_merge_tables(struct bob_merge *m);
/* Makes the stretches of the sources' lists, without joined parts. */
bob_status bob_merge_stretches(struct bob_merge *m);
/* Merges the sources' lists into `list` of m->out. */
bob_status bob_merge_list(struct bob_merge *m, enum bob_merge_kind kind, uint32_t *list);
/* Appends the rows of a group to m->buffer. m->profiles.set must be the group's set. */
bob_status bob_merge_rows(struct bob_merge *m, const struct bob_merge_group *g);

#endif
