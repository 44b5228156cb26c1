/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process and its *collector*, another process that folds its records, share in the
 * process's file (docs/collector.md):
 *
 *     COLLECTOR  one struct bob_collector: who needs space in the file, who runs, who sleeps
 *     RING       of a stream, one struct bob_ring: its record buffers (record_buffers.h), and their owners
 *
 * A buffer is free, filled by its thread, or handed over. The collector folds what is handed over,
 * in the order of positions; when a commit has made that part of a rest the buffers are free again.
 * So everything that was recorded is in the file at every instant, in the rest or in the log, and
 * whichever of the two is killed, readers find it.
 *
 * Both take windows of the file by adding to `end`. A window is full of chunks from when it is
 * filled with a PAD; a process that is killed before that leaves zeros, which readers skip.
 *
 * Freestanding. Threads: one of the process for each ring; the collector has one. Words of another
 * process are checked where memory safety depends on them. */
#ifndef BOB_ARCHIVE_RING_H
#define BOB_ARCHIVE_RING_H

#include "archive/write/mem_write.h"

enum bob_collector_state {
	BOB_COLLECTOR_AWAITED = 0,
	BOB_COLLECTOR_THERE = 1,
	BOB_COLLECTOR_FULL = 2,	/* it found no space in the file */
	BOB_COLLECTOR_NONE = 3	/* the process folds for itself, for good */
};

struct bob_collector {
	uint64_t end;		/* of the newest window */
	uint64_t namespace;	/* of process ids: another one's cannot be compared */
	uint32_t launcher;	/* who starts it, as the process was informed */
	uint32_t state;		/* enum bob_collector_state; changed by comparing */
	uint32_t pid;		/* of the collector */
	uint32_t restarts;	/* how many there were before */
	uint32_t rings;		/* there are */
	uint32_t pad0[7];
	uint32_t bell;		/* futex: something was handed over, or has ended */
	uint32_t asleep;	/* the collector would not notice */
	uint32_t pad1[14];
};
BOB_STATIC_ASSERT(sizeof(struct bob_collector) == 128, "two cache lines");

enum bob_slot_state { BOB_SLOT_FREE = 0, BOB_SLOT_FILLING = 1, BOB_SLOT_HANDED = 2 };

struct bob_ring_slot {
	uint64_t off;		/* of the chunk in the file */
	uint64_t words;		/* handed over */
	uint32_t state;		/* enum bob_slot_state */
	uint32_t reserved;
};

#define BOB_RING_LIMIT 8u	/* buffers at first */
#define BOB_RING_SMALL                                                                             \
	8u /* of BOB_RECORD_BUFFER_FIRST bytes, the others have BOB_RECORD_BUFFER_NEXT */

struct bob_ring {
	uint32_t buffers;		/* slots in use, by the process */
	uint32_t waits;		/* the thread needs a buffer */
	uint32_t ended;		/* the thread has; by the process */
	uint32_t cut_wanted, cut_done; /* see bob_mem_writer_cut */
	uint32_t limit;		/* so many buffers are to be made, by the collector */
	uint32_t freed;		/* futex: counts what the thread may wait for */
	uint32_t reserved;
	struct bob_ring_slot slot[BOB_RECORD_BUFFERS_MAX];
};

/* --- the file --- */

/* A chunk header at p..end that vouches for itself and lies there whole. */
int bob_chunk_is_at(const uint8_t *p, const uint8_t *end);
/* What is left of a window, `bytes` from `p` on, is a PAD. */
void bob_ring_pad(uint8_t *p, uint64_t bytes);
/* The file's complete chunks reach up to `used`, at least. */
void bob_ring_used(struct bob_file_head *head, uint64_t used);

/* --- the process's side --- */

struct bob_ring_writer {
	struct bob_ring *ring;	/* NULL: there is none */
	struct bob_chunk_head *buffer[BOB_RECORD_BUFFERS_MAX];
	uint32_t now;		/* the slot being filled; BOB_RECORD_BUFFERS_MAX: none */
	uint64_t position;	/* words of the stream before it */
};

/* The thread's buffer is full up to `at`, which has come from bob_ring_buffer. An empty one
 * stays. */
void bob_ring_hand_over(struct bob_ring_writer *w, const uint64_t *at);
/* The next buffer up to *end, zeroed, of BOB_RECORD_BUFFER_FIRST bytes at least. NULL: none is
 * free, *why is BOB_OK; or BOB_ERR_FULL: no space in the file. */
uint64_t *bob_ring_buffer(struct bob_ring_writer *w, bob_fold_chunk_fn chunk, void *ctx,
			  uint32_t stream, uint64_t **end, bob_status *why);

/* --- the collector's --- */

/* The slot at `position`, BOB_RECORD_BUFFERS_MAX: there is none. `file` is mapped, `len` bytes. */
uint32_t bob_ring_find(const struct bob_ring *r, const uint8_t *file, uint64_t len,
		       uint64_t position);
/* Its words, and its capacity in words; NULL: invalid. */
uint64_t *bob_ring_words(const struct bob_ring *r, uint32_t slot, uint8_t *file, uint64_t len,
			 uint64_t *count);
/* All that were handed over and lie below `position` can be filled again. */
void bob_ring_free(struct bob_ring *r, uint8_t *file, uint64_t len, uint64_t position);

#endif
