/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a folded stream of a process file (fold_write.h): the final output of the folder, the
 * valid rest, and the log of what came after it. */
#ifndef BOB_ARCHIVE_FOLDS_H
#define BOB_ARCHIVE_FOLDS_H

#include "archive/reader.h"
#include "bobbin/fold.h"

/* Values of a log, not aligned in general. */
struct bob_fold_log {
	uint64_t position;
	uint64_t off;		/* file offset of the first */
	uint64_t count;		/* that may be used; zero after the last event */
};

struct bob_fold_stream {
	uint8_t *bytes;		/* entries, complete; NULL: the stream has none yet */
	size_t len;
	/* by position; those not in use, or in the rest, are left out */
	struct bob_fold_log *log;
	size_t log_count;
	/* after the entries, to continue with the log; NULL: unknown, or no state */
	const uint8_t *state;
	size_t state_len;
	int ended;
};

/* Of the stream `number` in the file; all memory is malloc'ed, bob_fold_stream_free. BOB_NONE: it
 * has no such stream. BOB_ERR_CORRUPT (err says where): data or rest are damaged; the log is there
 * if it can be. */
bob_status bob_fold_stream_read(const struct bob_file *f, uint32_t number,
				struct bob_fold_stream *s, struct bob_error *err);
void bob_fold_stream_free(struct bob_fold_stream *s);

/* The RAW chunks of the stream `number`, as a log; s->log_count 0: it has none. Freed as above.
 * BOB_ERR_NOMEM. */
bob_status bob_raw_stream_read(const struct bob_file *f, uint32_t number,
			       struct bob_fold_stream *s);

/* malloc for the folding library. */
extern const struct bob_alloc bob_alloc_malloc;

/* Zeroed memory for a folder, aligned to a page; NULL: there is none. A folder touches few of its
 * pages, and only what is touched costs time and memory. Freed with the same size; `mem` may be
 * NULL. */
void *bob_folder_map(size_t size);
void bob_folder_unmap(void *mem, size_t size);

#endif
