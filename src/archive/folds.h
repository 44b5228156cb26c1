/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a folded stream of a process file (fold_write.h): the final output of the folder, the valid
 * rest, and the log of subsequent records. */
#ifndef BOB_ARCHIVE_FOLDS_H
#define BOB_ARCHIVE_FOLDS_H

#include "archive/reader.h"
#include "bobbin/fold.h"

/* A FOLD_LOG chunk. The values may be unaligned. */
struct bob_fold_log {
	uint64_t position;
	uint64_t off;		/* file offset of the first */
	uint64_t count;		/* capacity in values; zeros follow the last event */
};

struct bob_fold_stream {
	uint8_t *bytes;		/* complete entries; NULL: none yet */
	size_t len;
	/* by position, without unused chunks and those already in the rest */
	struct bob_fold_log *log;
	size_t log_count;
	/* follows the entries; needed to fold the log. NULL: unknown or empty */
	const uint8_t *state;
	size_t state_len;
	int ended;
};

/* Reads the stream `number` of the file; bob_fold_stream_free frees the memory. BOB_NONE: no such
 * stream. BOB_ERR_CORRUPT (position in err): data or rest are damaged; the log is read if
 * possible. */
bob_status bob_fold_stream_read(const struct bob_file *f, uint32_t number,
				struct bob_fold_stream *s, struct bob_error *err);
void bob_fold_stream_free(struct bob_fold_stream *s);

/* Lists the RAW chunks of the stream `number` as a log; s->log_count is 0 if there are none. Freed
 * as above. Errors: BOB_ERR_NOMEM. */
bob_status bob_raw_stream_read(const struct bob_file *f, uint32_t number,
			       struct bob_fold_stream *s);

/* Allocator for the folding library that uses malloc. */
extern const struct bob_alloc bob_alloc_malloc;

/* Zeroed, page-aligned memory for a folder, or NULL. A folder touches few of its pages, and only
 * touched pages cost time and memory. Free it with the same size; `mem` may be NULL. */
void *bob_folder_map(size_t size);
void bob_folder_unmap(void *mem, size_t size);

#endif
