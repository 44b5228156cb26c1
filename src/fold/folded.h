/* SPDX-License-Identifier: BSD-3-Clause */
/* A folded trace in memory: tables that all share, and *parts*, each the sequence between two END
 * entries. A participant has one part, or more if its folder had to begin anew.
 *
 * Bytes of a part are as in the entries (entries.h), but numbers are those of the tables. Everything
 * lives in the tables' blocks, but `part` and `first`. Immutable once made. */
#ifndef BOB_FOLD_FOLDED_H
#define BOB_FOLD_FOLDED_H

#include "fold/tables.h"

struct bob_fold_bytes {
	const uint8_t *at;
	size_t len;
};

struct bob_fold_column {
	uint32_t number;
	struct bob_fold_bytes bytes;
};

struct bob_fold_part {
	uint64_t id;			/* of the participant */
	uint32_t segment;		/* number among the participant's */
	uint32_t column_count;
	struct bob_fold_column *column;	/* by number; those without bytes are left out */
	struct bob_fold_bytes spine, values;
	uint64_t events;
};

struct bob_folded {
	struct bob_tables tables;
	struct bob_fold_part *part;	/* by id and segment */
	uint32_t *first;		/* of each participant: index of its first part */
	uint32_t part_count, part_room, first_count, first_room;
};

bob_status bob_folded_init(const struct bob_alloc *alloc, struct bob_folded **out);
/* Room for one part more, zeroed; NULL if there is no memory. */
struct bob_fold_part *bob_folded_add(struct bob_folded *f);
/* All parts are there. BOB_ERR_INVAL: they are not in order, or two are the same. */
bob_status bob_folded_complete(struct bob_folded *f);

/* --- numbers of one set of tables as numbers of another --- */

struct bob_fold_maps {
	struct bob_alloc alloc;
	uint32_t *path, *shape, *loop, *column;
	uint32_t path_count, shape_count, loop_count, column_count;
	uint32_t path_room, shape_room, loop_room, column_room;
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

/* `spine`, and behind it the varint items of `items`, with the numbers of `maps`, as coded bytes in the blocks
 * of `to`. */
bob_status bob_spine_recode(const struct bob_fold_maps *maps, const struct bob_fold_bytes *spine,
			    const struct bob_fold_bytes *items, struct bob_tables *to,
			    struct bob_fold_bytes *out);

#endif
