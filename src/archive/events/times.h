/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of times of events (time_write.h): reading and merging. In a merged trace they are
 * rows for pairs of shapes of the folded events (docs/format.md, "Times"). */
#ifndef BOB_ARCHIVE_TIMES_H
#define BOB_ARCHIVE_TIMES_H

#include "archive/write/time_write.h"
#include "bobbin/fold.h"

struct bob_bytes;
struct bob_process;
struct bob_stream;

#define BOB_TIME_NO_SHAPE 0xffffffffu
#define BOB_TIME_ROWS_MAX (2 * BOB_TIME_PAIRS_MAX) /* further pairs are omitted */

struct bob_time_extremes {
	uint32_t min, max;	/* participants of the folded events */
};

struct bob_time_row {
	uint32_t from, to;	/* shapes; from is BOB_TIME_NO_SHAPE for first events */
	uint64_t count;
	struct bob_time_sums interval, duration;
	struct bob_time_extremes interval_of, duration_of;
};

struct bob_time_rows {
	struct bob_time_row *row; /* malloc'ed; sorted by `to`, then `from`, after
				   * bob_time_rows_finish */
	size_t count, cap;
	uint32_t *slot;		/* hash table while rows are added: index + 1 */
	size_t slots;
};

/* Adds to the row of the pair, or creates it. Errors: BOB_ERR_NOMEM. */
bob_status bob_time_rows_add(struct bob_time_rows *r, const struct bob_time_row *x);
void bob_time_rows_finish(struct bob_time_rows *r);
void bob_time_rows_free(struct bob_time_rows *r);

/* times_table.c: conversion to tables and back. `shapes`, `participants`: their numbers. _v1: the
 * payload of a TIMES chunk, which is not a table and only read. Errors: BOB_ERR_CORRUPT,
 * BOB_ERR_VERSION, BOB_ERR_NOMEM. */
void bob_time_rows_pack(const struct bob_time_rows *r, struct bob_bytes *b);
bob_status bob_time_rows_unpack(const uint8_t *bytes, size_t len, uint32_t shapes,
				uint32_t participants, struct bob_time_rows *r);
bob_status bob_time_rows_unpack_v1(const uint8_t *bytes, size_t len, uint32_t shapes,
				   uint32_t participants, struct bob_time_rows *r);

/* Reads slot `k` of a stream; its count is 0 if it is invalid. Returns 0 if there are fewer
 * slots. */
int bob_time_slot_at(const struct bob_stream *s, size_t k, struct bob_time_slot *out);

/* merge_times.c: merges the statistics of the sources, one process per common, under the shapes and
 * participants of `f`, which contains their merged events under the new names. */
struct bob_time_source {
	const struct bob_process *process; /* NULL: a source without statistics */
	const struct bob_fold_rename *rename; /* NULL: names are unchanged */
};
bob_status bob_times_merge(const struct bob_folded *f, const struct bob_time_source *from,
			   size_t count, struct bob_time_rows *rows);
/* The same, packed; empty if there are none. */
bob_status bob_times_pack(const struct bob_folded *f, const struct bob_time_source *from,
			  size_t count, struct bob_bytes *out);

#endif
