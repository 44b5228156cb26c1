/* SPDX-License-Identifier: BSD-3-Clause */
/* Lays out an archive file in mapped memory. Pure functions on that memory: no system calls, no
 * libc except mem*, no allocation, no globals, so the agent can use them anywhere. The caller
 * creates the file, maps and allocates its windows, and keeps them mapped during a call. Threads:
 * different chunks may be written by different threads; the file head's `used` by one at a time.
 *
 * Order that keeps a file readable at every instant: initialise the chunk's payload where its kind
 * requires it (a STREAM head must be zeroed; a DATA chunk may have any contents, because its stream
 * head says what is valid), then bob_chunk_begin, then bob_file_set_used. Readers trust only what
 * is below `used`. */
#ifndef BOB_ARCHIVE_WRITE_H
#define BOB_ARCHIVE_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "archive/format.h"

#define BOB_STREAM_NONE 0xffffffffu /* `stream` of a chunk without a stream */
#define BOB_NAME_BYTES 128u	    /* enough for every file name made below */

/* --- file head --- */

/* Zeroes *head and sets the constant fields, `host` (truncated to 63 bytes, NULL is ""), parent_seq
 * = ~0 and used = 4096. The caller then sets pid, ppid, seq, the start times and the parent fields,
 * and seals it. */
void bob_file_begin(struct bob_file_head *head, enum bob_file_kind kind, const char *host);
/* Sets the checksum. Call again after a covered field has changed. */
void bob_file_seal(struct bob_file_head *head);
/* Publishes that the file's complete chunks reach up to `used` (release store). */
void bob_file_set_used(struct bob_file_head *head, uint64_t used);
/* Marks the file as complete: `state` is a BOB_FILE_* value, `reason` a BOB_STOP_* value. */
void bob_file_end(struct bob_file_head *head, enum bob_file_state state,
		  enum bob_stop_reason reason, uint64_t end_mono_ns);
/* Records how the process ended: `status` as wait returns it. */
void bob_file_status(struct bob_file_head *head, enum bob_end_source source, uint32_t status);
/* The status of a process that calls _exit(code). */
static inline uint32_t bob_exit_status(uint64_t code)
{
	return (uint32_t)(code & 0xff) << 8;
}
/* Converts the result of waitid to a status of wait4. Of other events (CLD_STOPPED) the result is
 * no end of a process either (bob_status_is_end). */
static inline uint32_t bob_waitid_status(int32_t code, int32_t status)
{
	const uint32_t signal = (uint32_t)status & 0x7f;

	return code == 1 ? bob_exit_status((uint32_t)status) : /* CLD_EXITED */
	       code == 2 ? signal :				     /* CLD_KILLED */
	       code == 3 ? signal | 0x80 :			     /* CLD_DUMPED */
			      ~0u;
}

/* --- chunks --- */

/* Size in the file of a chunk with `size` bytes of payload, including header and padding. The chunk
 * after one at `off` is at off + this. */
static inline uint64_t bob_chunk_bytes(uint64_t size)
{
	return (sizeof(struct bob_chunk_head) + size + BOB_CHUNK_ALIGN - 1) &
	       ~(uint64_t)(BOB_CHUNK_ALIGN - 1);
}

/* Maximal payload of a chunk that fits into `space` bytes (a multiple of 64); 0 if none. */
static inline uint64_t bob_chunk_payload(uint64_t space)
{
	return space < sizeof(struct bob_chunk_head) + BOB_CHUNK_ALIGN ?
		       0 :
		       (space & ~(uint64_t)(BOB_CHUNK_ALIGN - 1)) - sizeof(struct bob_chunk_head);
}

/* Initialises the header of an unsealed chunk. `chunk` is 64-byte aligned and followed by its
 * payload. */
void bob_chunk_begin(struct bob_chunk_head *chunk, enum bob_chunk_kind kind, uint32_t stream,
		     uint64_t size, uint64_t aux);
/* The value of head_crc: CRC of the covered fields, packed in the order that format.h names. */
uint32_t bob_chunk_head_crc(const struct bob_chunk_head *chunk);
/* Seals the first `len` (<= size) bytes of the payload: sets len, crc and BOB_CHUNK_SEALED. Reads
 * `len` bytes, about 2 ns each, so not for large DATA chunks in a hot path. These may stay
 * unsealed, because blocks have their own checksums. */
void bob_chunk_seal(struct bob_chunk_head *chunk, uint64_t len);

/* For chunks that stay open and grow (META, LOG, MARKS): publishes that the first `len` bytes are
 * complete (release store). Readers of an unsealed chunk use only these. */
void bob_chunk_set_len(struct bob_chunk_head *chunk, uint64_t len);

static inline void *bob_chunk_data(struct bob_chunk_head *chunk)
{
	return chunk + 1;
}

/* --- META records --- */

/* A sequence of records in the caller's buffer (the payload of a META chunk, or scratch memory). */
struct bob_meta {
	uint8_t *buf;
	uint64_t cap;
	uint64_t len;	/* complete records */
	uint64_t open;	/* bytes of the open record, including its header; 0: none */
	int failed;	/* the open record did not fit */
};

void bob_meta_init(struct bob_meta *m, void *buf, uint64_t cap);
/* Any number of appends between begin and end. A record that does not fit is dropped as a whole:
 * bob_meta_end returns BOB_ERR_FULL and `len` is unchanged. BOB_ERR_INVAL: wrong order of calls. */
bob_status bob_meta_begin(struct bob_meta *m, enum bob_record_kind kind);
void bob_meta_append(struct bob_meta *m, const void *bytes, uint64_t len);
bob_status bob_meta_end(struct bob_meta *m);
/* Writes a record in one call. */
bob_status bob_meta_put(struct bob_meta *m, enum bob_record_kind kind, const void *bytes,
			uint64_t len);

/* --- file names --- */

/* p<host>.<pid>.<seq>.bob; bytes of `host` that are not letters, digits, '-', '.' or '_' become
 * '_'; it is truncated to 63 bytes, "" becomes "host". Zero terminated. Returns the length, 0 if
 * `cap` is too small (BOB_NAME_BYTES is always enough). */
size_t bob_name_process(char *buf, size_t cap, const char *host, uint32_t pid, uint32_t seq);
/* i<key as 16 hex digits>.bob */
size_t bob_name_image(char *buf, size_t cap, uint64_t key);
/* Is it a valid name of a trace's file? Check every name that comes from a trace before a file is
 * opened or removed: it must end in .bob, begin with a letter, and have neither a slash nor a
 * control character. */
#define BOB_FILE_NAME_MAX 255u
int bob_name_is_of_file(const char *name, size_t len);

#endif
