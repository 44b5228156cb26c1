/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to merging: what is known of a merge while it is made. merge_parts.c says which parts there are, merge_tables.c makes the
 * tables, merge.c the rest. */
#ifndef BOB_FOLD_MERGE_H
#define BOB_FOLD_MERGE_H

#include "fold/folded.h"

/* A trace that is merged. */
struct bob_merge_source {
	const struct bob_folded *f;
	const struct bob_fold_rename *rename; /* NULL: names stay */
	const uint64_t *behind;	/* by participant: events that are left out; NULL: none */
	int goes_on;
	int leaves_out;		/* some of its parts are not in `out` */
	struct bob_fold_maps maps;
	uint32_t *column;	/* its columns by those of `out` */
	uint32_t column_room;
	uint32_t list;		/* its list of what is shared at present */
	uint32_t next;		/* its first part that is not in `out` yet ... */
	uint64_t id;		/* ... the id of that, renamed ... */
	uint32_t participant;	/* ... whose it is ... */
	uint64_t seen;		/* ... and events of that one before it */
};

struct bob_merge_origin {			/* of a part */
	uint32_t from;		/* which source */
	uint32_t part;		/* its number there */
	uint32_t content;	/* + 1; 0: it has none */
	uint32_t group;		/* + 1 */
	uint32_t also;		/* + 1, in `joined`: what comes behind it in the same part */
};

struct bob_merge_group {
	uint64_t hash;
	uint32_t content;	/* of the first member */
	uint32_t count;		/* members */
	uint32_t begin;		/* of them, in `member` */
	uint32_t next;		/* of the same slot, + 1 */
};

struct bob_merge {
	struct bob_merge_source *source;
	uint32_t source_count, source_room;
	uint32_t *heap;		/* sources that have parts left, by their next ones */
	uint32_t heap_count, heap_room;
	struct bob_alloc alloc;
	struct bob_folded *out;
	struct bob_merge_origin *origin;		/* one a part of `out` */
	struct bob_merge_origin *joined;
	uint32_t joined_count, joined_room;
	uint32_t *slot;			/* of groups by hash; as many as parts */
	uint32_t *member;		/* parts, group by group ... */
	const struct bob_content **members; /* ... and what they have */
	struct bob_content *content;
	struct bob_merge_group *group;
	uint32_t *item;			/* of a loop */
	struct bob_buffer buffer;
	struct bob_profiles profiles;
	uint64_t *scratch;
	uint32_t scratch_room, part_room, content_count, content_room, group_count, group_room;
	uint32_t slot_room, member_room, members_room, item_room;
};

/* The parts of m->out and their origins. BOB_ERR_INVAL: two are the same, or not in order, or none begins where one has to. */
bob_status bob_merge_parts(struct bob_merge *m);
/* Once there are tables: a part that goes on from the one before it is one with that if they have no column in common. */
bob_status bob_merge_join(struct bob_merge *m);

/* The tables of m->out, whose parts are there, and the maps to them: the union of what the parts use, in the order of the
 * parts and, for each, of its own tables. An order that no sequence of merges changes. */
bob_status bob_merge_tables(struct bob_merge *m);

#endif
