/* SPDX-License-Identifier: BSD-3-Clause */
/* State that a process and its *collector*, another process that folds its records, share in the
 * process's file (docs/collector.md):
 *
 *     COLLECTOR  one struct bob_collector: end of the file, processes, wake-ups
 *     RING       of a stream, one struct bob_ring: its record buffers (record_buffers.h), and their
 *                states
 *
 * A buffer is free, filled by its thread, or handed over. The collector folds buffers that were
 * handed over, by position. When a commit has made them part of a rest, they are free again. So at
 * every instant all records are in the file, in the rest or in the log, and readers find them
 * whichever process is killed.
 *
 * Both processes allocate windows of the file by an atomic addition to `end`. A window consists of
 * chunks once it is filled with a PAD; a process that is killed earlier leaves zeros, which readers
 * skip.
 *
 * Freestanding. Threads: per ring one of the process; the collector has one. Values of the other
 * process are checked where memory safety depends on them. */
#ifndef BOB_ARCHIVE_RING_H
#define BOB_ARCHIVE_RING_H

#include "archive/write/mem_write.h"

enum bob_collector_state {
	BOB_COLLECTOR_AWAITED = 0,
	BOB_COLLECTOR_THERE = 1,
	BOB_COLLECTOR_FULL = 2,	/* it found no space in the file */
	BOB_COLLECTOR_NONE = 3	/* permanent: the process folds its own records */
};

struct bob_collector {
	uint64_t end;		/* end of the newest window */
	uint64_t namespace;	/* pid namespace; pids of another one cannot be compared */
	uint32_t launcher;	/* pid of the launcher, which starts the collector, as passed to the
				 * process */
	uint32_t state;		/* enum bob_collector_state; changed by compare-and-swap */
	uint32_t pid;		/* of the collector */
	uint32_t restarts;	/* number of earlier collectors */
	uint32_t rings;		/* number of rings */
	uint32_t pad0[7];
	uint32_t bell;		/* futex: a buffer was handed over, or a thread has ended */
	uint32_t asleep;	/* the collector waits for `bell` */
	uint32_t pad1[14];
};
BOB_STATIC_ASSERT(sizeof(struct bob_collector) == 128, "two cache lines");

enum bob_slot_state { BOB_SLOT_FREE = 0, BOB_SLOT_FILLING = 1, BOB_SLOT_HANDED = 2 };

struct bob_ring_slot {
	uint64_t off;		/* of the chunk in the file */
	uint64_t words;		/* number of words handed over */
	uint32_t state;		/* enum bob_slot_state */
	uint32_t reserved;
};

#define BOB_RING_LIMIT 8u	/* maximal number of buffers at first */
#define BOB_RING_SMALL                                                                             \
	8u /* the first ones have BOB_RECORD_BUFFER_FIRST bytes, the others
	    * BOB_RECORD_BUFFER_NEXT */

struct bob_ring {
	uint32_t buffers;		/* set by the process: slots in use */
	uint32_t waits;		/* the thread waits for a buffer */
	uint32_t ended;		/* set by the process: the thread has ended */
	uint32_t cut_wanted, cut_done; /* see bob_mem_writer_cut */
	uint32_t limit;		/* set by the collector: maximal number of buffers */
	uint32_t freed;		/* futex: incremented when the thread may continue */
	uint32_t reserved;
	struct bob_ring_slot slot[BOB_RECORD_BUFFERS_MAX];
};

/* --- the file --- */

/* Is there a complete chunk with a valid header at p, before `end`? */
int bob_chunk_is_at(const uint8_t *p, const uint8_t *end);
/* Fills the rest of a window, `bytes` from `p` on, with a PAD. */
void bob_ring_pad(uint8_t *p, uint64_t bytes);
/* Raises the file's end of complete chunks to at least `used`. */
void bob_ring_used(struct bob_file_head *head, uint64_t used);

/* --- side of the process --- */

struct bob_ring_writer {
	struct bob_ring *ring;	/* NULL: no ring */
	struct bob_chunk_head *buffer[BOB_RECORD_BUFFERS_MAX];
	uint32_t now;		/* slot being filled; BOB_RECORD_BUFFERS_MAX: none */
	uint64_t position;	/* words of the stream before it */
};

/* Hands over the thread's buffer, which is full up to `at`. An empty buffer stays with the
 * thread. */
void bob_ring_hand_over(struct bob_ring_writer *w, const uint64_t *at);
/* Returns the next buffer, zeroed, up to *end, with at least BOB_RECORD_BUFFER_FIRST bytes. NULL:
 * none is free (*why is BOB_OK), or no space in the file (BOB_ERR_FULL). */
uint64_t *bob_ring_buffer(struct bob_ring_writer *w, bob_fold_chunk_fn chunk, void *ctx,
			  uint32_t stream, uint64_t **end, bob_status *why);

/* --- side of the collector --- */

/* The slot at `position`; BOB_RECORD_BUFFERS_MAX: none. `file`: `len` mapped bytes. */
uint32_t bob_ring_find(const struct bob_ring *r, const uint8_t *file, uint64_t len,
		       uint64_t position);
/* Its words, and its capacity in words; NULL: invalid. */
uint64_t *bob_ring_words(const struct bob_ring *r, uint32_t slot, uint8_t *file, uint64_t len,
			 uint64_t *count);
/* Frees all buffers that were handed over and begin before `position`. */
void bob_ring_free(struct bob_ring *r, uint8_t *file, uint64_t len, uint64_t position);

#endif
