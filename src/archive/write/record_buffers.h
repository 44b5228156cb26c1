/* SPDX-License-Identifier: BSD-3-Clause */
/* The log of a folded stream (fold_write.h), as *record buffers*: FOLD_LOG chunks that an engine
 * writes records into, 64-bit values. When a buffer is full, the owner of the stream folds its
 * records; the buffer is kept until a commit has made its records part of a rest, and then used
 * again.
 *
 * A commit costs about 0.3 us for each column of the folder. So that it never costs more than a
 * small part of folding, buffers are kept until 256 words a column have come: one of 64 KB where
 * few records come, 16 MB at most.
 *
 * Freestanding. Owner: the caller. Threads: one stream, one thread. */
#ifndef BOB_ARCHIVE_RECORD_BUFFERS_H
#define BOB_ARCHIVE_RECORD_BUFFERS_H

#include "archive/write/fold_write.h"

#define BOB_RECORD_BUFFER_FIRST (64u << 10)	/* bytes, chunk head included */
#define BOB_RECORD_BUFFER_NEXT (512u << 10)
#define BOB_RECORD_BUFFERS_MAX 33u

struct bob_record_buffers {
	struct bob_chunk_head *buffer[BOB_RECORD_BUFFERS_MAX];
	uint32_t count;		/* there are */
	uint32_t used;		/* since the last commit, the newest included */
	uint32_t newest;
	/* words of the stream that have been folded: where the next buffer begins */
	uint64_t position;
};

/* The first word of the newest buffer, and how many it has; NULL: no buffer yet. */
uint64_t *bob_record_buffers_newest(const struct bob_record_buffers *r, size_t *words);
/* `used` words of the newest buffer have been folded. */
void bob_record_buffers_folded(struct bob_record_buffers *r, size_t used);
/* Is a commit due before the next buffer? The caller then commits and calls
 * bob_record_buffers_committed. `keep`: the contents of the newest buffer are needed until the next
 * but one. */
int bob_record_buffers_are_full(const struct bob_record_buffers *r,
				const struct bob_folder *folder);
void bob_record_buffers_committed(struct bob_record_buffers *r, int keep);
/* The next buffer, zeroed, of at least `need` bytes, up to *end. NULL: no space in the file. */
uint64_t *bob_record_buffers_next(struct bob_record_buffers *r, struct bob_fold_writer *out,
				  size_t need, uint64_t **end);

#endif
