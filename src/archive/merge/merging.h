/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to merging: writing the chunks of a file, and the conversion of numbers of a process to
 * numbers of the trace. */
#ifndef BOB_ARCHIVE_MERGING_H
#define BOB_ARCHIVE_MERGING_H

#include <stdio.h>

#include "archive/reader.h"
#include "base/host/bytes.h"

/* A chunk of a file under way; bytes written, 0: no memory. Errors of `to` are its own. */
uint64_t bob_chunk_write(FILE *to, enum bob_chunk_kind kind, uint32_t stream, uint64_t aux,
			 const void *bytes, uint64_t len);
/* The same of no stream, compressed if it is shorter so. */
uint64_t bob_chunk_write_packed(FILE *to, enum bob_chunk_kind kind, uint64_t aux, const void *bytes,
				uint64_t len);
/* The same in little time, not as short. */
uint64_t bob_chunk_write_quickly(FILE *to, enum bob_chunk_kind kind, uint64_t aux,
				 const void *bytes, uint64_t len);
/* The same with capacity for `least` bytes. */
uint64_t bob_chunk_write_reserved(FILE *to, enum bob_chunk_kind kind, uint64_t aux,
				  const void *bytes, uint64_t len, uint64_t least);
/* payload.c. BOB_NONE: it is not shorter when compressed. */
bob_status bob_payload_pack(const void *bytes, uint64_t len, struct bob_payload *p);
bob_status bob_payload_pack_quickly(const void *bytes, uint64_t len, struct bob_payload *p);
/* The head once more, before what was written after it; `used` bytes in all. */
bob_status bob_head_write(FILE *to, const struct bob_file_head *head, uint64_t used);
/* Does a file whose streams are merged keep this kind of chunk? Descriptors are another matter. */
int bob_chunk_is_kept(uint32_t kind);
/* Bytes of it that mean something. */
uint64_t bob_chunk_kept_bytes(const struct bob_chunk_ref *c);

/* Folded records as they are in a file. */
struct bob_packed {
	struct bob_bytes bytes, shifts;
	enum bob_content content;
};

/* In memory records, words that depend on where the system put things are separate. */
bob_status bob_packed_make(const struct bob_folded *f, enum bob_content content,
			   struct bob_packed *p);
/* As bob_chunk_write. */
uint64_t bob_packed_write(const struct bob_packed *p, FILE *to);
void bob_packed_free(struct bob_packed *p);
/* What is apart, from a table `shifts`, as bob_folded_unpack_apart takes it. BOB_NONE: there is no
 * such table. BOB_ERR_CORRUPT, BOB_ERR_VERSION, BOB_ERR_NOMEM. */
bob_status bob_shifts_read(const struct bob_payload *p, struct bob_bytes *out);

/* Which records of a process. */
enum bob_which {
	BOB_ALL,
	BOB_TAIL,		/* but those that its head has */
	BOB_COMPLETE		/* but calls that are under way */
};

/* merge.c. The folded records of a process's threads in one, which the caller closes; NULL if they
 * have none. How: as bob_archive_fold; NULL: what is folded stays. BOB_ERR_NOMEM,
 * BOB_ERR_CORRUPT. */
bob_status bob_threads_merge(const struct bob_process *p, const struct bob_fold_settings *how,
			     enum bob_which which, struct bob_folded **out, struct bob_error *err);

/* merge_events.c: those of the process's threads, whatever lies in their logs included; *out is
 * NULL if there are none. */
int bob_has_events(const struct bob_process *p);
bob_status bob_events_merge(const struct bob_trace *t, const struct bob_process *p,
			    enum bob_which which, struct bob_folded **out, struct bob_error *err);

/* heads.c. The stream of the process's head that goes on in `s`; NULL: it has none. How many of the
 * leaves of `s` it has. */
const struct bob_stream *bob_head_stream(const struct bob_process *p, const struct bob_stream *s);
uint64_t bob_head_events(const struct bob_process *p, const struct bob_stream *s,
			 enum bob_content content);
/* What follows so many events of each participant of `f`. *out is NULL if the events to leave out
 * are whole parts, which the merge itself can leave out. BOB_ERR_CORRUPT: there are not so many. */
bob_status bob_tail_make(const struct bob_folded *f, const uint64_t *after,
			 struct bob_folded **out);
/* What follows the head in the merged records `f` of the process. */
bob_status bob_tail_of_merged(const struct bob_process *p, enum bob_content content,
			      const struct bob_folded *f, struct bob_folded **out);

/* Which descriptors folded records name. */
struct bob_used {
	uint8_t *bits;		/* malloc'ed */
	uint64_t count;		/* capacity in numbers */
};

bob_status bob_used_find(const struct bob_common *c, const struct bob_folded *f,
			 struct bob_used *u);
int bob_is_used(const struct bob_used *u, uint64_t number);
/* So many numbers without descriptor, if any; *count is 0 then. */
void bob_descs_skip(struct bob_bytes *descs, uint64_t *count);

/* Numbers of one `struct bob_common` as those of the trace. */
struct bob_unified_of {
	uint32_t *image;	/* by number there; BOB_MEM_NO_IMAGE: no process has such a one */
	uint32_t image_count;
	uint32_t *desc;		/* + 1; 0: not used */
	uint64_t desc_count;
};

/* Images are the same if path, build id and key are; descriptors, if all that they say is. What a
 * process has twice stays two things. */
struct bob_unified {
	struct bob_unified_of *of; /* one for each of the trace's commons */
	size_t count;
	struct bob_bytes descs;	/* of the trace, in the order of their numbers */
	uint32_t desc_count;
};

/* Of those commons that have records, which are merged[i] of the i-th. BOB_ERR_NOMEM,
 * BOB_ERR_CORRUPT. */
bob_status bob_unify(const struct bob_trace *t, struct bob_folded *const *merged,
		     struct bob_unified *u);
void bob_unified_free(struct bob_unified *u);
/* The trace's number of an image of the process. */
uint32_t bob_unified_image(const struct bob_unified_of *of, const struct bob_process *p,
			   uint32_t own);

#endif
