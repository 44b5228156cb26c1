/* SPDX-License-Identifier: BSD-3-Clause */
/* A folded trace in memory: tables that all participants share, *parts* -- each the sequence
 * between two END entries; a participant has one, or more if its folder had to begin anew -- and
 * *sharings*: bytes and the set of parts that they are of. Spines and values are shared by the
 * parts where they are equal, columns as groups (group.h). Immutable once made; all of it lives in
 * the tables' blocks but the arrays. */
#ifndef BOB_FOLD_FOLDED_H
#define BOB_FOLD_FOLDED_H

#include "fold/group.h"
#include "fold/list.h"
#include "fold/profiles.h"
#include "fold/tables.h"

#define BOB_PARTS_MAX (1u << 20)
#define BOB_PACK_VERSION 1u
#define BOB_PACK_UNDER 3u	/* the same under a signature tree */

struct bob_fold_sharing {
	struct bob_fold_bytes bytes;
	uint32_t set;			/* number */
	uint32_t next;			/* sharing of the same column, + 1; 0: none */
};

struct bob_folded {
	struct bob_tables tables;
	/* Parts, by id and segment: ids of the participants, numbers among the participant's,
	 * events. */
	struct bob_list id, segment, events;
	/* of each participant: index of its first part; none: each has one */
	struct bob_list first;
	struct bob_list *set;		/* indices of parts, ascending */
	struct bob_fold_sharing *sharing;
	struct bob_fold_profile *profile;
	uint32_t *column;		/* first sharing + 1 of each column */
	uint32_t spines, values;	/* first sharing + 1 */
	uint32_t part_count, first_count, set_count, set_capacity;
	uint32_t sharing_count, sharing_capacity, column_count, column_capacity, profile_count,
		profile_capacity;
	struct bob_folded_making *making; /* while parts and sets are added */
	/* made here, not read: what is of one part is as it would be made again */
	int has_own_groups;
	/* made by merging: in the one form that depends on nothing but the participants */
	int is_merged;
};

bob_status bob_folded_init(const struct bob_alloc *alloc, struct bob_folded **out);
/* One part more. BOB_ERR_NOMEM: or too many. */
bob_status bob_folded_add_part(struct bob_folded *f, uint64_t id, uint32_t segment,
			       uint64_t events);
/* All parts are there: added, or f->id, segment and events made otherwise. BOB_ERR_INVAL: they are
 * not in order, or two are the same. */
bob_status bob_folded_end_parts(struct bob_folded *f);
/* Members of the next set, one after the other, and its end. */
bob_status bob_folded_add_member(struct bob_folded *f, uint32_t part);
bob_status bob_folded_end_set(struct bob_folded *f, uint32_t *number);
/* The same, but the one there is if there is such a set. */
bob_status bob_folded_find_set(struct bob_folded *f, uint32_t *number);
/* No more parts or sets. */
void bob_folded_end_making(struct bob_folded *f);
/* The series' bytes live as long as the blocks. */
bob_status bob_folded_add_profile(struct bob_folded *f, const struct bob_fold_profile *profile);
/* The first part of a participant, which may be the one after the last. */
uint32_t bob_folded_first(const struct bob_folded *f, uint32_t participant);
/* Is the part in the set? *member: its number there, or where it would be. */
int bob_set_find(const struct bob_list *s, uint32_t part, uint32_t *member);
/* Allocates memory for what is shared of the columns that the tables have now. */
bob_status bob_folded_add_columns(struct bob_folded *f);
/* One more in front of the list that begins at *list: a column's, f->spines or f->values. `bytes`
 * live as long as the blocks. */
bob_status bob_folded_share(struct bob_folded *f, uint32_t *list, struct bob_fold_bytes bytes,
			    uint32_t set);
/* The sharing of a list that `part` takes part in and its place among the members; NULL: none. */
const struct bob_fold_sharing *bob_folded_find(const struct bob_folded *f, uint32_t list,
					       uint32_t part, uint32_t *member);

/* --- numbers of one set of tables as numbers of another --- */

struct bob_fold_maps {
	struct bob_alloc alloc;
	uint32_t *path, *shape, *loop, *column;
	uint32_t path_count, shape_count, loop_count, column_count;
	uint32_t path_capacity, shape_capacity, loop_capacity, column_capacity;
};

void bob_maps_free(struct bob_fold_maps *m);
/* What comes next in the old numbering is this. */
bob_status bob_maps_path(struct bob_fold_maps *m, struct bob_tables *to, uint32_t parent,
			 uint64_t place);
bob_status bob_maps_shape(struct bob_fold_maps *m, struct bob_tables *to, uint32_t path,
			  uint32_t words, const uint8_t *key, uint32_t key_len);
/* `item` is in old numbers and is changed to new ones. */
bob_status bob_maps_loop(struct bob_fold_maps *m, struct bob_tables *to, uint32_t *item,
			 uint32_t len);
/* An item of the spine or of a body. BOB_ERR_CORRUPT: there is no such thing. */
bob_status bob_maps_item(const struct bob_fold_maps *m, uint64_t item, uint32_t *out);

/* --- the spine --- */

/* The items of `spine`, followed by the varints of `items`, with the numbers of `maps`. */
bob_status bob_spine_recode(const struct bob_fold_maps *maps, const struct bob_fold_bytes *spine,
			    const struct bob_fold_bytes *items, struct bob_buffer *out);
/* Appends those of `spine`, with the numbers of `maps`, to `to`, which has such numbers already. */
bob_status bob_spine_append(const struct bob_fold_maps *maps, const struct bob_fold_bytes *spine,
			    struct bob_buffer *to);

#endif
