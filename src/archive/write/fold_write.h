/* SPDX-License-Identifier: BSD-3-Clause */
/* A folded stream in a process file, so that nothing is lost when the process is killed.
 *
 *     FOLD       one struct bob_fold_head: which of the two rests is valid, one 8-byte store
 *     FOLD_DATA  final output of the folder; `aux` = bytes of it before this chunk
 *     FOLD_REST  two of them (more where they had to grow): struct bob_fold_rest, and what completes the
 *                data up to its `data_bytes` (bob_folder_rest)
 *     FOLD_LOG   raw events: u64 position, then 64-bit values. Those from the rest's `log_begin` on are
 *                not in the rest yet
 *
 * A commit writes the rest into the chunk that is not valid and then declares it valid. The log
 * before that is then no longer needed, and its chunks are reused: zeroed first, then given their
 * new position.
 *
 * Freestanding; memory comes from the caller as chunks that are mapped, really allocated and part
 * of the file. Threads: one stream, one thread. */
#ifndef BOB_ARCHIVE_FOLD_WRITE_H
#define BOB_ARCHIVE_FOLD_WRITE_H

#include "archive/write/write.h"
#include "bobbin/fold.h"

/* A chunk begun (bob_chunk_begin) with `size` bytes of zeroed payload, and its place in the file;
 * NULL if there is no space. */
typedef struct bob_chunk_head *(*bob_fold_chunk_fn)(void *ctx, enum bob_chunk_kind kind,
						    uint32_t stream, uint64_t size, uint64_t aux,
						    uint64_t *off);

#define BOB_FOLD_KEPT                                                                              \
	64u /* chunks of data that can be read again while they are written: 200 MB and more */

struct bob_fold_writer {
	bob_fold_chunk_fn chunk;
	void *ctx;
	uint32_t stream;
	bob_status failed;		/* no space for a chunk: nothing more is written */
	struct bob_fold_head *head;
	struct bob_chunk_head *data;	/* the newest; NULL: none yet */
	uint64_t data_used;		/* of it */
	uint64_t data_bytes;		/* of all */
	uint64_t data_capacity;		/* of the next chunk */
	uint32_t data_chunks;		/* the newest included */
	struct bob_chunk_head *kept[BOB_FOLD_KEPT]; /* the first of them */
	struct bob_chunk_head *rest[2];
	uint64_t rest_used;		/* of the one being written; may be more than it holds */
	uint32_t turn;			/* which one is valid */
};

/* BOB_ERR_FULL: no space. `first_bytes` is the size of the first chunks. */
bob_status bob_fold_writer_begin(struct bob_fold_writer *w, bob_fold_chunk_fn chunk, void *ctx,
				 uint32_t stream, uint64_t first_bytes);
/* What another writer of the stream has left in `file`, `len` bytes that are mapped and stay so. */
struct bob_fold_left {
	uint64_t log_begin;
	const void *state;	/* in the file, as it was passed with the commit */
	size_t state_bytes;
	int ended;		/* there is nothing to go on with */
};
/* Continues after the newest commit of a writer that no longer exists: what that one had not
 * committed is discarded, and its rest becomes data; the folder that follows is a new one, and has
 * to be committed before the log is given up. BOB_ERR_CORRUPT: there is no such stream, or what is
 * there cannot be. */
bob_status bob_fold_writer_resume(struct bob_fold_writer *w, bob_fold_chunk_fn chunk, void *ctx,
				  uint32_t stream, uint64_t first_bytes, uint8_t *file,
				  uint64_t len, struct bob_fold_left *left);
/* For bob_folder_begin; `ctx` is the writer. */
void bob_fold_writer_data(void *ctx, const void *bytes, size_t len);
/* All events put so far are in the file then; the log begins at position `log_begin`. `state` is
 * what a reader must know to fold the log by itself. BOB_ERR_FULL: no space; what was committed
 * before stays valid. */
bob_status bob_fold_writer_commit(struct bob_fold_writer *w, struct bob_folder *folder,
				  uint64_t log_begin, const void *state, size_t state_bytes);
/* The sequence so far, as bytes for bob_folded_open: nothing changes. BOB_ERR_FULL: there is more
 * than can be read again. */
bob_status bob_fold_writer_so_far(const struct bob_fold_writer *w, struct bob_folder *folder,
				  bob_fold_write_fn write, void *ctx);
/* The same as a commit, once the folder has ended (bob_folder_end). */
bob_status bob_fold_writer_end(struct bob_fold_writer *w, uint64_t log_begin);

#endif
