/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to src/archive: the reader's view of a trace. Everything is built by bob_trace_open and
 * constant from then on, except `events` (lazily counted under `lock`) and what bob_trace_verify
 * adds. Bytes of files stay where they are mapped; structs are copied before they are checked,
 * because a writer may still be running. */
#ifndef BOB_ARCHIVE_READER_H
#define BOB_ARCHIVE_READER_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "archive/archive.h"
#include "base/host/arena.h"
#include "archive/events/exact.h"
#include "archive/format.h"
#include "archive/memory/source.h"
#include "archive/memory/stretch.h"
#include "archive/events/times.h"
#include "base/host/vec.h"
#include "bobbin/trace.h"
#include "mem/fold.h"
#include "mem/record.h"

/* Limits against hostile input; docs/format.md, "Limits". */
#define BOB_PROBLEMS_MAX 1000u
#define BOB_IMAGES_MAX 65536u			/* in one process */
#define BOB_STACK_FRAMES_MAX (1u << 24)		/* open frames over all stacks of a thread */
#define BOB_BLOCK_COUNT_MAX ((1ull << 32) + 65536) /* symbols in one block */

struct bob_chunk_ref {
	struct bob_chunk_head head;
	uint64_t off;		/* of the payload in the file */
	uint64_t avail;		/* payload bytes that the file really has */
};

struct bob_file {
	const char *name;
	const uint8_t *bytes;
	uint64_t size;
	int map;		/* 1: to be unmapped, 2: to be freed, 0: borrowed */
	uint32_t kind;
	struct bob_file_head head;
	struct bob_chunk_ref *chunks;
	size_t chunk_count, chunk_cap;
	/* their numbers by stream, those of one stream as they are in the file */
	uint32_t *by_stream;
	/* number of the file that this one lies in, + 1; 0: it is one of its own */
	size_t outer;
	uint32_t inner;		/* its number there */
	/* another file, of the same name, has all of it and what came later */
	int is_head;
	int lost;		/* a problem says that something of it is */
	struct bob_common *common; /* of the processes in it; NULL: none yet */
};

/* A stretch of a stream's bytes inside its file. */
struct bob_span {
	uint64_t at;		/* stream offset */
	uint64_t off;		/* file offset */
	uint64_t len;
};

enum bob_block_flag {
	BOB_BLOCK_CRC = 1,	/* `crc` is known and to be checked */
	BOB_BLOCK_TAIL = 2,	/* the stream's tail must be appended */
	BOB_BLOCK_HOLE = 4,	/* symbols are missing before this block */
	BOB_BLOCK_PARTIAL = 8	/* cut off: decode as far as the bytes decide */
};

struct bob_block_ref {
	uint64_t off;		/* of the coded bytes in the stream (after the header) */
	uint64_t len;
	uint64_t pos;		/* symbols before it */
	uint64_t count;
	uint64_t ext;		/* extended symbols before it */
	uint32_t crc;
	uint32_t flags;		/* enum bob_block_flag */
};

/* A chunk of memory records. */
struct bob_raw_ref {
	uint64_t at;		/* words of the stream before it */
	uint64_t off;		/* file offset */
	uint64_t words;		/* that may be used */
	int open;		/* they end at the first that is no header where one must be */
};

/* Descriptors numbered from `first` on. */
struct bob_desc_run {
	uint64_t first;
	size_t count;
	const struct bob_mem_desc *desc;
};

/* A row of the table `before`: so many events of a stream are not in the file. */
struct bob_before {
	uint32_t process;	/* its number in the TRACE file */
	uint32_t stream, content, reserved;
	uint64_t events;
};
extern const struct bob_schema bob_before_table;

/* What the memory records of a process speak of; in a merged trace one for all processes. */
struct bob_common {
	const struct bob_file *file;
	size_t number;		/* among the trace's */
	struct bob_desc_run *descs; /* sorted by `first` */
	size_t desc_run_count, desc_run_cap;
	uint64_t desc_bytes;
	struct bob_folded *merged; /* all threads' folded records; else each has its own */
	struct bob_folded *events; /* likewise: their MPI calls */
	struct bob_time_rows times; /* how long these took */
	struct bob_exact_parts exact; /* when each of them began and ended */
	struct bob_before *before; /* a TRACE file: by process, what earlier parts have of it */
	size_t before_count;
	uint64_t merged_bytes;	/* of all that is merged */
};

/* Events with values of one kind, of one thread (event_write.h). */
struct bob_fold_log;
struct bob_event_def;
struct bob_event_stream {
	const struct bob_folded *folded; /* NULL: nothing */
	uint32_t participant;	/* of that */
	struct bob_fold_log *log; /* what follows it */
	size_t log_count;
	int is_flat;		/* it is all there is, and not to be folded unless asked for */
	struct bob_event_def *defs; /* by number; of those that are not known `key` is NULL */
	size_t def_count, def_capacity;
	uint64_t *def_values;	/* what they point into */
	const struct bob_exact_part *exact; /* when they began and ended, in order */
	size_t exact_count;
	struct bob_exact_parts own_exact; /* what that points into, where it is not merged */
	int counted;		/* `events` is valid */
	uint64_t events, values; /* how many; words of all of them together */
};

struct bob_stream {
	struct bob_thread_info info;
	const struct bob_file *file;
	uint32_t number;	/* in its file */
	/* thread of this id in the process, in the order of their files: ids are used again */
	uint32_t nth;
	uint32_t rank;		/* among all of the process by (tid, nth) */
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
	const struct bob_folded *folded; /* what comes before these; NULL: nothing */
	uint32_t participant;	/* of that */
	/* Restricted to a stretch: what is folded of that, in the place of what there was; of the
	 * raw ones what is known before them */
	struct bob_folded *cut;
	const struct bob_folded *whole;
	uint32_t whole_participant;
	struct bob_stretch_state *stretch;
	int has_log;		/* what is raw is in record buffers: it is to be folded */
	struct bob_event_stream mpi;
	int accesses_counted;	/* `accesses` is valid */
	uint64_t accesses;
	/* more.c, by content: events of it and of what comes before it in the file; it does not
	 * begin where that ends, and is of no use */
	uint64_t until[2];
	uint8_t is_apart[2];
};

struct bob_image {
	struct bob_image_info info;
	uint64_t key;
	/* recorded by a memory engine: all its code, whatever a patch plan says */
	int whole;
	const struct bob_file *file; /* NULL: the image's file is missing or useless */
	uint64_t off;		/* of the chunk's payload, for messages */
	const uint8_t *at;	/* the payload: the head and what its offsets lead to */
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

/* Bounds that a variable had. */
struct bob_recorded_shape {
	struct bob_rec_shape rec;
	const int64_t (*bounds)[2];
};
/* All that it had, as one. */
struct bob_shape_known {
	const struct bob_recorded_shape *as; /* the largest: what subscripts are by */
	uint64_t elements;
	uint32_t variants;
	int varies;
};

struct bob_process {
	struct bob_process_info info;
	size_t first_of_host;	/* index of the first process of its host */
	uint64_t real_less_mono; /* of that one, when it started; modulo 2^64 */
	const struct bob_file *file;
	struct bob_stream **streams; /* by number; `streams[i]->info.number` is i */
	size_t stream_count, stream_cap;
	struct bob_image *images;
	size_t image_count, image_cap;
	uint32_t *by_id;	/* images sorted by first_id, overlapping ones left out */
	size_t by_id_count;
	struct bob_rec_skipped *skipped; /* sorted by id */
	size_t skipped_count, skipped_cap;
	struct bob_noted_paths skipped_images, started;
	struct bob_unrecorded *unrecorded;
	size_t unrecorded_count, unrecorded_cap;
	struct bob_mem_coverage coverage;
	struct bob_span *spans;	/* of all its streams */
	struct bob_raw_ref *raws;
	struct bob_common *common;
	struct bob_recorded_shape *shapes; /* as the file has them */
	size_t shape_count, shape_cap;
	struct bob_shape_known *known; /* sorted by address, one of each */
	size_t known_count;
	uint64_t world;		/* BOB_REC_WORLD */
	struct bob_rec_spawn *spawns;
	size_t spawn_count, spawn_cap;
	struct bob_rec_waited *waits; /* as the file has them */
	size_t wait_count, wait_cap;
	struct bob_rec_clock clock[2];
	uint32_t clocks;	/* bit i: there is clock[i] */
	/* the process's number of an image that descriptors name; none: it is the same */
	uint32_t *image_of;
	size_t image_of_count, image_of_cap;
	const char *log;
	const struct bob_process
		*head; /* as it was when MPI_Finalize merged it (docs/mpi.md); NULL: it was not */
	const struct bob_process
		*before; /* more.c: what comes before it in the file; NULL: nothing does */
	/* the file has what follows these events; streams that are not named are there from the
	 * first event on */
	const struct bob_rec_after *after;
	size_t after_count, after_cap;
	const struct bob_rec_after *given; /* merging: these events are in another file already */
	size_t given_count;
};

/* limit.c. */
struct bob_limit {
	uint64_t events;	/* for each cursor */
	uint64_t ended;		/* cursors that had more */
};

/* The part of a cursor that counts what it gives. */
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
	struct bob_process **heads; /* of processes; not among those of the trace */
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
	uint64_t begin_ns;	/* of the run: a monotonic time plus real_less_mono */
	int verified;
	int nameless;		/* files of images do not belong to it */
	int joins;		/* more.c: its files are parts of one */
	struct bob_limit *limit;	/* of the events that a cursor gives; NULL: none */
	struct bob_user_functions *user; /* filled as keys are looked up */
	pthread_mutex_t lock;
};

struct bob_allowance bob_allowance_of(const struct bob_trace *t);
/* The cursor has one more event, which it may not give. */
void bob_allowance_end(const struct bob_allowance *a);

/* May the cursor give the event that it has? */
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
/* The same where what is lost lies elsewhere: `file` itself is whole. */
void bob_problem_list(struct bob_trace *t, const struct bob_file *file, uint64_t offset,
		      const char *text, int lost);

/* dir.c: fill t->files from a directory; with a `root`, only those of that process and its
 * descendants. */
bob_status bob_dir_load(struct bob_trace *t, const char *dir, uint32_t root, struct bob_error *err);
void bob_file_release(struct bob_file *file);

/* chunk.c: judge the head and list the chunks. BOB_NONE: not usable (a problem says why). */
bob_status bob_file_scan(struct bob_trace *t, struct bob_file *file);
/* The last step of that: the chunks by stream. BOB_ERR_NOMEM. */
bob_status bob_chunks_sort(struct bob_file *f);
/* The chunks of a stream in the order of the file: from `at` = bob_chunks_first on, up to NULL. */
size_t bob_chunks_first(const struct bob_file *f, uint32_t stream);
const struct bob_chunk_ref *bob_chunks_next(const struct bob_file *f, uint32_t stream, size_t *at);
/* Meaningful payload bytes of a chunk. */
uint64_t bob_chunk_len(const struct bob_chunk_ref *c);
/* Does the checksum of a sealed chunk hold? True for unsealed ones. */
int bob_chunk_crc_ok(const struct bob_file *file, const struct bob_chunk_ref *c);

/* payload.c: a chunk's payload as it was before it was compressed, if it was; borrowed until it is
 * closed. */
struct bob_payload {
	const uint8_t *at;
	uint64_t len;
	uint8_t *owned;
};
/* BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_payload_read(const struct bob_file *f, const struct bob_chunk_ref *c,
			    struct bob_payload *p);
/* BOB_NONE: it cannot be had, a problem says so. BOB_ERR_NOMEM. What does not match its checksum is
 * a problem, and is read as far as it can be. */
bob_status bob_payload_open(struct bob_trace *t, const struct bob_file *f,
			    const struct bob_chunk_ref *c, struct bob_payload *p);
void bob_payload_close(struct bob_payload *p);

/* process.c */
bob_status bob_process_build(struct bob_trace *t, const struct bob_file *file);
void bob_process_free(struct bob_process *p);

/* relatives.c: processes in order, their parents and heads; the trace's threads. BOB_ERR_NOMEM. */
bob_status bob_relatives_link(struct bob_trace *t);
/* ends.c: rows of a BOB_REC_WAITED record; after all are read, how processes ended that others
 * waited for. BOB_ERR_NOMEM. */
bob_status bob_waits_read(struct bob_trace *t, struct bob_process *p, const uint8_t *bytes,
			  uint32_t len, uint64_t off);
bob_status bob_ends_build(struct bob_trace *t);

/* worlds.c: before the processes are put in order, their worlds and ranks in the trace; afterwards
 * who started whom. BOB_ERR_NOMEM. */
bob_status bob_worlds_build(struct bob_trace *t);
bob_status bob_spawns_build(struct bob_trace *t);

/* shapes.c: a record's body is read; all are put together, once META has been read.
 * BOB_ERR_NOMEM. */
bob_status bob_shape_read(struct bob_trace *t, struct bob_process *p, const uint8_t *body,
			  uint32_t len, uint64_t off);
bob_status bob_shapes_build(struct bob_trace *t, struct bob_process *p);

/* left_out.c: p->info.left_out, once META has been read. */
bob_status bob_left_out_build(struct bob_trace *t, struct bob_process *p);

/* image.c: find the image files of all processes and index their ids. */
bob_status bob_images_attach(struct bob_trace *t);
bob_status bob_image_function(const struct bob_image *im, uint32_t i, struct bob_image_func *out);
/* Where the table that this looks into has function `number` of the image: at its count or after
 * that if it does not have it. */
uint32_t bob_image_place(const struct bob_image *im, uint32_t number);

/* stream.c */
bob_status bob_streams_build(struct bob_trace *t, struct bob_process *p);
/* Copy [at, at + len) of the stream; BOB_ERR_CORRUPT if some of it is not there. */
bob_status bob_stream_copy(const struct bob_stream *s, uint64_t at, uint64_t len, void *to);
/* The same without copying where it lies in one piece, else NULL. */
const uint8_t *bob_stream_piece(const struct bob_stream *s, uint64_t at, uint64_t len);
/* How many bytes follow `at` contiguously. */
uint64_t bob_stream_avail(const struct bob_stream *s, uint64_t at);
/* File offset of a stream offset, for messages. */
uint64_t bob_stream_where(const struct bob_stream *s, uint64_t at);

/* common.c: what the memory records of a process speak of. */
bob_status bob_common_build(struct bob_trace *t, struct bob_process *p);
void bob_common_free(struct bob_common *c);

/* inner.c: the process files that lie in files of merged traces become files of the trace. Those of
 * processes that had ended go before others of the same name, which were being removed; of one that
 * had not, the other has more, and it is a head. */
bob_status bob_inner_load(struct bob_trace *t);

/* more.c: a TRACE file that is in parts (chunks MORE) becomes one that is not, in memory. What
 * cannot be joined is left out, with a problem. BOB_ERR_NOMEM. */
bob_status bob_more_join(struct bob_trace *t, struct bob_file *f);
/* Of a trace whose files are such parts: processes of one name are one, whose newest file says what
 * it is. Once inner files are there; once processes are. BOB_ERR_NOMEM. */
bob_status bob_more_choose(struct bob_trace *t);
bob_status bob_more_link(struct bob_trace *t);
/* So many events, of these rows. */
bob_status bob_after_add(struct bob_process *p, uint32_t stream, uint32_t content, uint64_t events);
uint64_t bob_after_find(const struct bob_rec_after *row, size_t count, uint32_t stream,
			uint32_t content);

/* descs.c: the memory descriptors */
bob_status bob_descs_build(struct bob_trace *t, struct bob_common *c);
/* A row of numbers without descriptor, where no descriptor begins. `at` is before `end`. */
int bob_desc_skip(const uint8_t **at, const uint8_t *end, uint64_t *count);
/* NULL: there is none of that number. */
const struct bob_mem_desc *bob_common_desc(const struct bob_common *c, uint64_t number);
const struct bob_mem_desc *bob_desc_find(const struct bob_process *p, uint64_t number);
/* The same as a callback: `process` is a struct bob_process. */
const struct bob_mem_desc *bob_desc_finder(void *process, uint32_t number);

/* records.c: the memory records of one stream, one after the other */
struct bob_records {
	const struct bob_process *p;
	const struct bob_stream *s;
	struct bob_mem_unfold
		*unfold; /* the folded ones, which come first; NULL: not begun, or done */
	int unfolded;		/* there are none, or they have all been read */
	size_t chunk;
	uint64_t at;		/* next word in it */
	uint64_t index;		/* of the next record */
	uint64_t expected;	/* words of the stream so far, as far as they are there */
	int lost;		/* something is missing before the next one */
	uint64_t *copy;		/* of a chunk that is not aligned in memory */
	size_t copy_of;		/* which, + 1 */
	int restricted;		/* raw ones that are not in the stretch are passed over */
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
/* restrict.c: the stream is as it was. */
void bob_stretch_free(struct bob_stream *s);
bob_status bob_raws_build(struct bob_trace *t, struct bob_process *p);
/* Stream `i` of the process as a participant of FOLD_MERGED: its kernel thread id << 32, and how
 * many streams before it have the same one (0, unless ids are used again). Threads are then in the
 * order in which they were made, as what they work on is; an engine may number its streams as
 * threads come to run. In a merged trace: the process's number << 32, and how many streams of the
 * process come before it in that order. */
uint64_t bob_merged_id(const struct bob_process *p, size_t i);
/* What that is if the process gets this number in a merged trace. */
uint64_t bob_trace_id(const struct bob_process *p, size_t i, uint32_t number);
/* The participant of this id, if there is one. */
int bob_participant_find(const struct bob_folded *merged, uint64_t id, uint32_t *participant);
/* Are there records that are not folded? */
int bob_stream_has_raw(const struct bob_stream *s);
void bob_records_open(struct bob_records *r, const struct bob_process *p,
		      const struct bob_stream *s);
/* Before the first one: those that are folded are passed over. */
void bob_records_skip_folded(struct bob_records *r);
/* BOB_END; BOB_ERR_CORRUPT (the rest of a chunk is lost; calling on goes on with the next);
 * BOB_ERR_NOMEM. */
bob_status bob_records_next(struct bob_records *r, struct bob_mem_record *out,
			    struct bob_error *err);
/* Where the next record is, for messages. */
uint64_t bob_records_where(const struct bob_records *r);
void bob_records_close(struct bob_records *r);
/* syncs.c: a mark with its words: of an event (kind 0: not an event), of synchronisation. */
struct bob_value_place bob_value_place_of(const struct bob_mem_desc *d, const uint64_t *word);
struct bob_sync_event bob_sync_event_of(const struct bob_mem_desc *d, const uint64_t *word);
/* The process's number of a descriptor's image; BOB_IMAGES_MAX: it has none such. */
uint32_t bob_desc_image(const struct bob_process *p, const struct bob_mem_desc *d);
/* Load bias of that image. */
uint64_t bob_desc_bias(const struct bob_process *p, const struct bob_mem_desc *d);

/* events.c: events with values */
bob_status bob_events_build(struct bob_trace *t, struct bob_process *p);
/* Before the first event: those that are folded are passed over. */
void bob_value_cursor_only_log(struct bob_value_cursor *c);
/* What the event given last is of; key and places are in the event. */
const struct bob_event_def *bob_value_cursor_def(const struct bob_value_cursor *c);
void bob_event_stream_free(const struct bob_process *p, struct bob_event_stream *s);

/* salvage.c: list the blocks of a stream whose chain is broken. `end_pos` symbols in all; `slot`
 * may be NULL. */
bob_status bob_stream_salvage(struct bob_trace *t, struct bob_stream *s, uint64_t end_pos,
			      const struct bob_run_slot *slot);
/* Is a valid block header at stream offset `at`? */
int bob_block_read(const struct bob_stream *s, uint64_t at, struct bob_run_block *out);

/* marks.c */
bob_status bob_marks_attach(struct bob_trace *t);

/* symbols.c: the symbols of one stream, block after block. */
struct bob_symbol_reader {
	const struct bob_stream *s;
	size_t block;		/* the one being decoded, else the next */
	size_t from;		/* the one that the last symbols read came from */
	int open;
	int hole;		/* symbols were left out before the next ones */
	struct bob_run_dec *dec;
	struct bob_run_dec *other; /* PARTIAL: the same bytes with another continuation */
	struct bob_run_io io;
	uint8_t *copy;
	uint8_t *other_copy;	/* both continuations of a PARTIAL block, while it is open */
	int parted;		/* they no longer agree */
	size_t copy_cap;
	uint64_t pos;		/* of the next symbol */
};
bob_status bob_symbols_open(struct bob_symbol_reader *r, const struct bob_stream *s);
/* BOB_OK with *n > 0; *hole says that something is missing before syms[0], whose position is *pos.
 * BOB_END. BOB_ERR_CORRUPT: the rest of a block is lost; the next call continues after it. */
bob_status bob_symbols_read(struct bob_symbol_reader *r, uint32_t *syms, size_t cap, size_t *n,
			    uint64_t *pos, int *hole, struct bob_error *err);
/* Go to the start of block `block`. */
void bob_symbols_goto(struct bob_symbol_reader *r, size_t block);
void bob_symbols_close(struct bob_symbol_reader *r);

/* What a cursor met that cannot be right, for bob_trace_verify. */
struct bob_cursor_faults {
	uint64_t clamped;	/* exits without a frame */
	uint64_t unknown;	/* extended symbols of unknown kind, ids beyond 32 bits */
};
void bob_cursor_faults(const struct bob_cursor *c, struct bob_cursor_faults *out);

#endif
