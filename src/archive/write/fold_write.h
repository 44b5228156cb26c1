/* SPDX-License-Identifier: BSD-3-Clause */
/* A folded stream in a process file, crash-safe:
 *
 *     FOLD       one struct bob_fold_head: selects the valid rest, by one 8-byte store
 *     FOLD_DATA  final output of the folder; `aux` = bytes of it before this chunk
 *     FOLD_REST  two of them (more where they had to grow): struct bob_fold_rest, and what
 *                completes the first `data_bytes` of the data (bob_folder_rest)
 *     FOLD_LOG   raw events: u64 position, then 64-bit values. Those from the rest's `log_begin` on
 *                are not in the rest yet
 *
 * A commit writes the rest into the invalid chunk and then makes it the valid one. The log before
 * that is no longer needed, and its chunks are reused: zeroed first, then given their new position.
 *
 * Freestanding. The caller supplies memory as chunks that are mapped, allocated on disk and part of
 * the file. Threads: one stream, one thread. */
#ifndef BOB_ARCHIVE_FOLD_WRITE_H
#define BOB_ARCHIVE_FOLD_WRITE_H

#include "archive/write/write.h"
#include "bobbin/fold.h"

/* Allocates a chunk (bob_chunk_begin) with `size` bytes of zeroed payload and returns its offset in
 * *off. NULL: no space. */
typedef struct bob_chunk_head *(*bob_fold_chunk_fn)(void *ctx, enum bob_chunk_kind kind,
						    uint32_t stream, uint64_t size, uint64_t aux,
						    uint64_t *off);

#define BOB_FOLD_KEPT                                                                              \
	64u /* chunks of data that bob_fold_writer_so_far can read again: 200 MB and more */

struct bob_fold_writer {
	bob_fold_chunk_fn chunk;
	void *ctx;
	uint32_t stream;
	bob_status failed;		/* no space for a chunk: writing has stopped */
	struct bob_fold_head *head;
	struct bob_chunk_head *data;	/* the newest chunk; NULL: none yet */
	uint64_t data_used;		/* bytes used of it */
	uint64_t data_bytes;		/* in all chunks */
	uint64_t data_capacity;		/* of the next chunk */
	uint32_t data_chunks;		/* including the newest */
	struct bob_chunk_head *kept[BOB_FOLD_KEPT]; /* the first of them */
	struct bob_chunk_head *rest[2];
	uint64_t rest_used;		/* of the rest being written; may exceed its capacity */
	uint32_t turn;			/* index of the valid rest */
};

/* `first_bytes`: size of the first chunks. BOB_ERR_FULL: no space. */
bob_status bob_fold_writer_begin(struct bob_fold_writer *w, bob_fold_chunk_fn chunk, void *ctx,
				 uint32_t stream, uint64_t first_bytes);
/* The state that another writer of the stream left in `file`, `len` mapped bytes, which must stay
 * mapped. */
struct bob_fold_left {
	uint64_t log_begin;
	const void *state;	/* in the file, as passed with the commit */
	size_t state_bytes;
	int ended;		/* nothing is left to continue */
};
/* Continues after the last commit of a writer that no longer exists. Uncommitted data is discarded,
 * and the rest becomes data. A new folder must be committed before the log is discarded.
 * BOB_ERR_CORRUPT: no such stream, or it is invalid. */
bob_status bob_fold_writer_resume(struct bob_fold_writer *w, bob_fold_chunk_fn chunk, void *ctx,
				  uint32_t stream, uint64_t first_bytes, uint8_t *file,
				  uint64_t len, struct bob_fold_left *left);
/* Output function for bob_folder_begin; `ctx` is the writer. */
void bob_fold_writer_data(void *ctx, const void *bytes, size_t len);
/* Commits all events put so far; the log begins at position `log_begin`. `state`: what a reader
 * needs to fold the log. BOB_ERR_FULL: no space; the previous commit stays valid. */
bob_status bob_fold_writer_commit(struct bob_fold_writer *w, struct bob_folder *folder,
				  uint64_t log_begin, const void *state, size_t state_bytes);
/* Writes the sequence so far as bytes for bob_folded_open, without changes. BOB_ERR_FULL: it is too
 * long to be read again. */
bob_status bob_fold_writer_so_far(const struct bob_fold_writer *w, struct bob_folder *folder,
				  bob_fold_write_fn write, void *ctx);
/* Commits after bob_folder_end. */
bob_status bob_fold_writer_end(struct bob_fold_writer *w, uint64_t log_begin);

#endif
