/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory accesses of one thread into a process file: an engine writes records (mem/record.h)
 * into a *record buffer*, and when that is full its records are folded. Record buffers are the log
 * of the folded stream (record_buffers.h), so after a kill the trace ends with the last complete
 * record, folded or not.
 *
 * Freestanding. Owner: the caller. Threads: one stream, one thread; the desc function may be asked
 * by several. */
#ifndef BOB_ARCHIVE_MEM_WRITE_H
#define BOB_ARCHIVE_MEM_WRITE_H

#include "archive/write/record_buffers.h"
#include "mem/fold.h"

struct bob_mem_writer {
	struct bob_fold_writer out;
	struct bob_folder *folder;
	struct bob_mem_fold *fold;
	struct bob_record_buffers buffers;
};

/* Zeroed address space for bob_mem_writer_begin, aligned to 64; it can be used again for another
 * thread once it is zeroed. */
size_t bob_mem_writer_size(void);
/* `mem` is the caller's. BOB_ERR_FULL: no space for a chunk. */
bob_status bob_mem_writer_begin(struct bob_mem_writer *w, void *mem, bob_fold_chunk_fn chunk,
				void *ctx, uint32_t stream, bob_mem_desc_fn desc, void *desc_ctx);
/* The buffer is full up to `at` (a place in it, after the last record): the next one, zeroed, of at
 * least `need` bytes where the engine may write up to *end. NULL: no space in the file, or the engine
 * wrote invalid records; *why says (BOB_ERR_FULL, BOB_ERR_CORRUPT). What was recorded stays. */
uint64_t *bob_mem_writer_next(struct bob_mem_writer *w, const uint64_t *at, size_t need,
			      uint64_t **end, bob_status *why);
/* The same, and what has been recorded is folded, committed, and a part of its own: readers find it
 * complete in the file, and later what follows it. */
uint64_t *bob_mem_writer_cut(struct bob_mem_writer *w, const uint64_t *at, size_t need,
			     uint64_t **end, bob_status *why);
/* --- to fold the records of another process (ring.h): buffers are not the writer's --- */

/* As begin, after what `file` has of the stream (bob_fold_writer_resume); the stream continues at
 * w->buffers.position. *ended: there is nothing more to be done, and no writer. */
bob_status bob_mem_writer_resume(struct bob_mem_writer *w, void *mem, bob_fold_chunk_fn chunk,
				 void *ctx, uint32_t stream, bob_mem_desc_fn desc, void *desc_ctx,
				 uint8_t *file, uint64_t len, int *ended);
/* The records of a buffer; with `open` up to the last one that is complete. *used words. */
bob_status bob_mem_writer_fold(struct bob_mem_writer *w, const uint64_t *word, size_t count,
			       int open, size_t *used);
/* All that has been folded is in the file; with `part` as by bob_mem_writer_cut. */
bob_status bob_mem_writer_commit(struct bob_mem_writer *w, int part);

/* --- the end --- */

/* The thread has ended; its last record ends at `at`. NULL: unknown, it is found in the buffer. */
bob_status bob_mem_writer_end(struct bob_mem_writer *w, const uint64_t *at);

#endif
