/* SPDX-License-Identifier: BSD-3-Clause */
/* Laying out an archive file in memory that is already mapped. Pure functions on that memory: no
 * system call, no libc but mem*, no allocation, no globals, so the agent can use them anywhere. The
 * caller makes the file, maps and allocates its windows, and keeps every stretch it passes alive
 * for the call. Threads: different chunks may be written by different threads; the file head's
 * `used` by one at a time.
 *
 * Order that keeps a file readable at every instant: write the chunk's payload as far as it must be
 * there (a STREAM head zeroed, a DATA chunk may be anything: its stream head says what counts),
 * then bob_chunk_begin, then bob_file_set_used. A reader trusts only what lies below `used`. */
#ifndef BOB_ARCHIVE_WRITE_H
#define BOB_ARCHIVE_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "archive/format.h"

#define BOB_STREAM_NONE 0xffffffffu /* `stream` of a chunk that belongs to none */
#define BOB_NAME_BYTES 128u	    /* enough for every file name made below */

/* --- file head --- */

/* Zeroes *head and sets the constant fields, `host` (cut at 63 bytes, NULL is ""), parent_seq = ~0
 * and used = 4096. The caller then fills pid, ppid, seq, the start times and the parent fields
 * ... */
void bob_file_begin(struct bob_file_head *head, enum bob_file_kind kind, const char *host);
/* ... and seals it. Must be called again if a covered field changes. */
void bob_file_seal(struct bob_file_head *head);
/* Publish that the file's complete chunks now reach up to `used` (release store). */
void bob_file_set_used(struct bob_file_head *head, uint64_t used);
/* The file is complete: `state` is a BOB_FILE_* value, `reason` a BOB_STOP_* value. */
void bob_file_end(struct bob_file_head *head, enum bob_file_state state,
		  enum bob_stop_reason reason, uint64_t end_mono_ns);
/* How the process ended: `status` as wait has it. */
void bob_file_status(struct bob_file_head *head, enum bob_end_source source, uint32_t status);
/* The status of a process that calls _exit(code). */
static inline uint32_t bob_exit_status(uint64_t code)
{
	return (uint32_t)(code & 0xff) << 8;
}
/* As wait4 has what waitid says; if that is of no end (CLD_STOPPED), no end either
 * (bob_status_is_end). */
static inline uint32_t bob_waitid_status(int32_t code, int32_t status)
{
	const uint32_t signal = (uint32_t)status & 0x7f;

	return code == 1 ? bob_exit_status((uint32_t)status) : /* CLD_EXITED */
	       code == 2 ? signal :				     /* CLD_KILLED */
	       code == 3 ? signal | 0x80 :			     /* CLD_DUMPED */
			      ~0u;
}

/* --- chunks --- */

/* Bytes that a chunk with `size` bytes of payload takes in the file, header and padding included.
 * The chunk after the one at `off` is at off + this. */
static inline uint64_t bob_chunk_bytes(uint64_t size)
{
	return (sizeof(struct bob_chunk_head) + size + BOB_CHUNK_ALIGN - 1) &
	       ~(uint64_t)(BOB_CHUNK_ALIGN - 1);
}

/* The largest payload of a chunk that fits into `space` bytes (a multiple of 64); 0 if none. */
static inline uint64_t bob_chunk_payload(uint64_t space)
{
	return space < sizeof(struct bob_chunk_head) + BOB_CHUNK_ALIGN ?
		       0 :
		       (space & ~(uint64_t)(BOB_CHUNK_ALIGN - 1)) - sizeof(struct bob_chunk_head);
}

/* Fill the header of an unsealed chunk; `chunk` is 64-byte aligned, its payload follows it. */
void bob_chunk_begin(struct bob_chunk_head *chunk, enum bob_chunk_kind kind, uint32_t stream,
		     uint64_t size, uint64_t aux);
/* What head_crc must be: the covered fields, packed in the order that format.h names. */
uint32_t bob_chunk_head_crc(const struct bob_chunk_head *chunk);
/* The first `len` (<= size) bytes of the payload are final: sets len, crc and BOB_CHUNK_SEALED.
 * Reads `len` bytes, about 2 ns each: not for large DATA chunks in a hot path (they may stay
 * unsealed for ever: blocks carry their own checksums). */
void bob_chunk_seal(struct bob_chunk_head *chunk, uint64_t len);

/* For chunks that stay open and grow (META, LOG, MARKS): the first `len` bytes are complete
 * (release store). A reader of an unsealed chunk takes that many. */
void bob_chunk_set_len(struct bob_chunk_head *chunk, uint64_t len);

static inline void *bob_chunk_data(struct bob_chunk_head *chunk)
{
	return chunk + 1;
}

/* --- META records --- */

/* A row of records in a caller's buffer (the payload of a META chunk, or scratch memory). */
struct bob_meta {
	uint8_t *buf;
	uint64_t cap;
	uint64_t len;	/* complete records */
	uint64_t open;	/* bytes of the open record so far, its head included; 0: none open */
	int failed;	/* the open record did not fit */
};

void bob_meta_init(struct bob_meta *m, void *buf, uint64_t cap);
/* Between begin and end any number of appends. A record that does not fit is dropped whole:
 * bob_meta_end then returns BOB_ERR_FULL and `len` is as before. BOB_ERR_INVAL if not in order. */
bob_status bob_meta_begin(struct bob_meta *m, enum bob_record_kind kind);
void bob_meta_append(struct bob_meta *m, const void *bytes, uint64_t len);
bob_status bob_meta_end(struct bob_meta *m);
/* A record of one piece. */
bob_status bob_meta_put(struct bob_meta *m, enum bob_record_kind kind, const void *bytes,
			uint64_t len);

/* --- file names --- */

/* p<host>.<pid>.<seq>.bob; bytes of `host` that are not letters, digits, '-', '.' or '_' become
 * '_', cut at 63, "" becomes "host". Zero terminated. Returns the length, 0 if `cap` is too small
 * (BOB_NAME_BYTES is always enough). */
size_t bob_name_process(char *buf, size_t cap, const char *host, uint32_t pid, uint32_t seq);
/* i<key as 16 hex digits>.bob */
size_t bob_name_image(char *buf, size_t cap, uint64_t key);
/* May a file of a trace have this name? Whatever a trace itself says of names of its files is asked
 * this before anybody opens or removes one: it ends in .bob, begins with a letter, and has neither
 * a slash nor a control character. */
#define BOB_FILE_NAME_MAX 255u
int bob_name_is_of_file(const char *name, size_t len);

#endif
