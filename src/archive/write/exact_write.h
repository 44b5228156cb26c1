/* SPDX-License-Identifier: BSD-3-Clause */
/* Begin and end time of each event, in ns: the differences of consecutive times (interval before an
 * event, its duration, next interval ...) as LEB128 integers, in place in the mapped file. The n-th
 * event of the stream (event_write.h) has the values 2 n and 2 n + 1.
 *
 *     EXACT   `aux` = values of the stream before this chunk. u64 time before its first value; the
 *             values. Open: grows by `len`
 *
 * A value is valid once its chunk's `len` includes it, so the data of a killed process ends with a
 * complete value. The interval of the first event is 0.
 *
 * Freestanding. Owner: the caller. Threads: one stream, one thread. Budget: <= 10 ns an event
 * (bench/mpi). */
#ifndef BOB_ARCHIVE_EXACT_WRITE_H
#define BOB_ARCHIVE_EXACT_WRITE_H

#include "archive/write/fold_write.h"

struct bob_exact {
	bob_fold_chunk_fn chunk;
	void *ctx;
	struct bob_chunk_head *newest;
	uint64_t values;	/* so far */
	uint64_t now_ns;	/* the last time */
	uint32_t stream;
};

void bob_exact_begin(struct bob_exact *x, bob_fold_chunk_fn chunk, void *ctx, uint32_t stream);
/* Adds a time: begins and ends of events alternate. BOB_ERR_FULL: no space in the file; the time is
 * lost. */
bob_status bob_exact_put(struct bob_exact *x, uint64_t at_ns);

#endif
