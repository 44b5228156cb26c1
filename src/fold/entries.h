/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a folded sequence: *entries*, as a folder writes them.
 *
 *     entry: kind (1 byte), varint length of the payload, payload
 *
 * Paths (from 1), shapes, loops and columns (from 0) are numbered in order of appearance. A shape
 * adds one column per word, a loop one for its trip counts. END closes a *part*; another part with
 * its own numbering may follow. Integers are varints. docs/format.md has the same definitions. */
#ifndef BOB_FOLD_ENTRIES_H
#define BOB_FOLD_ENTRIES_H

enum bob_fold_entry {
	BOB_FOLD_PATH = 1,	/* parent, zigzag (place - place of the previous path) */
	BOB_FOLD_SHAPE = 2,	/* path, words, key: the remaining bytes */
	BOB_FOLD_LOOP = 3,	/* items of the body */
	/* part of the spine: items, coded as values (values.h) of one column */
	BOB_FOLD_SPINE = 4,
	BOB_FOLD_COLUMN = 5,	/* number, bytes of that column (columns.h) */
	BOB_FOLD_VALUES = 6,	/* bytes of the value stream: values of given-up columns
				 * (values.h) */
	BOB_FOLD_ITEMS = 7,	/* items after those of the spine, not coded */
	BOB_FOLD_END = 8	/* number of events */
};

/* An item: 2 * shape, or 2 * loop + 1. */

#define BOB_FOLD_SPINE_BITS 12u
#define BOB_FOLD_VALUES_BITS 20u

#endif
