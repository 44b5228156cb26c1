/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of events (exact_write.h): reading, packing and merging. Packed times are segments of one
 * thread each (docs/format.md, "Moments"). Each value has a *head*, a byte with its number of bits
 * and its highest bits, and a *tail*, the remaining bits, which are not compressible. Heads are
 * stored separately, because they are compressed; intervals and durations are separate, too. */
#ifndef BOB_ARCHIVE_EXACT_H
#define BOB_ARCHIVE_EXACT_H

#include <stdio.h>

#include "archive/columns/columns.h"
#include "archive/write/exact_write.h"

struct bob_bytes;
struct bob_chunk_ref;
struct bob_event_stream;
struct bob_file;
struct bob_process;
struct bob_stream;
struct bob_trace;

#define BOB_EXACT_SEGMENT 32768u /* maximal number of values in a segment; even */

/* --- exact_pack.c: split into heads and tails; pure --- */

/* Packs at most BOB_EXACT_SEGMENT values, the first one an interval. `heads` gets a byte per
 * value. */
void bob_exact_pack(const uint64_t *value, size_t n, struct bob_bytes *heads,
		    struct bob_bytes *tails);
/* BOB_ERR_CORRUPT: invalid head, or wrong size of the tails. */
bob_status bob_exact_unpack(const uint8_t *heads, size_t n, const uint8_t *tails, size_t bytes,
			    uint64_t *value);

/* --- exact.c: reading --- */

/* A contiguous sequence of values. */
struct bob_exact_part {
	const struct bob_file *file;
	uint64_t id;		/* packed: id of the participant */
	uint64_t first;		/* number of earlier values of the thread */
	uint64_t base_ns;	/* time before the first value */
	uint64_t off, len;	/* position in the file: LEB128 values, or packed tails */
	uint64_t count;		/* packed: values */
	const struct bob_chunk_ref *heads; /* packed: chunk of the heads; otherwise NULL */
	uint64_t heads_at;	/* packed: offset of the heads in it, or row of the table `heads` */
};

/* A row of the tables `moments` and `heads`. */
struct bob_exact_segment {
	uint64_t id, first, base_ns;
	uint64_t count;
	struct bob_cell_bytes tails, heads;
};
extern const struct bob_schema bob_exact_moments, bob_exact_heads;

struct bob_exact_parts {
	struct bob_exact_part *at; /* malloc'ed */
	size_t count, cap;
};

/* List the packed parts of a file of merged threads, in order of participants, and those of a
 * single thread's own file. Damage becomes a problem of the trace. Errors: BOB_ERR_NOMEM. */
bob_status bob_exact_list_packed(struct bob_trace *t, const struct bob_file *f,
				 struct bob_exact_parts *out);
bob_status bob_exact_list_own(struct bob_trace *t, const struct bob_file *f, uint32_t stream,
			      struct bob_exact_parts *out);
/* The parts of participant `id`. */
const struct bob_exact_part *bob_exact_find(const struct bob_exact_parts *all, uint64_t id,
					    size_t *count);
/* Size of a thread's times in the file; packed times are not attributed to threads. */
uint64_t bob_exact_bytes(const struct bob_file *f, uint32_t stream);

struct bob_exact_reader {
	const struct bob_event_stream *s;
	size_t part;		/* index of the next part */
	uint64_t index;		/* index of the next value */
	uint64_t now_ns;	/* the last time returned */
	uint64_t *value;	/* decoded values of the open part; NULL: no open part */
	size_t at, count;
};

void bob_exact_open(struct bob_exact_reader *r, const struct bob_event_stream *s);
/* Returns the next value and sets now_ns to the time after it. BOB_END; BOB_ERR_CORRUPT
 * (permanent); BOB_ERR_NOMEM. */
bob_status bob_exact_next(struct bob_exact_reader *r, uint64_t *value, struct bob_error *err);
void bob_exact_close(struct bob_exact_reader *r);

/* --- merge_exact.c: writer of packed times --- */

struct bob_exact_writer {
	FILE *to;
	uint64_t used;		/* bytes written */
	uint64_t chunks;
	struct bob_bytes *index, *heads, *tails; /* of the open chunk; index: its segments */
};

/* BOB_ERR_NOMEM; errors of `to` are left to the caller. End the writer in any case. */
bob_status bob_exact_writer_begin(struct bob_exact_writer *w, FILE *to);
/* Writes the times of a thread as those of participant `id`. Call in ascending order of ids.
 * BOB_ERR_CORRUPT: unreadable; BOB_ERR_NOMEM. */
bob_status bob_exact_writer_put(struct bob_exact_writer *w, const struct bob_event_stream *s,
				uint64_t id, struct bob_error *err);
bob_status bob_exact_writer_end(struct bob_exact_writer *w);

#endif
