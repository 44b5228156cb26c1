/* SPDX-License-Identifier: BSD-3-Clause */
/* The container on disk: every byte that the agent writes and a reader reads. docs/format.md
 * describes the same in words. Integers are little endian, offsets are from the start of the file,
 * times in ns. A trace is a directory:
 *     run.key                 identifies the run (one line of text)
 *     p<host>.<pid>.<n>.bob   one per process image (n counts exec and pid reuse): BOB_FILE_PROCESS
 *     i<key>.bob              one per image: its functions and names: BOB_FILE_IMAGE
 *     marks.<host>.<pid>.bob  written by a launcher, <pid> its own: BOB_FILE_MARKS
 *     trace.bob               merged processes, instead of their files: BOB_FILE_TRACE
 * Each file is a struct bob_file_head followed by consecutive chunks up to `used`. */
#ifndef BOB_ARCHIVE_FORMAT_H
#define BOB_ARCHIVE_FORMAT_H

#include "bobbin/status.h"
#include "run/run.h"

#define BOB_FORMAT_MAGIC 0x0a4e4942424f42ffull /* bytes ff 'B' 'O' 'B' 'B' 'I' 'N' 0a */
#define BOB_FORMAT_VERSION 1u
#define BOB_FILE_HEAD_BYTES 4096u	/* head of a file that grows */
#define BOB_FILE_HEAD_SHORT 256u	/* head of a file that is written once */
#define BOB_CHUNK_ALIGN 64u

enum bob_file_kind {
	BOB_FILE_PROCESS = 1,
	BOB_FILE_IMAGE = 2,
	BOB_FILE_MARKS = 3,
	BOB_FILE_TRACE = 4	/* merged processes */
};

/* How recording into a process file ended; grows only. */
enum bob_file_state {
	BOB_FILE_OPEN = 0,	/* still being written, or killed */
	BOB_FILE_CLOSED = 1,	/* the process ended normally and recorded its end */
	BOB_FILE_EXEC = 2,	/* the process replaced itself (exec) */
	BOB_FILE_STOPPED = 3	/* recording stopped before the process ended; see `stop_reason` */
};

/* Source of the exit status; grows only. */
enum bob_end_source {
	BOB_END_UNKNOWN = 0,
	BOB_END_SELF = 1,	/* the process itself, when it called _exit */
	BOB_END_PARENT = 2	/* its parent: the status that wait returned */
};

enum bob_stop_reason {
	BOB_STOP_NONE = 0,
	BOB_STOP_DISK = 1,	/* no space, or a file system error */
	BOB_STOP_MEMORY = 2,
	BOB_STOP_SECCOMP = 3,	/* the program installed a seccomp filter; the preallocated part of
				 * the file is full */
	BOB_STOP_PATH = 4,	/* the trace directory became unreachable */
	BOB_STOP_INTERNAL = 5,	/* an invariant was violated; see the LOG chunk */
	BOB_STOP_SHARED = 6	/* two tasks share one thread's storage while memory accesses are
				 * recorded */
};

/* At the beginning of every file, followed by zeros up to `head_bytes`. Fields after `crc` change
 * while the file is open, so the checksum does not cover them. */
struct bob_file_head {
	uint64_t magic;
	uint32_t version;
	uint32_t kind;		/* enum bob_file_kind */
	uint32_t head_bytes;	/* offset of the first chunk, see bob_head_bytes_ok */
	uint32_t pid;		/* in the process's pid namespace; 0 if not a process file */
	uint32_t ppid;
	uint32_t seq;		/* <n> of the file name */
	uint64_t start_real_ns;	/* CLOCK_REALTIME when the file was created */
	uint64_t start_mono_ns;	/* CLOCK_MONOTONIC at the same moment */
	char host[64];		/* zero terminated */
	/* after fork: position in the parent's file; parent_seq == ~0: unknown */
	uint64_t parent_pos;	/* symbols in the parent's stream at the fork */
	uint32_t parent_pid;
	uint32_t parent_seq;
	uint32_t parent_stream;
	uint32_t crc;		/* CRC-32C of all bytes before this field */
	/* not covered by crc */
	uint64_t used;		/* end of the last complete chunk */
	uint32_t state;		/* enum bob_file_state */
	uint32_t stop_reason;	/* enum bob_stop_reason */
	uint64_t end_mono_ns;	/* 0 while open */
	uint32_t end_status;	/* of the process, as wait returns it: exit status, signal, core
				 * dump */
	uint32_t end_source;	/* enum bob_end_source */
	uint64_t debugged_mono_ns; /* when a debugger attached and entry patches were removed; 0:
				    * never */
	/* shared by a process and the keeper, which allocates for it; ignored by readers */
	uint64_t wanted;	/* set by the process: allocate the file up to here; 0: no
				 * request */
	/* the process can no longer request: always keep so many bytes after `used` allocated */
	uint64_t ahead;
	uint64_t allocated;	/* set by the keeper: allocated up to here */
	uint32_t refused;	/* set by the keeper: errno of a failed allocation; 0: none */
	uint32_t reserved;
};
BOB_STATIC_ASSERT(sizeof(struct bob_file_head) == 208, "file head");

static inline int bob_head_bytes_ok(uint32_t head_bytes)
{
	return head_bytes >= BOB_FILE_HEAD_SHORT && head_bytes <= BOB_FILE_HEAD_BYTES &&
	       head_bytes % BOB_FILE_HEAD_SHORT == 0;
}

enum bob_chunk_kind {
	BOB_CHUNK_META = 1,	/* records, struct bob_record */
	BOB_CHUNK_STREAM = 2,	/* one struct bob_stream_head: a thread's CALLS stream */
	BOB_CHUNK_DATA = 3,	/* coded bytes of a stream; `aux` = stream offset of the first */
	BOB_CHUNK_IMAGE = 4,	/* one struct bob_image_head and the tables that it points to */
	BOB_CHUNK_MARKS = 5,	/* struct bob_mark, of the stream in `stream` */
	BOB_CHUNK_LOG = 6,	/* lines of UTF-8 text, each with a trailing newline */
	BOB_CHUNK_PAD = 7,	/* unused space */
	/* memory accesses, src/mem/record.h; 16 and up: folded */
	BOB_CHUNK_MEM_DESC = 8,	/* descriptors; `aux` = number of the first. Open: grows by `len` */
	BOB_CHUNK_RAW = 9,	/* records of the thread `stream`; `aux` = words of it before. Open:
				 * zeros follow the last complete record, whose header is written
				 * last */
	/* a folded stream, archive/write/fold_write.h; its chunks are never sealed */
	/* IMAGE files: lines and variables of the image (archive/memory/source_info.h) */
	BOB_CHUNK_SOURCE = 10,
	/* definitions of events (event_write.h); `aux` = number of the first. Open: grows by
	 * `len` */
	BOB_CHUNK_EVENT_DEFS = 11,
	BOB_CHUNK_TIMES = 12,	/* how long events took (time_write.h) */
	/* when each event began and ended (exact_write.h); `aux` = number of previous values */
	BOB_CHUNK_EXACT = 13,
	/* of merged threads: the compressible part of the EXACT chunk with the same `aux` */
	BOB_CHUNK_EXACT_HEADS = 14,
	BOB_CHUNK_FOLD = 16,	/* one struct bob_fold_head */
	/* entries (fold/entries.h); `aux` = bytes of the stream's data before */
	BOB_CHUNK_FOLD_DATA = 17,
	BOB_CHUNK_FOLD_REST = 18, /* struct bob_fold_rest and entries that complete the data */
	/* u64 position, then 64-bit values from there on, followed by zeros */
	BOB_CHUNK_FOLD_LOG = 19,
	/* folded streams of several threads, packed (fold/pack.c) */
	BOB_CHUNK_FOLD_MERGED = 20,
	BOB_CHUNK_SHIFTS = 21,	/* the separate profiles of FOLD_MERGED, mostly base addresses */
	BOB_CHUNK_INNER = 22, /* process files as leaves, packed like FOLD_MERGED:
			       * archive/merge/inner.h */
	/* TRACE file: what its processes recorded after the preceding part of the file */
	BOB_CHUNK_MORE = 23,
	BOB_CHUNK_SETS = 30,	/* values that hooks supplied at events (value_sets.h) */
	/* shared by a process and its collector (archive/write/ring.h); ignored by readers */
	BOB_CHUNK_COLLECTOR = 31,
	BOB_CHUNK_RING = 32,
	/* tables (archive/columns); the first one has the number `kind - BOB_CHUNK_TABLES` */
	BOB_CHUNK_TABLES = 64,
	BOB_CHUNK_TABLE_TIMES = 68, /* replaces TIMES of no stream */
	BOB_CHUNK_TABLE_BEFORE = 70, /* replaces AFTER records */
	BOB_CHUNK_TABLE_MOMENTS = 71, /* replaces EXACT of no stream */
	BOB_CHUNK_TABLE_HEADS = 72, /* replaces EXACT_HEADS */
	BOB_CHUNK_TABLE_SHIFTS = 73, /* replaces SHIFTS */
	BOB_CHUNK_TABLE_SETS = 74, /* replaces SETS (sets_table.h) */
	/* IMAGE files: inlined calls of the rows of SOURCE (archive/memory/source_info.h) */
	BOB_CHUNK_TABLE_INLINED = 77
};

#define BOB_CHUNK_MAGIC 0x4b4e4843u /* "CHNK" */
#define BOB_CHUNK_SEALED 1u	/* complete: `crc` covers the payload */
#define BOB_CHUNK_ZSTD 2u	/* the payload is one zstd frame with the size of its content */

/* Precedes every chunk, 64-byte aligned. The next header is at offset + 64 + size, rounded up to a
 * multiple of 64. */
struct bob_chunk_head {
	uint32_t magic;
	uint16_t kind;		/* enum bob_chunk_kind */
	uint16_t flags;
	uint32_t stream;	/* stream number in this file, ~0: none */
	uint32_t crc;		/* CRC-32C of the payload if sealed, else 0 */
	uint64_t size;		/* bytes of payload, including unused ones */
	uint64_t aux;
	uint64_t len;		/* valid bytes of payload (0 in open DATA: see the stream head) */
	/* CRC-32C of magic, kind, stream, size and aux, packed in that order */
	uint32_t head_crc;
	uint32_t reserved[5];
};
BOB_STATIC_ASSERT(sizeof(struct bob_chunk_head) == 64, "chunk head");

/* Self-check and drop counters of one stream, written by its thread only. */
struct bob_stream_counters {
	uint64_t top_mismatch;	/* top of shadow stack was not the caller's frame */
	uint64_t orphans;	/* callers without a plan */
	uint64_t sp_rule;	/* frames guessed from the stack pointer */
	uint64_t slow_entries;	/* entries taken by the C path */
	uint64_t site_misses;	/* call sites not in the process's table */
	uint64_t queued;	/* events that arrived while another was being recorded */
	uint64_t lost;		/* events not recorded */
	uint64_t switches;	/* stack switches */
	uint64_t restarts;	/* model restarts after an abandoned event */
	uint64_t outside;	/* memory accesses not recorded because of their addresses */
	uint64_t beside;	/* entries of another task on this thread's storage, not recorded */
	uint64_t reserved[5];
};

/* How a thread's stream ended. */
enum bob_thread_state {
	BOB_THREAD_LIVE = 0,	/* running, or killed: the end of its open calls is unknown */
	BOB_THREAD_ENDED = 1,	/* the thread ended, and with it all its frames */
	BOB_THREAD_AT_EXIT = 2	/* alive when the process ended; its open stack is valid */
};

/* Payload of a STREAM chunk, 512 bytes, in its own cache lines. */
struct bob_stream_head {
	struct bob_run_head run;
	uint32_t tid;
	uint32_t state;		/* enum bob_thread_state */
	uint64_t start_mono_ns;
	uint64_t end_mono_ns;	/* 0 while live */
	uint64_t start_depth;	/* frames inherited over fork, which belong to the parent */
	char name[16];		/* thread name when the stream was opened */
	uint8_t pad0[16];
	struct bob_stream_counters count;
	uint8_t pad1[128];
};
BOB_STATIC_ASSERT(sizeof(struct bob_stream_head) == 512, "stream head");

/* The payload of a META chunk is a sequence of these, each padded to 8 bytes. Strings in a record
 * are not zero terminated; they end with the record. */
enum bob_record_kind {
	BOB_REC_COMMAND = 1,	/* argv, each argument followed by a zero byte */
	BOB_REC_EXE = 2,	/* path of the executable */
	BOB_REC_CWD = 3,
	BOB_REC_ENV = 4,	/* selected variables, NAME=value, each followed by a zero byte */
	/* settings: BOBBIN_X=value, each followed by a zero byte */
	BOB_REC_CONFIG = 5,
	BOB_REC_IMAGE = 6,	/* struct bob_rec_image, then the path */
	BOB_REC_UNLOAD = 7,	/* u32 image number, u32 0: dlclose */
	BOB_REC_SKIPPED = 8,	/* struct bob_rec_skipped[]: functions not patched, with reasons
				 * found at run time */
	BOB_REC_IMAGE_SKIPPED = 9, /* u32 reason (enum bob_skip), u32 0, path of the image */
	BOB_REC_RANK = 10,	/* u32 MPI rank, u32 world size */
	BOB_REC_THREAD = 11,	/* reserved */
	/* SONAME patterns that --images=app excluded, separated by colons */
	BOB_REC_RUNTIME_LIST = 12,
	BOB_REC_MEM_IMAGE =
		13, /* struct bob_rec_mem_image, then bob_rec_mem_skipped[]: engine native; later
		     * ones of an image add to the first */
	/* u32 per image of the process: its number in the trace's descriptors */
	BOB_REC_IMAGE_MAP = 14,
	/* lossy folding: NAME=value, each followed by a zero byte; the last record wins */
	BOB_REC_LOSS = 15,
	BOB_REC_CLOCK = 16,	/* struct bob_rec_clock; one per `when` */
	/* what was recorded up to MPI_Finalize is also in a trace file that several ranks share */
	BOB_REC_IN_HEAD = 17,
	/* struct bob_rec_shape, then i64 lower bound and i64 extent per dimension */
	BOB_REC_SHAPE = 18,
	/* struct bob_rec_after[]: in a TRACE file, events of the process in earlier parts */
	BOB_REC_AFTER = 19,
	/* u32 pid of a child, u32 0, path of the program it executed: vfork, posix_spawn */
	BOB_REC_STARTED = 20,
	/* u64: processes with equal numbers are in the same MPI_COMM_WORLD; default: 0 */
	BOB_REC_WORLD = 21,
	BOB_REC_SPAWN = 22,	/* struct bob_rec_spawn */
	BOB_REC_WAITED = 23	/* struct bob_rec_waited[]: how children ended */
};

struct bob_record {
	uint32_t kind;
	uint32_t len;		/* bytes of the body, without padding */
};

/* Result of a wait of the process for a child that ended. */
struct bob_rec_waited {
	uint64_t mono_ns;	/* when the wait had returned */
	uint32_t pid;
	uint32_t status;	/* as of wait4 */
};
BOB_STATIC_ASSERT(sizeof(struct bob_rec_waited) == 16, "waited");

/* Is it the status of a process that exited or was killed, and not of one that stopped or
 * continued? */
static inline int bob_status_is_end(uint32_t status)
{
	const uint32_t signal = status & 0x7f;

	return signal ? signal != 0x7f && status <= 0xff : status <= 0xffff && !(status & 0x80);
}

/* Number of events of a stream in earlier parts; default: 0. */
struct bob_rec_after {
	uint32_t stream;	/* number in the process's file */
	uint32_t content;	/* enum bob_content */
	uint64_t events;
};
BOB_STATIC_ASSERT(sizeof(struct bob_rec_after) == 16, "AFTER record");

struct bob_rec_image {
	uint32_t image;		/* number in this process, from 0 */
	uint32_t first_id;	/* function i of the image has id first_id + i */
	uint32_t count;		/* number of functions */
	uint32_t patched;	/* number of patched entries */
	uint64_t bias;		/* load address minus link address */
	uint64_t key;		/* file i<key as 16 hex digits>.bob */
	uint8_t build_id[20];
	uint8_t build_id_len;
	uint8_t chosen;		/* 1: selected by --images */
	uint8_t pad[2];
};
BOB_STATIC_ASSERT(sizeof(struct bob_rec_image) == 56, "image record");

/* A measurement of the process's clock against that of MPI's rank 0. */
struct bob_rec_clock {
	uint64_t at_ns;		/* time of the measurement, own clock */
	int64_t offset_ns;	/* to be added to get rank 0's time */
	uint64_t uncertainty_ns; /* maximal error of the offset */
	uint32_t when;		/* 0: in MPI_Init; 1: in MPI_Finalize */
	uint32_t same;		/* 1: both are the same clock, so nothing was measured */
};
BOB_STATIC_ASSERT(sizeof(struct bob_rec_clock) == 32, "clock record");

/* Members of a new communicator are ranks in the process's MPI_COMM_WORLD. BOB_MPI_OTHER and the
 * slot of a bob_rec_spawn: a rank on the other side of that spawn. All bits set: unknown. */
#define BOB_MPI_OTHER 0x80000000u
#define BOB_MPI_OTHER_SHIFT 24u
#define BOB_MPI_OTHER_SLOTS 127u

/* One side of the result of MPI_Comm_spawn: the communicator that connects the calling processes
 * and those that they started. The records of both sides have the same token. */
struct bob_rec_spawn {
	uint64_t token;
	/* slot by which this process names ranks of the other side: BOB_MPI_OTHER */
	uint32_t slot;
	uint32_t others;	/* number of processes on the other side */
	uint32_t me;		/* rank of this process on its own side */
	uint32_t started;	/* 1: this process was started; 0: it started the others */
};
BOB_STATIC_ASSERT(sizeof(struct bob_rec_spawn) == 24, "spawn record");

/* Code whose memory accesses are recorded, and code of the same image whose accesses are not. */
struct bob_rec_mem_image {
	uint32_t image;
	uint32_t functions;	/* including other pieces of code; 0: as in an earlier record */
	uint64_t bytes;		/* of these; 0: likewise */
};
BOB_STATIC_ASSERT(sizeof(struct bob_rec_mem_image) == 16, "memory image record");

struct bob_rec_mem_skipped {
	uint64_t addr;		/* link address */
	uint64_t bytes;
	uint32_t reason;	/* enum bob_mem_decline (plan/mem/format.h) */
	uint32_t reserved;
};
BOB_STATIC_ASSERT(sizeof(struct bob_rec_mem_skipped) == 24, "code that is not translated");

#define BOB_SHAPE_RANK_MAX 15u
#define BOB_SHAPE_ROWS_FIRST 1u /* flag: the fastest dimension is written last, as in C */

/* Subscripts of a variable's elements. The fastest dimension comes first. */
struct bob_rec_shape {
	uint64_t address;	/* of the first element in the process */
	uint32_t element;	/* size in bytes */
	uint32_t rank;		/* dimensions; 0: a scalar */
	uint32_t flags;		/* BOB_SHAPE_* */
	uint32_t reserved;
};
BOB_STATIC_ASSERT(sizeof(struct bob_rec_shape) == 24, "shape record");

/* Reason why a function (or an image) is not traced. Grows only. */
enum bob_skip {
	BOB_SKIP_NONE = 0,	/* patched */
	BOB_SKIP_SHORT = 1,	/* too short for a jump, and no padding or hole in reach */
	BOB_SKIP_BRANCH = 2,	/* a branch leads into the bytes to be replaced */
	BOB_SKIP_DECODE = 3,	/* an unknown instruction */
	BOB_SKIP_RELOCATE = 4,	/* an instruction that cannot be relocated */
	BOB_SKIP_NO_FRAME_INFO = 5, /* no call frame information */
	BOB_SKIP_FILTER = 6,	/* excluded by the user's filters */
	BOB_SKIP_BYTES = 7,	/* memory differs from the file */
	BOB_SKIP_PROTECT = 8,	/* the system refused to make the code writable */
	BOB_SKIP_REACH = 9,	/* no memory within reach of a 32-bit jump */
	BOB_SKIP_NO_PLAN = 10,	/* no plan could be made or found (image) */
	BOB_SKIP_IMAGES = 11,	/* excluded by --images (image) */
	BOB_SKIP_SPECIAL = 12,	/* must not be patched: signal return, the agent itself */
	BOB_SKIP_LIMIT = 13,	/* too many functions */
	BOB_SKIP_UNWIND = 14,	/* its exception table is invalid or of an unknown form */
	BOB_SKIP_SITE = 15,	/* a run time owns its first bytes: rseq, USDT, XRay, patchable */
	BOB_SKIP_GO = 16,	/* code of the Go compiler, whose run time reads return addresses */
	BOB_SKIP_SANITIZER = 17, /* run time of a sanitizer */
	BOB_SKIP_BREAKPOINT = 18, /* a debugger has set a breakpoint there */
	BOB_SKIP_DEBUGGER = 19, /* a debugger could set a breakpoint inside the jump */
	/* the same for a debugger that attached later: recorded until then */
	BOB_SKIP_ATTACHED = 20,
	BOB_SKIP_OTHER_MPI = 21	/* an MPI library other than the one of --mpi */
};

struct bob_rec_skipped {
	uint32_t id;		/* function id in this process */
	uint32_t reason;	/* enum bob_skip */
};

/* Payload of an IMAGE chunk. Offsets inside it are from the start of the payload. */
struct bob_image_head {
	uint64_t key;
	uint32_t count;		/* functions, sorted by address */
	uint32_t func_off;	/* struct bob_image_func[count] */
	uint32_t names_off;	/* zero-terminated UTF-8 (mangled) names */
	uint32_t names_len;
	uint32_t left_out;	/* functions of the image that are omitted here */
	uint32_t reserved;
	uint8_t build_id[20];
	uint8_t build_id_len;
	uint8_t pad[3];
	char soname[64];
};
BOB_STATIC_ASSERT(sizeof(struct bob_image_head) == 120, "image head");

#define BOB_FUNC_EXPORTED 1u	/* in .dynsym: part of the image's API */
#define BOB_FUNC_COLD 2u	/* reserved */
/* its own code branches back to its entry, so an entry may be an iteration */
#define BOB_FUNC_LOOP_HEAD 4u
struct bob_image_func {
	uint64_t addr;		/* link address */
	uint32_t size;
	uint32_t name;		/* offset into names; ~0: no name, print image+0xaddr */
	uint16_t skip;		/* enum bob_skip of the plan */
	uint16_t flags;
	uint32_t file;		/* offset of the source file's name, ~0: unknown */
	uint32_t line;		/* of the declaration, 0: unknown */
	uint32_t before;	/* number of omitted functions before it */
};
BOB_STATIC_ASSERT(sizeof(struct bob_image_func) == 32, "image function");

/* Contents of a folded stream: in the upper 4 bits of `stream` in the heads of its chunks (FOLD,
 * FOLD_DATA, FOLD_REST, FOLD_LOG), of which the other bits are the thread's number; and in `aux` of
 * FOLD_MERGED. */
enum bob_content {
	BOB_CONTENT_MEM = 0,	/* memory records */
	BOB_CONTENT_MPI = 1,	/* events: MPI calls */
	BOB_CONTENTS
};
#define BOB_CONTENT_SHIFT 28

/* Payload of a FOLD chunk. */
struct bob_fold_head {
	uint64_t commit;	/* bit 0: index of the valid rest; 0: nothing committed; increased
				 * by 2 */
	uint64_t rest_off[2];	/* of the FOLD_REST chunks' headers in the file */
	uint64_t reserved[5];
};
BOB_STATIC_ASSERT(sizeof(struct bob_fold_head) == 64, "fold head");

#define BOB_FOLD_ENDED 1u /* the stream has ended: no rest and no log */

/* At the beginning of a FOLD_REST chunk, followed by `rest_bytes` of entries. */
struct bob_fold_rest {
	uint64_t data_bytes;	/* bytes of FOLD_DATA that the rest completes */
	uint64_t rest_bytes;
	uint64_t log_begin;	/* position of the first value of the log that is not in the rest */
	uint32_t flags;		/* BOB_FOLD_* */
	uint32_t crc;		/* CRC-32C of this struct with crc 0, the entries and the state */
	/* after the entries: what is needed to fold the log */
	uint64_t state_bytes;
};
BOB_STATIC_ASSERT(sizeof(struct bob_fold_rest) == 40, "fold rest");

/* Payload of a MARKS chunk. `stream` of the chunk head is unused; `aux` identifies the process (pid
 * << 32 | seq). */
struct bob_mark {
	uint32_t stream;
	uint32_t pad;
	uint64_t pos;		/* symbols committed */
	uint64_t mono_ns;
};

#endif
