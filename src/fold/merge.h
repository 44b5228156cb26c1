/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to merging: the state of a merge. merge_parts.c lists the parts, merge_tables.c makes the
 * tables, merge_groups.c finds which parts share data, merge_rows.c aligns their numbers, merge.c
 * does the rest. */
#ifndef BOB_FOLD_MERGE_H
#define BOB_FOLD_MERGE_H

#include "fold/folded.h"
#include "fold/memo.h"

/* A trace that is merged. */
struct bob_merge_source {
	const struct bob_folded *f;
	const struct bob_fold_rename *rename; /* NULL: names stay */
	const uint64_t *skip;	/* by participant: leading events to leave out; NULL: none */
	int goes_on;
	int leaves_out;		/* some of its parts are not in `out` */
	struct bob_fold_maps maps;
	struct bob_list id;	/* of its parts, renamed */
	uint32_t *column;	/* its columns by those of `out` */
	uint32_t column_capacity;
	uint32_t list;		/* its list of what is shared at present */
	uint32_t next;		/* its first part that is not in a run yet, ... */
	uint32_t participant;	/* ... whose it is ... */
	/* ... and events of that one before it; both if parts may be left out */
	uint64_t seen;
	int is_same;		/* its spines are the same in `out` */
};

/* Parts of a source that are next to each other in `out`, too. */
struct bob_merge_run {
	uint32_t from;		/* which source */
	uint32_t first, count;	/* parts there */
	uint32_t at;		/* the first one's number in `out` */
};

/* Those parts of a run that share something in the source. */
struct bob_merge_stretch {
	uint32_t from;		/* which source */
	uint32_t set;		/* of it ... */
	uint32_t member, count;	/* ... of which these are members */
	uint32_t part, last;	/* the first and the last one's numbers in `out` */
	/* parts of the source from the set's first member to the first one here */
	uint32_t place;
	uint32_t next;		/* of the same group, + 1 */
	struct bob_fold_bytes bytes;	 /* what they share, under the names of `out` ... */
	struct bob_fold_bytes structure; /* ... of columns: without the rows ... */
	struct bob_row_reader rows;	 /* ... which are here */
	struct bob_row row;	/* the newest one; `first`: of the first one here */
};

/* What will be shared in `out`. */
struct bob_merge_group {
	uint64_t hash;
	uint32_t first, last;	/* stretches */
	uint32_t stretches, count;	/* how many; members */
	uint32_t next;		/* of the same slot, + 1 */
};

struct bob_merge {
	struct bob_merge_source *source;
	uint32_t source_count, source_capacity;
	uint32_t *heap;		/* sources that have parts left, by their next ones */
	uint32_t heap_count, heap_capacity;
	struct bob_alloc alloc;
	struct bob_folded *out;
	struct bob_merge_run *run;
	struct bob_merge_run
		*joined; /* of one part each, which goes on in the part of `out` at `at` */
	struct bob_merge_stretch
		*stretch; /* in the order of their first parts, once all are there */
	struct bob_merge_group *group;	/* likewise */
	uint32_t *slot;			/* of groups by hash */
	uint32_t *item;			/* of a loop */
	uint64_t *key;			/* of what is remembered */
	uint64_t *value;		/* of a row */
	struct bob_buffer buffer;
	struct bob_blocks ids;		/* renamed */
	struct bob_blocks passing;	/* as long as one list is made: spines under new names */
	struct bob_memo sets, rows;	/* by the stretches that they are of */
	struct bob_profiles profiles;
	uint32_t part_total;	/* of all runs, before any are joined */
	uint32_t run_count, run_capacity, joined_count, joined_capacity, stretch_count,
		stretch_capacity, group_count, group_capacity;
	uint32_t slot_capacity, item_capacity, key_capacity, value_capacity;
};

/* The runs. BOB_ERR_INVAL: two parts are the same, or not in order, or none begins where one has
 * to. */
bob_status bob_merge_parts(struct bob_merge *m);
/* Once there are tables: the parts of m->out. One that goes on from the one before it is one with
 * that if they have no column in common. */
bob_status bob_merge_join(struct bob_merge *m);

enum bob_merge_kind { BOB_MERGE_SPINES, BOB_MERGE_VALUES, BOB_MERGE_COLUMNS };

/* The tables of m->out, once there are runs, and the maps to them: the union of what the parts use,
 * in the order of the parts and, for each, of its own tables. An order that no sequence of merges
 * changes. */
bob_status bob_merge_tables(struct bob_merge *m);
/* The stretches of the sources' lists, but of those that are joined. */
bob_status bob_merge_stretches(struct bob_merge *m);
/* What the parts share of the sources' lists, to `list` of m->out. */
bob_status bob_merge_list(struct bob_merge *m, enum bob_merge_kind kind, uint32_t *list);
/* The rows of a group, whose profiles are of m->profiles.set, are appended to m->buffer. */
bob_status bob_merge_rows(struct bob_merge *m, const struct bob_merge_group *g);

#endif
