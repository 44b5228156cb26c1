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
#ifndef BOB_ARCHIVE_ROOMS_H
#define BOB_ARCHIVE_ROOMS_H

#include "archive/write/fold_write.h"

#define BOB_ROOM_FIRST (64u << 10)	/* bytes, chunk head included */
#define BOB_ROOM_NEXT (512u << 10)
#define BOB_ROOMS_MAX 33u

struct bob_rooms {
	struct bob_chunk_head *room[BOB_ROOMS_MAX];
	uint32_t rooms;		/* there are */
	uint32_t used;		/* since the last commit, the newest included */
	uint32_t newest;
	/* words of the stream that have been folded: where the next room begins */
	uint64_t position;
};

/* The first word of the newest room, and how many it has; NULL: there is none yet. */
uint64_t *bob_rooms_newest(const struct bob_rooms *r, size_t *words);
/* `used` words of the newest room have been folded. */
void bob_rooms_folded(struct bob_rooms *r, size_t used);
/* Should one commit before the next room? Then do so, and tell. `keep`: what lies in the newest
 * room is needed until the next but one. */
int bob_rooms_are_full(const struct bob_rooms *r, const struct bob_folder *folder);
void bob_rooms_committed(struct bob_rooms *r, int keep);
/* The next room, zeroed, of at least `need` bytes, up to *end. NULL: no room in the file. */
uint64_t *bob_rooms_next(struct bob_rooms *r, struct bob_fold_writer *out, size_t need,
			 uint64_t **end);

#endif
