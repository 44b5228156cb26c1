/* SPDX-License-Identifier: BSD-3-Clause */
/* The log of a folded stream (fold_write.h), as *rooms*: FOLD_LOG chunks that an engine writes
 * records into, 64-bit values. When a room is full its records are folded, by whoever knows what
 * they are; the room is kept until a commit has made its records part of a rest, and then used
 * again.
 *
 * A commit costs about 0.3 us for each column of the folder. So that it never costs more than a
 * small part of folding, rooms are kept until 256 words a column have come: one of 64 KB where
 * little is going on, 16 MB at most.
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
	/* words of the stream that have been folded: where the next room begins */
	uint64_t position;
};

/* The first word of the newest room, and how many it has; NULL: there is none yet. */
uint64_t *bob_record_buffers_newest(const struct bob_record_buffers *r, size_t *words);
/* `used` words of the newest room have been folded. */
void bob_record_buffers_folded(struct bob_record_buffers *r, size_t used);
/* Should one commit before the next room? Then do so, and tell. `keep`: what lies in the newest
 * room is needed until the next but one. */
int bob_record_buffers_are_full(const struct bob_record_buffers *r,
				const struct bob_folder *folder);
void bob_record_buffers_committed(struct bob_record_buffers *r, int keep);
/* The next room, zeroed, of at least `need` bytes, up to *end. NULL: no room in the file. */
uint64_t *bob_record_buffers_next(struct bob_record_buffers *r, struct bob_fold_writer *out,
				  size_t need, uint64_t **end);

#endif
