/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to src/archive: the reader's representation of a trace. bob_trace_open builds
 * everything, and it is constant afterwards, except `events` (counted lazily under `lock`) and what
 * bob_trace_verify adds. Bytes of files stay where they are mapped. Structs are copied before they
 * are checked, because a writer may still be running. */
#ifndef BOB_ARCHIVE_READER_H
#define BOB_ARCHIVE_READER_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "archive/archive.h"
#include "base/host/arena.h"
#include "archive/events/exact.h"
#include "archive/format.h"
#include "archive/memory/source_info.h"
#include "archive/memory/stretch.h"
#include "archive/events/times.h"
#include "base/host/vec.h"
#include "bobbin/trace.h"
#include "mem/fold.h"
#include "mem/record.h"

/* Limits for malicious input; docs/format.md, "Limits". */
#define BOB_PROBLEMS_MAX 1000u
#define BOB_IMAGES_MAX 65536u			/* per process */
#define BOB_STACK_FRAMES_MAX (1u << 24)		/* open frames over all stacks of a thread */
#define BOB_BLOCK_COUNT_MAX ((1ull << 32) + 65536) /* symbols in one block */

struct bob_chunk_ref {
	struct bob_chunk_head head;
	uint64_t off;		/* of the payload in the file */
	uint64_t avail;		/* payload bytes that the file contains */
};

struct bob_file {
	const char *name;
	const uint8_t *bytes;
	uint64_t size;
	int map;		/* 1: munmap it, 2: free it, 0: borrowed */
	uint32_t kind;
	struct bob_file_head head;
	struct bob_chunk_ref *chunks;
	size_t chunk_count, chunk_cap;
	/* indices of the chunks, sorted by stream and offset */
	uint32_t *by_stream;
	/* index of the enclosing file + 1; 0: a file of its own */
	size_t outer;
	uint32_t inner;		/* its number in the enclosing file */
	/* another file of the same name contains all of it, and later data */
	int is_head;
	int lost;		/* a problem reports that some of it is lost */
	struct bob_common *common; /* of the processes in it; NULL: not yet built */
};

/* A contiguous range of a stream's bytes in its file. */
struct bob_span {
	uint64_t at;		/* stream offset */
	uint64_t off;		/* file offset */
	uint64_t len;
};

enum bob_block_flag {
	BOB_BLOCK_CRC = 1,	/* `crc` is known and must be checked */
	BOB_BLOCK_TAIL = 2,	/* the stream's tail must be appended */
	BOB_BLOCK_HOLE = 4,	/* symbols are missing before this block */
	BOB_BLOCK_PARTIAL = 8	/* truncated: decode as far as the missing bytes do not matter */
};

struct bob_block_ref {
	uint64_t off;		/* of the coded bytes in the stream, after the block's header */
	uint64_t len;
	uint64_t pos;		/* number of symbols before it */
	uint64_t count;
	uint64_t ext;		/* number of extended symbols before it */
	uint32_t crc;
	uint32_t flags;		/* enum bob_block_flag */
};

/* A chunk of memory records. */
struct bob_raw_ref {
	uint64_t at;		/* words of the stream before it */
	uint64_t off;		/* file offset */
	uint64_t words;		/* usable words */
	int open;		/* the records end at the first word that should be a header and is
				 * not */
};

/* A run of consecutively numbered descriptors. */
struct bob_desc_run {
	uint64_t first;
	size_t count;
	const struct bob_mem_desc *desc;
};

/* A row of the table `before`: number of events of a stream that earlier parts contain. */
struct bob_before {
	uint32_t process;	/* number in the TRACE file */
	uint32_t stream, content, reserved;
	uint64_t events;
};
extern const struct bob_schema bob_before_table;

/* Objects to which memory records of a process refer; in a merged trace shared by all processes. */
struct bob_common {
	const struct bob_file *file;
	size_t number;		/* index in the trace */
	struct bob_desc_run *descs; /* sorted by `first` */
	size_t desc_run_count, desc_run_cap;
	uint64_t desc_bytes;
	struct bob_folded *merged; /* folded records of all threads; NULL: each thread has its
				    * own */
	struct bob_folded *events; /* likewise for their MPI calls */
	struct bob_time_rows times; /* durations of these */
	struct bob_exact_parts exact; /* begin and end times of these */
	struct bob_before *before; /* TRACE file: events in earlier parts, sorted by process */
	size_t before_count;
	uint64_t merged_bytes;	/* size of all merged data */
};

/* Events with values of one kind and thread (event_write.h). */
struct bob_fold_log;
struct bob_event_def;
struct bob_event_stream {
	const struct bob_folded *folded; /* NULL: none */
	uint32_t participant;	/* of that */
	struct bob_fold_log *log; /* records after the folded ones */
	size_t log_count;
	int is_flat;		/* not folded and all records are here; folded only on request */
	struct bob_event_def *defs; /* by number; `key` is NULL for unknown definitions */
	size_t def_count, def_capacity;
	uint64_t *def_values;	/* memory of the definitions */
	const struct bob_exact_part *exact; /* begin and end times, in order */
	size_t exact_count;
	struct bob_exact_parts own_exact; /* memory of `exact`, if not merged */
	int counted;		/* `events` is valid */
	uint64_t events, values; /* number of events; sum of their words */
};

struct bob_stream {
	struct bob_thread_info info;
	const struct bob_file *file;
	uint32_t number;	/* number in its file */
	/* how many earlier threads of the process had the same id: ids are reused */
	uint32_t nth;
	uint32_t rank;		/* index when the process's threads are sorted by (tid, nth) */
	uint64_t head_off;	/* of its bob_stream_head */
	uint64_t start_depth;
	const struct bob_span *spans; /* sorted by `at`, not overlapping */
	size_t span_count;
	struct bob_block_ref *blocks;
	size_t block_count, block_cap;
	uint8_t tail[16];
	size_t tail_len;
	int counted;		/* info.events is valid */
	struct bob_mark_info *marks;
	size_t mark_count, mark_cap;
	const struct bob_raw_ref *raws; /* sorted by `at`, not overlapping */
	size_t raw_count;
	const struct bob_folded *folded; /* records before the raw ones; NULL: none */
	uint32_t participant;	/* of that */
	/* Restricted to a stretch: the folded records of the stretch replace the original ones; for
	 * raw records, the state before them. */
	struct bob_folded *cut;
	const struct bob_folded *whole;
	uint32_t whole_participant;
	struct bob_stretch_state *stretch;
	int has_log;		/* the raw records are in record buffers and have to be folded */
	struct bob_event_stream mpi;
	int accesses_counted;	/* `accesses` is valid */
	uint64_t accesses;
	/* more.c, by content: number of events up to the end of this part; the part does not begin
	 * where the previous one ends and is unusable */
	uint64_t until[2];
	uint8_t is_apart[2];
};

struct bob_image {
	struct bob_image_info info;
	uint64_t key;
	/* recorded by a memory engine: all its code is covered, independent of patch plans */
	int whole;
	const struct bob_file *file; /* NULL: the image's file is missing or invalid */
	uint64_t off;		/* of the chunk's payload, for messages */
	const uint8_t *at;	/* the payload: the head and its tables */
	struct bob_image_head head;
	const struct bob_source *source; /* NULL: none */
};

/* A skipped image and its reason; a program that a child of the process became, and its pid. */
struct bob_noted_path {
	const char *path;
	uint32_t number;
};
struct bob_noted_paths {
	BOB_VEC(struct bob_noted_path);
};

/* Recorded bounds of a variable. */
struct bob_recorded_shape {
	struct bob_rec_shape rec;
	const int64_t (*bounds)[2];
};
/* All recorded bounds of a variable, combined. */
struct bob_shape_known {
	const struct bob_recorded_shape *as; /* the largest ones, which define the subscripts */
	uint64_t elements;
	uint32_t variants;
	int varies;
};

struct bob_process {
	struct bob_process_info info;
	size_t first_of_host;	/* index of the first process of its host */
	uint64_t real_less_mono; /* offset from monotonic to real time of that process at its start;
				  * modulo 2^64 */
	const struct bob_file *file;
	struct bob_stream **streams; /* by number; `streams[i]->info.number` is i */
	size_t stream_count, stream_cap;
	struct bob_image *images;
	size_t image_count, image_cap;
	uint32_t *by_id;	/* indices of images sorted by first_id, without overlapping ones */
	size_t by_id_count;
	struct bob_rec_skipped *skipped; /* sorted by id */
	size_t skipped_count, skipped_cap;
	struct bob_noted_paths skipped_images, started;
	struct bob_unrecorded *unrecorded;
	size_t unrecorded_count, unrecorded_cap;
	struct bob_mem_coverage coverage;
	struct bob_span *spans;	/* memory of the spans of all streams */
	struct bob_raw_ref *raws;
	struct bob_common *common;
	struct bob_recorded_shape *shapes; /* in file order */
	size_t shape_count, shape_cap;
	struct bob_shape_known *known; /* sorted by address, unique */
	size_t known_count;
	uint64_t world;		/* BOB_REC_WORLD */
	struct bob_rec_spawn *spawns;
	size_t spawn_count, spawn_cap;
	struct bob_rec_waited *waits; /* in file order */
	size_t wait_count, wait_cap;
	struct bob_rec_clock clock[2];
	uint32_t clocks;	/* bit i: clock[i] is valid */
	/* by image number in descriptors: the process's number; empty: they are equal */
	uint32_t *image_of;
	size_t image_of_count, image_of_cap;
	const char *log;
	const struct bob_process
		*head; /* state when MPI_Finalize merged it (docs/mpi.md); NULL: not merged */
	const struct bob_process
		*before; /* more.c: the process in the previous part of the file; NULL: none */
	/* number of events in earlier parts, by stream; 0 for streams not listed */
	const struct bob_rec_after *after;
	size_t after_count, after_cap;
	const struct bob_rec_after *given; /* while merging: events that are already in another
					    * file */
	size_t given_count;
};

/* State of limit.c. */
struct bob_limit {
	uint64_t events;	/* maximum per cursor */
	uint64_t ended;		/* number of cursors that had more */
};

/* A cursor's remaining events. */
struct bob_allowance {
	uint64_t left;
	struct bob_limit *limit;
};

struct bob_trace {
	struct bob_arena arena;
	struct bob_file *files;
	size_t file_count, file_cap;
	struct bob_process **processes;
	size_t process_count, process_cap;
	struct bob_process **heads; /* heads of processes; not among `processes` */
	size_t head_count, head_cap;
	struct bob_world_info *worlds;
	size_t world_count;
	struct bob_spawn_side *sides; /* worlds.c */
	size_t side_count;
	struct bob_spawn_info *spawns;
	size_t spawn_count;
	struct bob_common **commons;
	size_t common_count, common_cap;
	struct bob_stream **threads;
	size_t thread_count;
	struct bob_problem *problems;
	size_t problem_count, problem_cap;
	uint64_t file_bytes, meta_bytes, mark_bytes;
	uint64_t begin_ns;	/* start of the run: a monotonic time plus real_less_mono */
	int verified;
	int nameless;		/* do not load files of images */
	int joins;		/* more.c: the files are parts of one file */
	struct bob_limit *limit;	/* of events per cursor; NULL: unlimited */
	struct bob_user_functions *user; /* filled on demand */
	pthread_mutex_t lock;
};

struct bob_allowance bob_allowance_of(const struct bob_trace *t);
/* Records that a cursor had another event beyond its limit. */
void bob_allowance_end(const struct bob_allowance *a);

/* May the cursor return the event that it has? */
static inline int bob_allowance_take(struct bob_allowance *a)
{
	if (!a->left) {
		bob_allowance_end(a);
		return 0;
	}
	a->left--;
	return 1;
}

/* Errors and problems. `file` may be NULL. bob_fail returns `code`. */
bob_status bob_fail(struct bob_error *err, bob_status code, const struct bob_file *file,
		    uint64_t offset, const char *text);
void bob_problem_add(struct bob_trace *t, const struct bob_file *file, uint64_t offset,
		     const char *text, int lost);
/* The same if the loss is elsewhere: `file` itself is undamaged. */
void bob_problem_list(struct bob_trace *t, const struct bob_file *file, uint64_t offset,
		      const char *text, int lost);

/* dir.c: loads the files of a directory; with a `root`, only those of that process and its
 * descendants. */
bob_status bob_dir_load(struct bob_trace *t, const char *dir, uint32_t root, struct bob_error *err);
void bob_file_release(struct bob_file *file);

/* chunk.c: checks the head and lists the chunks. BOB_NONE: unusable, reported as a problem. */
bob_status bob_file_scan(struct bob_trace *t, struct bob_file *file);
/* Last step of bob_file_scan: builds the index by stream. Errors: BOB_ERR_NOMEM. */
bob_status bob_chunks_sort(struct bob_file *f);
/* Iteration over the chunks of a stream in file order: start with `at` = bob_chunks_first; NULL at
 * the end. */
size_t bob_chunks_first(const struct bob_file *f, uint32_t stream);
const struct bob_chunk_ref *bob_chunks_next(const struct bob_file *f, uint32_t stream, size_t *at);
/* Valid payload bytes of a chunk. */
uint64_t bob_chunk_len(const struct bob_chunk_ref *c);
/* Does the checksum of a sealed chunk match? True for unsealed ones. */
int bob_chunk_crc_ok(const struct bob_file *file, const struct bob_chunk_ref *c);

/* payload.c: a chunk's uncompressed payload; borrowed until bob_payload_close. */
struct bob_payload {
	const uint8_t *at;
	uint64_t len;
	uint8_t *owned;
};
/* BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_payload_read(const struct bob_file *f, const struct bob_chunk_ref *c,
			    struct bob_payload *p);
/* Like bob_payload_read, and reports problems. BOB_NONE: unreadable. A wrong checksum is reported,
 * and the payload is read as far as possible. Errors: BOB_ERR_NOMEM. */
bob_status bob_payload_open(struct bob_trace *t, const struct bob_file *f,
			    const struct bob_chunk_ref *c, struct bob_payload *p);
void bob_payload_close(struct bob_payload *p);

/* process.c */
bob_status bob_process_build(struct bob_trace *t, const struct bob_file *file);
void bob_process_free(struct bob_process *p);

/* relatives.c: orders the processes, links parents and heads, lists the trace's threads. Errors:
 * BOB_ERR_NOMEM. */
bob_status bob_relatives_link(struct bob_trace *t);
/* ends.c: reads the rows of a BOB_REC_WAITED record; after all are read, sets the exit status of
 * the processes that others waited for. Errors: BOB_ERR_NOMEM. */
bob_status bob_waits_read(struct bob_trace *t, struct bob_process *p, const uint8_t *bytes,
			  uint32_t len, uint64_t off);
bob_status bob_ends_build(struct bob_trace *t);

/* worlds.c: before processes are ordered: their worlds and their ranks in the trace; afterwards:
 * which world started which. Errors: BOB_ERR_NOMEM. */
bob_status bob_worlds_build(struct bob_trace *t);
bob_status bob_spawns_build(struct bob_trace *t);

/* shapes.c: reads the body of a record; combines all of them after META was read. Errors:
 * BOB_ERR_NOMEM. */
bob_status bob_shape_read(struct bob_trace *t, struct bob_process *p, const uint8_t *body,
			  uint32_t len, uint64_t off);
bob_status bob_shapes_build(struct bob_trace *t, struct bob_process *p);

/* left_out.c: sets p->info.left_out after META was read. */
bob_status bob_left_out_build(struct bob_trace *t, struct bob_process *p);

/* image.c: finds the image files of all processes and indexes their ids. */
bob_status bob_images_attach(struct bob_trace *t);
bob_status bob_image_function(const struct bob_image *im, uint32_t i, struct bob_image_func *out);
/* Index of function `number` in the image's table; if it is omitted there, an index at or after the
 * table's count. */
uint32_t bob_image_place(const struct bob_image *im, uint32_t number);

/* stream.c */
bob_status bob_streams_build(struct bob_trace *t, struct bob_process *p);
/* Copies [at, at + len) of the stream. BOB_ERR_CORRUPT: some of it is missing. */
bob_status bob_stream_copy(const struct bob_stream *s, uint64_t at, uint64_t len, void *to);
/* The same bytes in place if they are contiguous, otherwise NULL. */
const uint8_t *bob_stream_piece(const struct bob_stream *s, uint64_t at, uint64_t len);
/* Number of contiguous bytes from `at` on. */
uint64_t bob_stream_avail(const struct bob_stream *s, uint64_t at);
/* File offset of a stream offset, for messages. */
uint64_t bob_stream_where(const struct bob_stream *s, uint64_t at);

/* common.c: objects to which memory records refer. */
bob_status bob_common_build(struct bob_trace *t, struct bob_process *p);
void bob_common_free(struct bob_common *c);

/* inner.c: adds the process files inside trace files to the trace. If the process had ended, the
 * inner file replaces a file of the same name, which was being removed. Otherwise the other file
 * has more, and the inner one is a head. */
bob_status bob_inner_load(struct bob_trace *t);

/* more.c: joins the parts (MORE chunks) of a TRACE file, in memory. Parts that cannot be joined are
 * omitted and reported. Errors: BOB_ERR_NOMEM. */
bob_status bob_more_join(struct bob_trace *t, struct bob_file *f);
/* For a trace whose files are parts: processes of the same name are one, described by the newest
 * file. bob_more_choose: after inner files are loaded; bob_more_link: after processes are built.
 * Errors: BOB_ERR_NOMEM. */
bob_status bob_more_choose(struct bob_trace *t);
bob_status bob_more_link(struct bob_trace *t);
/* Adds, and looks up, the number of events of a stream in earlier parts. */
bob_status bob_after_add(struct bob_process *p, uint32_t stream, uint32_t content, uint64_t events);
uint64_t bob_after_find(const struct bob_rec_after *row, size_t count, uint32_t stream,
			uint32_t content);

/* descs.c: the memory descriptors */
bob_status bob_descs_build(struct bob_trace *t, struct bob_common *c);
/* Skips a range of unused numbers between descriptors. `at` is before `end`. */
int bob_desc_skip(const uint8_t **at, const uint8_t *end, uint64_t *count);
/* NULL: no descriptor has the number. */
const struct bob_mem_desc *bob_common_desc(const struct bob_common *c, uint64_t number);
const struct bob_mem_desc *bob_desc_find(const struct bob_process *p, uint64_t number);
/* The same as a callback: `process` is a struct bob_process. */
const struct bob_mem_desc *bob_desc_finder(void *process, uint32_t number);

/* records.c: iteration over the memory records of one stream */
struct bob_records {
	const struct bob_process *p;
	const struct bob_stream *s;
	struct bob_mem_unfold
		*unfold; /* of the folded records, which come first; NULL: not begun, or done */
	int unfolded;		/* no folded records, or all have been read */
	size_t chunk;
	uint64_t at;		/* index of the next word in the chunk */
	uint64_t index;		/* of the next record */
	uint64_t expected;	/* number of words of the stream before the next chunk */
	int lost;		/* records are missing before the next one */
	uint64_t *copy;		/* aligned copy of a chunk */
	size_t copy_of;		/* index of the copied chunk + 1 */
	int restricted;		/* skip raw records outside the stretch */
	struct bob_stretch_state stretch;
};
struct bob_mem_record {
	const struct bob_mem_desc *desc;
	uint32_t number;	/* of the descriptor */
	const uint64_t *word;	/* borrowed until the next call */
	size_t count;
	uint64_t index;
	int lost;		/* records are missing before this one */
};
/* restrict.c: removes the restriction. */
void bob_stretch_free(struct bob_stream *s);
bob_status bob_raws_build(struct bob_trace *t, struct bob_process *p);
/* Id of stream `i` of the process as a participant of FOLD_MERGED: its kernel thread id << 32, plus
 * the number of earlier streams with the same id (0 unless ids are reused). So threads are in the
 * order of creation, like their work; an engine may number streams in the order in which threads
 * run. In a merged trace: the process's number << 32, plus the number of its streams before it in
 * that order. */
uint64_t bob_merged_id(const struct bob_process *p, size_t i);
/* The id if the process has this number in a merged trace. */
uint64_t bob_trace_id(const struct bob_process *p, size_t i, uint32_t number);
/* Looks up the participant of an id. Returns 0 if there is none. */
int bob_participant_find(const struct bob_folded *merged, uint64_t id, uint32_t *participant);
/* Does the stream have records that are not folded? */
int bob_stream_has_raw(const struct bob_stream *s);
void bob_records_open(struct bob_records *r, const struct bob_process *p,
		      const struct bob_stream *s);
/* Skips the folded records. Only before the first record. */
void bob_records_skip_folded(struct bob_records *r);
/* Returns the next record. BOB_END; BOB_ERR_CORRUPT: the rest of a chunk is lost, the next call
 * continues with the next chunk; BOB_ERR_NOMEM. */
bob_status bob_records_next(struct bob_records *r, struct bob_mem_record *out,
			    struct bob_error *err);
/* File offset of the next record, for messages. */
uint64_t bob_records_where(const struct bob_records *r);
void bob_records_close(struct bob_records *r);
/* syncs.c: the meaning of a mark of an event (kind 0: another mark), or of synchronisation. */
struct bob_value_place bob_value_place_of(const struct bob_mem_desc *d, const uint64_t *word);
struct bob_sync_event bob_sync_event_of(const struct bob_mem_desc *d, const uint64_t *word);
/* The process's number of a descriptor's image; BOB_IMAGES_MAX: unknown. */
uint32_t bob_desc_image(const struct bob_process *p, const struct bob_mem_desc *d);
/* Load bias of that image. */
uint64_t bob_desc_bias(const struct bob_process *p, const struct bob_mem_desc *d);

/* events.c: events with values */
bob_status bob_events_build(struct bob_trace *t, struct bob_process *p);
/* Skips the folded events. Only before the first event. */
void bob_value_cursor_only_log(struct bob_value_cursor *c);
/* Definition of the last event; key and places are in the event. */
const struct bob_event_def *bob_value_cursor_def(const struct bob_value_cursor *c);
void bob_event_stream_free(const struct bob_process *p, struct bob_event_stream *s);

/* salvage.c: lists the blocks of a stream whose chain is broken. `end_pos`: total number of
 * symbols; `slot` may be NULL. */
bob_status bob_stream_salvage(struct bob_trace *t, struct bob_stream *s, uint64_t end_pos,
			      const struct bob_run_slot *slot);
/* Reads the block header at stream offset `at`. Returns 0 if it is invalid. */
int bob_block_read(const struct bob_stream *s, uint64_t at, struct bob_run_block *out);

/* marks.c */
bob_status bob_marks_attach(struct bob_trace *t);

/* symbols.c: iteration over the symbols of one stream, block by block */
struct bob_symbol_reader {
	const struct bob_stream *s;
	size_t block;		/* the open block, or the next one */
	size_t from;		/* block of the last symbols read */
	int open;
	int hole;		/* symbols are missing before the next ones */
	struct bob_run_dec *dec;
	struct bob_run_dec *other; /* PARTIAL: decodes the same bytes with another continuation */
	struct bob_run_io io;
	uint8_t *copy;
	uint8_t *other_copy;	/* both continuations of an open PARTIAL block */
	int parted;		/* the continuations no longer agree */
	size_t copy_cap;
	uint64_t pos;		/* of the next symbol */
};
bob_status bob_symbols_open(struct bob_symbol_reader *r, const struct bob_stream *s);
/* BOB_OK with *n > 0; *hole: symbols are missing before syms[0], whose position is *pos. BOB_END.
 * BOB_ERR_CORRUPT: the rest of a block is lost; the next call continues after it. */
bob_status bob_symbols_read(struct bob_symbol_reader *r, uint32_t *syms, size_t cap, size_t *n,
			    uint64_t *pos, int *hole, struct bob_error *err);
/* Seeks to the start of block `block`. */
void bob_symbols_goto(struct bob_symbol_reader *r, size_t block);
void bob_symbols_close(struct bob_symbol_reader *r);

/* Inconsistencies that a cursor found, for bob_trace_verify. */
struct bob_cursor_faults {
	uint64_t clamped;	/* exits without a frame */
	uint64_t unknown;	/* extended symbols of unknown kind, ids beyond 32 bits */
};
void bob_cursor_faults(const struct bob_cursor *c, struct bob_cursor_faults *out);

#endif
