/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of times of events (time_write.h), read and merged. In a merged trace they are rows
 * about pairs of shapes of the folded events, packed: docs/format.md, "Times". */
#ifndef BOB_ARCHIVE_TIMES_H
#define BOB_ARCHIVE_TIMES_H

#include "archive/write/time_write.h"
#include "bobbin/fold.h"

struct bob_bytes;
struct bob_process;
struct bob_stream;

#define BOB_TIME_NO_SHAPE 0xffffffffu
#define BOB_TIME_ROWS_MAX (2 * BOB_TIME_PAIRS_MAX) /* pairs beyond these are left out */

struct bob_time_extremes {
	uint32_t min, max;	/* participants of the folded events */
};

struct bob_time_row {
	uint32_t from, to;	/* shapes; from: BOB_TIME_NO_SHAPE: no event before */
	uint64_t count;
	struct bob_time_sums interval, duration;
	struct bob_time_extremes interval_of, duration_of;
};

struct bob_time_rows {
	struct bob_time_row *row; /* malloc'ed; in order of `to`, `from` once they are finished */
	size_t count, cap;
	uint32_t *slot;		/* by hash, number + 1; while they are added up */
	size_t slots;
};

/* Adds to the row of the pair, or makes one. BOB_ERR_NOMEM. */
bob_status bob_time_rows_add(struct bob_time_rows *r, const struct bob_time_row *x);
void bob_time_rows_finish(struct bob_time_rows *r);
void bob_time_rows_free(struct bob_time_rows *r);

/* times_table.c: to tables, and back; `shapes`, `participants` are how many there are. _v1: the
 * payload of a chunk TIMES, which is no table and is only read. BOB_ERR_CORRUPT, BOB_ERR_VERSION,
 * BOB_ERR_NOMEM. */
void bob_time_rows_pack(const struct bob_time_rows *r, struct bob_bytes *b);
bob_status bob_time_rows_unpack(const uint8_t *bytes, size_t len, uint32_t shapes,
				uint32_t participants, struct bob_time_rows *r);
bob_status bob_time_rows_unpack_v1(const uint8_t *bytes, size_t len, uint32_t shapes,
				   uint32_t participants, struct bob_time_rows *r);

/* Slot `k` of a stream; its count is 0 if it cannot be. 0: it has not so many. */
int bob_time_slot_at(const struct bob_stream *s, size_t k, struct bob_time_slot *out);

/* merge_times.c: those of the processes -- one of each common -- under the shapes and participants
 * of `f`, in which their events are merged; they are named so there. */
struct bob_time_source {
	const struct bob_process *process; /* NULL: none of these */
	const struct bob_fold_rename *rename; /* NULL: as they are */
};
bob_status bob_times_merge(const struct bob_folded *f, const struct bob_time_source *from,
			   size_t count, struct bob_time_rows *rows);
/* The same, packed; no bytes if there are none. */
bob_status bob_times_pack(const struct bob_folded *f, const struct bob_time_source *from,
			  size_t count, struct bob_bytes *out);

#endif
