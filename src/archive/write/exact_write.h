/* SPDX-License-Identifier: BSD-3-Clause */
/* When events began and ended, each of them, to the ns: the time from each moment to the next --
 * the interval before an event, its duration, the next interval ... -- as a row of LEB128 integers,
 * in place in the mapped file. The n-th event of the stream (event_write.h) has the values 2 n and
 * 2 n + 1.
 *
 *     EXACT   `aux` = values of the stream before this chunk. u64 the moment before its first value; the values. Open: grows by `len`
 *
 * A value counts from the moment its chunk's `len` says so: what a killed process left ends with a
 * whole one. The first event's interval is 0.
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
	uint64_t now_ns;	/* the newest moment */
	uint32_t stream;
};

void bob_exact_begin(struct bob_exact *x, bob_fold_chunk_fn chunk, void *ctx, uint32_t stream);
/* The next moment: an event begins, or ends, in turn. BOB_ERR_FULL: the file has no space; the
 * moment is lost. */
bob_status bob_exact_put(struct bob_exact *x, uint64_t at_ns);

#endif
