/* SPDX-License-Identifier: BSD-3-Clause */
/* A folded trace in memory. It consists of tables that all participants share, *parts* and
 * *sharings*. A part is the sequence between two END entries; a participant has one part, or more
 * if its folder had to restart. A sharing is a byte string and the set of parts that have it.
 * Spines and values are shared by parts where they are equal, columns as groups (group.h).
 * Immutable once built. Except for arrays, the memory is that of the tables' blocks. */
#ifndef BOB_FOLD_FOLDED_H
#define BOB_FOLD_FOLDED_H

#include "fold/group.h"
#include "fold/list.h"
#include "fold/profiles.h"
#include "fold/tables.h"

#define BOB_PARTS_MAX (1u << 20)
#define BOB_PACK_VERSION 1u
#define BOB_PACK_UNDER 3u	/* version under a signature tree */

struct bob_fold_sharing {
	struct bob_fold_bytes bytes;
	uint32_t set;			/* index */
	uint32_t next;			/* next sharing of the same column, + 1; 0: none */
};

struct bob_folded {
	struct bob_tables tables;
	/* Per part, ordered by id and segment: id of its participant, index among the participant's
	 * parts, number of events. */
	struct bob_list id, segment, events;
	/* per participant: index of its first part; empty if each has one part */
	struct bob_list first;
	struct bob_list *set;		/* indices of parts, ascending */
	struct bob_fold_sharing *sharing;
	struct bob_fold_profile *profile;
	uint32_t *column;		/* per column: first sharing + 1 */
	uint32_t spines, values;	/* first sharing + 1 */
	uint32_t part_count, first_count, set_count, set_capacity;
	uint32_t sharing_count, sharing_capacity, column_count, column_capacity, profile_count,
		profile_capacity;
	struct bob_folded_making *making; /* only while parts and sets are added */
	/* built here, not read: rebuilding the data of a single part gives the same bytes */
	int has_own_groups;
	/* result of a merge: in the canonical form, which depends on the participants only */
	int is_merged;
};

bob_status bob_folded_init(const struct bob_alloc *alloc, struct bob_folded **out);
/* Appends a part. BOB_ERR_NOMEM: no memory, or too many parts. */
bob_status bob_folded_add_part(struct bob_folded *f, uint64_t id, uint32_t segment,
			       uint64_t events);
/* Ends the list of parts, which were added or assigned to f->id, segment and events. BOB_ERR_INVAL:
 * they are out of order, or two are equal. */
bob_status bob_folded_end_parts(struct bob_folded *f);
/* Adds members to a new set, in ascending order; then ends it. */
bob_status bob_folded_add_member(struct bob_folded *f, uint32_t part);
bob_status bob_folded_end_set(struct bob_folded *f, uint32_t *number);
/* Like bob_folded_end_set, but returns an existing equal set. */
bob_status bob_folded_find_set(struct bob_folded *f, uint32_t *number);
/* Frees the state that is needed while parts and sets are added. */
void bob_folded_end_making(struct bob_folded *f);
/* The series' bytes must live as long as the blocks. */
bob_status bob_folded_add_profile(struct bob_folded *f, const struct bob_fold_profile *profile);
/* First part of a participant; `participant` may be one past the last. */
uint32_t bob_folded_first(const struct bob_folded *f, uint32_t participant);
/* Is the part in the set? *member: its index in the set, or where it would be. */
int bob_set_find(const struct bob_list *s, uint32_t part, uint32_t *member);
/* Extends the table of sharings to the columns that the tables have now. */
bob_status bob_folded_add_columns(struct bob_folded *f);
/* Prepends a sharing to *list: a column's, f->spines or f->values. `bytes` must live as long as the
 * blocks. */
bob_status bob_folded_share(struct bob_folded *f, uint32_t *list, struct bob_fold_bytes bytes,
			    uint32_t set);
/* The sharing in `list` that has `part`, and the part's index among its members; NULL: none. */
const struct bob_fold_sharing *bob_folded_find(const struct bob_folded *f, uint32_t list,
					       uint32_t part, uint32_t *member);

/* --- maps from numbers of one set of tables to those of another --- */

struct bob_fold_maps {
	struct bob_alloc alloc;
	uint32_t *path, *shape, *loop, *column;
	uint32_t path_count, shape_count, loop_count, column_count;
	uint32_t path_capacity, shape_capacity, loop_capacity, column_capacity;
};

void bob_maps_free(struct bob_fold_maps *m);
/* Append the map of the next old number, and add the object to `to` if it is new. */
bob_status bob_maps_path(struct bob_fold_maps *m, struct bob_tables *to, uint32_t parent,
			 uint64_t place);
bob_status bob_maps_shape(struct bob_fold_maps *m, struct bob_tables *to, uint32_t path,
			  uint32_t words, const uint8_t *key, uint32_t key_len);
/* `item` has old numbers, which are replaced by new ones. */
bob_status bob_maps_loop(struct bob_fold_maps *m, struct bob_tables *to, uint32_t *item,
			 uint32_t len);
/* Maps an item of a spine or body. BOB_ERR_CORRUPT: there is no such item. */
bob_status bob_maps_item(const struct bob_fold_maps *m, uint64_t item, uint32_t *out);

/* --- the spine --- */

/* Encodes `spine` and the varints of `items` in the numbers of `maps`. */
bob_status bob_spine_recode(const struct bob_fold_maps *maps, const struct bob_fold_bytes *spine,
			    const struct bob_fold_bytes *items, struct bob_buffer *out);
/* Appends `spine`, mapped by `maps`, to the encoded spine `to`. */
bob_status bob_spine_append(const struct bob_fold_maps *maps, const struct bob_fold_bytes *spine,
			    struct bob_buffer *to);

#endif
