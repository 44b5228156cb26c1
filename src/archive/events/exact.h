/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments of events (exact_write.h), read, packed and merged. Packed they are segments of one
 * thread each, docs/format.md, "Moments": each value has a *head*, a byte with its number of bits
 * and the first of them, and a *tail*, the remaining bits, which are not predictable. Heads are
 * stored separately, because they are compressed; so are intervals and durations. */
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

#define BOB_EXACT_SEGMENT 32768u /* values of a segment, at most; an even number */

/* --- exact_pack.c: values as heads and tails; pure --- */

/* At most BOB_EXACT_SEGMENT values, the first one an interval. `heads` gets a byte for each. */
void bob_exact_pack(const uint64_t *value, size_t n, struct bob_bytes *heads,
		    struct bob_bytes *tails);
/* BOB_ERR_CORRUPT: no head, or not just so many bytes of tails. */
bob_status bob_exact_unpack(const uint8_t *heads, size_t n, const uint8_t *tails, size_t bytes,
			    uint64_t *value);

/* --- exact.c: reading --- */

/* Values that lie together. */
struct bob_exact_part {
	const struct bob_file *file;
	uint64_t id;		/* packed: of the participant */
	uint64_t first;		/* values of the thread before these */
	uint64_t base_ns;	/* the moment before the first */
	uint64_t off, len;	/* in the file: LEB128; packed: tails */
	uint64_t count;		/* packed: values */
	const struct bob_chunk_ref *heads; /* packed: where their heads are ...; else NULL */
	uint64_t heads_at;	/* ... and from which on; in a table `heads`: the row */
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

/* Packed ones of a file of merged threads, in order of participants; those of a thread that has
 * none such. Problems are the trace's. BOB_ERR_NOMEM. */
bob_status bob_exact_list_packed(struct bob_trace *t, const struct bob_file *f,
				 struct bob_exact_parts *out);
bob_status bob_exact_list_own(struct bob_trace *t, const struct bob_file *f, uint32_t stream,
			      struct bob_exact_parts *out);
/* Those of participant `id`. */
const struct bob_exact_part *bob_exact_find(const struct bob_exact_parts *all, uint64_t id,
					    size_t *count);
/* Bytes that they take in the file, what is packed not counted by thread. */
uint64_t bob_exact_bytes(const struct bob_file *f, uint32_t stream);

struct bob_exact_reader {
	const struct bob_event_stream *s;
	size_t part;		/* the next one */
	uint64_t index;		/* of the next value */
	uint64_t now_ns;	/* the moment that was given last */
	uint64_t *value;	/* of the open part, decoded; NULL: none is */
	size_t at, count;
};

void bob_exact_open(struct bob_exact_reader *r, const struct bob_event_stream *s);
/* The next value, and the moment after it. BOB_END; BOB_ERR_CORRUPT, for good; BOB_ERR_NOMEM. */
bob_status bob_exact_next(struct bob_exact_reader *r, uint64_t *value, struct bob_error *err);
void bob_exact_close(struct bob_exact_reader *r);

/* --- merge_exact.c: writing what is packed --- */

struct bob_exact_writer {
	FILE *to;
	uint64_t used;		/* bytes written */
	uint64_t chunks;
	struct bob_bytes *index, *heads, *tails; /* of the open chunk; index: its segments */
};

/* BOB_ERR_NOMEM; errors of `to` are its own. The writer is to be ended whatever happens. */
bob_status bob_exact_writer_begin(struct bob_exact_writer *w, FILE *to);
/* All of a thread, which is participant `id` from now on. BOB_ERR_CORRUPT: it cannot be read;
 * BOB_ERR_NOMEM. Threads come in the order of their ids. */
bob_status bob_exact_writer_put(struct bob_exact_writer *w, const struct bob_event_stream *s,
				uint64_t id, struct bob_error *err);
bob_status bob_exact_writer_end(struct bob_exact_writer *w);

#endif
