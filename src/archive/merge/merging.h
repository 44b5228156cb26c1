/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to merging: writes the chunks of a file, and converts numbers of a process to numbers of
 * the trace. */
#ifndef BOB_ARCHIVE_MERGING_H
#define BOB_ARCHIVE_MERGING_H

#include <stdio.h>

#include "archive/reader.h"
#include "base/host/bytes.h"

/* Writes a chunk. Returns the bytes written, 0: no memory. Errors of `to` are left to the
 * caller. */
uint64_t bob_chunk_write(FILE *to, enum bob_chunk_kind kind, uint32_t stream, uint64_t aux,
			 const void *bytes, uint64_t len);
/* The same for a chunk of no stream, compressed if that is shorter. */
uint64_t bob_chunk_write_packed(FILE *to, enum bob_chunk_kind kind, uint64_t aux, const void *bytes,
				uint64_t len);
/* The same with fast compression. */
uint64_t bob_chunk_write_quickly(FILE *to, enum bob_chunk_kind kind, uint64_t aux,
				 const void *bytes, uint64_t len);
/* The same with capacity for at least `least` bytes. */
uint64_t bob_chunk_write_reserved(FILE *to, enum bob_chunk_kind kind, uint64_t aux,
				  const void *bytes, uint64_t len, uint64_t least);
/* payload.c. BOB_NONE: compression does not make it shorter. */
bob_status bob_payload_pack(const void *bytes, uint64_t len, struct bob_payload *p);
bob_status bob_payload_pack_quickly(const void *bytes, uint64_t len, struct bob_payload *p);
/* Rewrites the head before the data that follows it; `used`: size of the file. */
bob_status bob_head_write(FILE *to, const struct bob_file_head *head, uint64_t used);
/* Is this kind of chunk copied to a file with merged streams? Descriptors are handled
 * separately. */
int bob_chunk_is_kept(uint32_t kind);
/* Valid bytes of the chunk. */
uint64_t bob_chunk_kept_bytes(const struct bob_chunk_ref *c);

/* Folded records, encoded for a file. */
struct bob_packed {
	struct bob_bytes bytes, shifts;
	enum bob_content content;
};

/* In memory records, words that depend on addresses chosen by the system are separated. */
bob_status bob_packed_make(const struct bob_folded *f, enum bob_content content,
			   struct bob_packed *p);
/* Returns as bob_chunk_write. */
uint64_t bob_packed_write(const struct bob_packed *p, FILE *to);
void bob_packed_free(struct bob_packed *p);
/* Converts a table `shifts` to the form of bob_folded_unpack_apart. BOB_NONE: no such table.
 * BOB_ERR_CORRUPT, BOB_ERR_VERSION, BOB_ERR_NOMEM. */
bob_status bob_shifts_read(const struct bob_payload *p, struct bob_bytes *out);

/* Selection of a process's records. */
enum bob_which {
	BOB_ALL,
	BOB_TAIL,		/* without those in its head */
	BOB_COMPLETE		/* without pending calls */
};

/* merge.c: merges the folded records of a process's threads; the caller closes *out, which is NULL
 * if there are none. `how`: as in bob_archive_fold; NULL: folded records are kept. Errors:
 * BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_threads_merge(const struct bob_process *p, const struct bob_fold_settings *how,
			     enum bob_which which, struct bob_folded **out, struct bob_error *err);

/* merge_events.c: the same for events, including those in logs; *out is NULL if there are none. */
int bob_has_events(const struct bob_process *p);
bob_status bob_events_merge(const struct bob_trace *t, const struct bob_process *p,
			    enum bob_which which, struct bob_folded **out, struct bob_error *err);

/* heads.c: the stream of the process's head that `s` continues (NULL: none), and how many leaves of
 * `s` are in it. */
const struct bob_stream *bob_head_stream(const struct bob_process *p, const struct bob_stream *s);
uint64_t bob_head_events(const struct bob_process *p, const struct bob_stream *s,
			 enum bob_content content);
/* Omits so many events at the beginning of each participant of `f`. *out is NULL if these are whole
 * parts, which the merge can omit itself. BOB_ERR_CORRUPT: there are fewer events. */
bob_status bob_tail_make(const struct bob_folded *f, const uint64_t *after,
			 struct bob_folded **out);
/* What follows the head in the merged records `f` of the process. */
bob_status bob_tail_of_merged(const struct bob_process *p, enum bob_content content,
			      const struct bob_folded *f, struct bob_folded **out);

/* The set of descriptors that folded records use. */
struct bob_used {
	uint8_t *bits;		/* malloc'ed */
	uint64_t count;		/* capacity: descriptor numbers below it */
};

bob_status bob_used_find(const struct bob_common *c, const struct bob_folded *f,
			 struct bob_used *u);
int bob_is_used(const struct bob_used *u, uint64_t number);
/* Encodes a range of unused numbers and sets *count to 0; nothing if it is 0. */
void bob_descs_skip(struct bob_bytes *descs, uint64_t *count);

/* Maps from the numbers of one struct bob_common to those of the trace. */
struct bob_unified_of {
	uint32_t *image;	/* by image number; BOB_MEM_NO_IMAGE: unknown image */
	uint32_t image_count;
	uint32_t *desc;		/* new number + 1; 0: not used */
	uint64_t desc_count;
};

/* Images are equal if path, build id and key are; descriptors, if their contents are. Equal objects
 * within one process remain separate. */
struct bob_unified {
	struct bob_unified_of *of; /* one per common of the trace */
	size_t count;
	struct bob_bytes descs;	/* encoded, in the order of their numbers */
	uint32_t desc_count;
};

/* Unifies the numbers of all commons with records; merged[i] are those of the i-th. Errors:
 * BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_unify(const struct bob_trace *t, struct bob_folded *const *merged,
		     struct bob_unified *u);
void bob_unified_free(struct bob_unified *u);
/* The trace's number of an image of the process. */
uint32_t bob_unified_image(const struct bob_unified_of *of, const struct bob_process *p,
			   uint32_t own);

#endif
