/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a folded sequence: *entries*, one after the other, as a folder writes them.
 *
 *     entry: kind (1 byte), varint length of what follows, payload
 *
 * Paths, shapes, loops and columns are numbered from 0 (paths from 1) in the order in which they
 * come; a shape brings one column a word, a loop one for its trip counts. END closes a *part*; what
 * follows is another one, with numbers of its own. Integers are varints. docs/format.md says the
 * same. */
#ifndef BOB_FOLD_ENTRIES_H
#define BOB_FOLD_ENTRIES_H

enum bob_fold_entry {
	BOB_FOLD_PATH = 1,	/* parent, zigzag (place - place of the path before) */
	BOB_FOLD_SHAPE = 2,	/* path, words, key: the bytes that are left */
	BOB_FOLD_LOOP = 3,	/* the items of the body */
	/* bytes of the spine: its items, coded as values (values.h) of one column */
	BOB_FOLD_SPINE = 4,
	BOB_FOLD_COLUMN = 5,	/* number, bytes of that column (columns.h) */
	BOB_FOLD_VALUES = 6,	/* bytes of the values of columns that were given up (values.h) */
	BOB_FOLD_ITEMS = 7,	/* items after those of the spine */
	BOB_FOLD_END = 8	/* events */
};

/* An item: 2 * shape, or 2 * loop + 1. */

#define BOB_FOLD_SPINE_BITS 12u
#define BOB_FOLD_VALUES_BITS 20u

#endif
