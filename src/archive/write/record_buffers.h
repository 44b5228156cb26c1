/* SPDX-License-Identifier: BSD-3-Clause */
/* The log of a folded stream (fold_write.h) as *record buffers*: FOLD_LOG chunks to which an engine
 * writes records, 64-bit values. When a buffer is full, the owner of the stream folds its records.
 * The buffer is kept until a commit has made its records part of a rest, and is then reused.
 *
 * A commit costs about 0.3 us per column of the folder. To keep that a small part of the folding
 * time, buffers are kept until they have 256 words per column: one of 64 KB for few records, at
 * most 16 MB.
 *
 * Freestanding. Owner: the caller. Threads: one stream, one thread. */
#ifndef BOB_ARCHIVE_RECORD_BUFFERS_H
#define BOB_ARCHIVE_RECORD_BUFFERS_H

#include "archive/write/fold_write.h"

#define BOB_RECORD_BUFFER_FIRST (64u << 10)	/* bytes, including the chunk header */
#define BOB_RECORD_BUFFER_NEXT (512u << 10)
#define BOB_RECORD_BUFFERS_MAX 33u

struct bob_record_buffers {
	struct bob_chunk_head *buffer[BOB_RECORD_BUFFERS_MAX];
	uint32_t count;		/* number of buffers */
	uint32_t used;		/* since the last commit, including the newest */
	uint32_t newest;
	/* folded words of the stream: position of the next buffer */
	uint64_t position;
};

/* First word of the newest buffer, and its capacity in words; NULL: no buffer yet. */
uint64_t *bob_record_buffers_newest(const struct bob_record_buffers *r, size_t *words);
/* Reports that `used` words of the newest buffer have been folded. */
void bob_record_buffers_folded(struct bob_record_buffers *r, size_t used);
/* Is a commit due before the next buffer? The caller then commits and calls
 * bob_record_buffers_committed. `keep`: the contents of the newest buffer are needed until the next
 * buffer but one. */
int bob_record_buffers_are_full(const struct bob_record_buffers *r,
				const struct bob_folder *folder);
void bob_record_buffers_committed(struct bob_record_buffers *r, int keep);
/* Returns the next buffer, zeroed, with at least `need` bytes up to *end. NULL: no space in the
 * file. */
uint64_t *bob_record_buffers_next(struct bob_record_buffers *r, struct bob_fold_writer *out,
				  size_t need, uint64_t **end);

#endif
