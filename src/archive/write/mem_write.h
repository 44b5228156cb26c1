/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the memory accesses of one thread to a process file. An engine writes records
 * (mem/record.h) to a *record buffer*; full buffers are folded. Record buffers are the log of the
 * folded stream (record_buffers.h), so after a kill the trace ends with the last complete record,
 * folded or not.
 *
 * Freestanding. Owner: the caller. Threads: one stream, one thread; the desc function may be called
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

/* Size of the memory for bob_mem_writer_begin: zeroed address space, aligned to 64. It can be
 * reused for another thread after zeroing. */
size_t bob_mem_writer_size(void);
/* `mem` belongs to the caller. BOB_ERR_FULL: no space for a chunk. */
bob_status bob_mem_writer_begin(struct bob_mem_writer *w, void *mem, bob_fold_chunk_fn chunk,
				void *ctx, uint32_t stream, bob_mem_desc_fn desc, void *desc_ctx);
/* Folds the current buffer, which is full up to `at` (after the last record). Returns the next
 * buffer, zeroed, with at least `need` bytes up to *end. NULL: no space in the file, or invalid
 * records, as *why says (BOB_ERR_FULL, BOB_ERR_CORRUPT); recorded data stays. */
uint64_t *bob_mem_writer_next(struct bob_mem_writer *w, const uint64_t *at, size_t need,
			      uint64_t **end, bob_status *why);
/* The same, and commits what was recorded as a part of its own: readers find it complete in the
 * file, followed by later parts. */
uint64_t *bob_mem_writer_cut(struct bob_mem_writer *w, const uint64_t *at, size_t need,
			     uint64_t **end, bob_status *why);
/* --- folding the records of another process (ring.h): buffers do not belong to the writer --- */

/* Like begin, but continues the stream in `file` (bob_fold_writer_resume) at w->buffers.position.
 * *ended: nothing is left to do, and there is no writer. */
bob_status bob_mem_writer_resume(struct bob_mem_writer *w, void *mem, bob_fold_chunk_fn chunk,
				 void *ctx, uint32_t stream, bob_mem_desc_fn desc, void *desc_ctx,
				 uint8_t *file, uint64_t len, int *ended);
/* Folds the records of a buffer; with `open`, up to the last complete one. *used: words. */
bob_status bob_mem_writer_fold(struct bob_mem_writer *w, const uint64_t *word, size_t count,
			       int open, size_t *used);
/* Commits what was folded; `part`: as a part, see bob_mem_writer_cut. */
bob_status bob_mem_writer_commit(struct bob_mem_writer *w, int part);

/* --- the end --- */

/* Ends the stream with its thread; the last record ends at `at`. NULL: unknown, it is searched in
 * the buffer. */
bob_status bob_mem_writer_end(struct bob_mem_writer *w, const uint64_t *at);

#endif
