/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a Bobbin trace. Needs nothing but the trace directory: no binaries of the traced
 * program, no clean end of the run. Whatever a killed process left is salvaged by the same calls.
 *
 * Ownership: bob_trace_open gives an object that bob_trace_close frees; everything reached through
 * it (infos, names) is borrowed and lives as long as it does. Threads: a const struct bob_trace may
 * be used by any number of threads at once; a cursor by one. Units: times are CLOCK_MONOTONIC ns of
 * the recording machine, positions are symbols (entries and a few bookkeeping symbols) from the
 * start of a thread's stream. Input is never trusted: a damaged file gives BOB_ERR_CORRUPT and the
 * offset, or a problem line where the rest is still readable. */
#ifndef BOBBIN_TRACE_H
#define BOBBIN_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

/* Texts that a trace gives -- paths, names of threads, functions, variables -- are for people to
 * read: of their bytes, control characters (0x00 to 0x1f, 0x7f) are '?', so nobody's name moves a
 * cursor or begins a line. The words of a command (argv) are as they were. */

#ifdef __cplusplus
extern "C" {
#endif

struct bob_trace;

/* Open the trace directory `dir` (default name: bobbin.data). On BOB_OK *out is the caller's; on
 * failure untouched. Files that cannot be read at all become problems; BOB_ERR_NOENT if there is no
 * such directory or no process file in it, BOB_ERR_CORRUPT if none of these can be read. `err` may
 * be NULL. */
BOB_API bob_status bob_trace_open(const char *dir, struct bob_trace **out, struct bob_error *err);
BOB_API void bob_trace_close(struct bob_trace *t); /* NULL is allowed */

struct bob_process_info {
	uint32_t pid, ppid, seq;
	/* MPI rank among those of the trace, see bob_world_info; -1 if none */
	int32_t rank;
	int32_t world;		/* index of its MPI_COMM_WORLD; -1 if none */
	int32_t world_size;	/* -1 if none */
	uint32_t parent;	/* index of the parent process in this trace, ~0 if not traced */
	uint32_t first_thread;	/* its threads are first_thread .. + thread_count - 1 */
	uint32_t thread_count;
	uint32_t image_count;
	/* 0 open or killed, 1 ended, 2 replaced by exec, 3 stopped recording */
	uint32_t state;
	uint32_t stop_reason;
	const char *stop_text;	/* constant phrase for stop_reason, "" if none */
	uint64_t start_real_ns, start_mono_ns, end_mono_ns; /* end 0: not known */
	/* who said how it ended: 0 nobody, 1 it called _exit, 2 who waited for it: the launcher, a
	 * recorded process */
	uint32_t end_source;
	/* as wait() has it, see WIFEXITED and so on; only with end_source */
	uint32_t end_status;
	const char *host;
	const char *exe;	/* "" if not recorded */
	const char *const *argv; /* NULL terminated */
	const char *const *config; /* NAME=value, NULL terminated */
	const char *const *
		/* what was given up when its accesses were folded, NAME=value; NULL terminated */
		loss;
	/* Settings by which not all of its MPI calls were recorded, as mpi-functions=p2p; NULL
	 * terminated. */
	const char *const *left_out;
	const char *cwd;
	const char *file;	/* its file name inside the directory */
	/* what it recorded up to MPI_Finalize is in a file that ranks have in common, too */
	int in_head;
	/* since then some functions are not recorded: a debugger attached; 0: none did */
	uint64_t debugged_mono_ns;
};

/* When the run began, by the monotonic clock of the process's host. Hosts have clocks of their own:
 * they are compared by the time of day at which the first process of each started. */
struct bob_trace;
BOB_API uint64_t bob_trace_run_start(const struct bob_trace *t, uint32_t process);

struct bob_thread_info {
	uint32_t process;	/* index */
	uint32_t tid;
	uint32_t number;	/* of the thread in its process: 0 is the first */
	uint32_t state;		/* 0 running or killed, 1 ended, 2 alive when the process ended */
	uint32_t codec;		/* 1 run, 2 parlot, 3 none, 4 null */
	const char *name;
	uint64_t symbols;	/* committed, salvaged ones included */
	uint64_t events;	/* function entries among them; from the header where the stream was
				 * closed, else counted by decoding once (cached) */
	uint64_t stream_bytes;	/* coded bytes */
	uint64_t start_mono_ns, end_mono_ns;
	/* self-check counters, see docs/format.md */
	uint64_t top_mismatch, orphans, sp_rule, slow_entries, site_misses, queued, lost, switches,
		restarts;
	/* calls that another task made on this thread's storage: not recorded */
	uint64_t beside;
	/* memory accesses that were not recorded: not of chosen addresses */
	uint64_t outside;
};

struct bob_image_info {
	const char *path;
	const char *soname;	/* short name: SONAME or base name of path */
	uint64_t bias;
	uint64_t key;		/* of its file in the trace */
	uint32_t first_id, count, patched;
	uint8_t build_id[20];
	uint8_t build_id_len;
	uint8_t chosen;		/* selected by --images */
	uint8_t runtime_list;	/* on the list of run-time libraries that --images=app leaves out */
};

struct bob_function_info {
	uint32_t id;		/* in its process */
	uint32_t image;		/* index in its process, ~0 unknown */
	const char *name;	/* demangled names are the CLI's business; "" if none */
	uint64_t addr;		/* link address */
	uint32_t size;
	uint32_t skip;		/* enum bob_skip, 0 = patched */
	uint32_t flags;		/* BOB_FUNC_* */
	const char *file;	/* "" if unknown */
	uint32_t line;
};

BOB_API uint32_t bob_trace_process_count(const struct bob_trace *t);
BOB_API uint32_t bob_trace_thread_count(const struct bob_trace *t);
/* Borrowed; NULL if the index is out of range. Processes come in order of rank, then start time;
 * threads in order of process, then of creation. */
BOB_API const struct bob_process_info *bob_trace_process(const struct bob_trace *t, uint32_t index);
BOB_API const struct bob_thread_info *bob_trace_thread(const struct bob_trace *t, uint32_t index);
BOB_API const struct bob_image_info *bob_trace_image(const struct bob_trace *t, uint32_t process,
						     uint32_t image);
/* BOB_NONE if `id` is in no image of that process. */
BOB_API bob_status bob_trace_function(const struct bob_trace *t, uint32_t process, uint32_t id,
				      struct bob_function_info *out);
/* The function that holds the link address `pc`. BOB_NONE: none is known to. */
BOB_API bob_status bob_trace_function_at(const struct bob_trace *t, uint32_t process,
					 uint32_t image, uint64_t pc,
					 struct bob_function_info *out);
/* An MPI_COMM_WORLD: that of mpirun, of another mpirun of the same recording, or of what
 * MPI_Comm_spawn started. Their ranks are numbered on: rank r of a world is rank `first` + r of the
 * trace. Worlds come in the order of their beginnings. */
struct bob_world_info {
	uint32_t first, size;
};
BOB_API uint32_t bob_trace_world_count(const struct bob_trace *t);
/* Borrowed; NULL if the index is out of range. */
BOB_API const struct bob_world_info *bob_trace_world(const struct bob_trace *t, uint32_t index);

#define BOB_RANK_UNKNOWN (~0u)
/* A member of a communicator, as an event of the process has it: its rank in the trace.
 * BOB_RANK_UNKNOWN: it is in no world that the trace has. */
BOB_API uint32_t bob_trace_member(const struct bob_trace *t, uint32_t process, uint64_t member);

/* A call of MPI_Comm_spawn or MPI_Comm_spawn_multiple that started processes. */
struct bob_spawn_info {
	uint32_t process;	/* one that called it: of lowest rank */
	uint32_t started;	/* processes */
	uint32_t found;		/* those of them that the trace has */
	int32_t world;		/* of these; -1: there are none */
};
BOB_API uint32_t bob_trace_spawn_count(const struct bob_trace *t);
/* Borrowed; NULL if the index is out of range. */
BOB_API const struct bob_spawn_info *bob_trace_spawn(const struct bob_trace *t, uint32_t index);

/* A constant phrase for an enum bob_skip value. */
BOB_API const char *bob_skip_text(uint32_t skip);

/* Sizes as DESIGN defines them, in bytes, over the whole directory. */
struct bob_trace_sizes {
	uint64_t events;
	uint64_t accesses;	/* loads and stores; an atomic instruction is one */
	uint64_t mpi_calls;
	/* 2 per entry and 2 per exit, 16 per access, 8 per MPI call and per word of it, 16 if its
	 * times are exact */
	uint64_t raw_bytes;
	/* coded bytes of all streams, memory records and their descriptors */
	uint64_t stream_bytes;
	uint64_t meta_bytes;
	uint64_t mark_bytes;
	uint64_t file_bytes;
};
BOB_API void bob_trace_sizes(const struct bob_trace *t, struct bob_trace_sizes *out);

/* What could not be read or had to be salvaged, one line each. */
struct bob_problem {
	const char *file;	/* inside the directory */
	uint64_t offset;
	const char *text;
	int lost;		/* 1: something recorded may be missing; 0: only a remark */
};
BOB_API uint32_t bob_trace_problem_count(const struct bob_trace *t);
BOB_API const struct bob_problem *bob_trace_problem(const struct bob_trace *t, uint32_t index);
/* Read every byte: decode all streams, check all checksums; adds problems. */
BOB_API bob_status bob_trace_verify(struct bob_trace *t);

/* Whole images that were not traced, and lines of the agents' logs. */
BOB_API uint32_t bob_trace_skipped_image_count(const struct bob_trace *t, uint32_t process);
BOB_API const char *bob_trace_skipped_image(const struct bob_trace *t, uint32_t process,
					    uint32_t index, uint32_t *reason);
/* Engine native: how much code there is in the images whose memory accesses are recorded, and the
 * code of it whose accesses are not, because it could not be translated. */
struct bob_mem_coverage {
	uint64_t functions, bytes;
};
struct bob_unrecorded {
	uint32_t image;		/* in the process */
	uint32_t reason;	/* enum bob_mem_decline, docs/mem-native.md */
	uint64_t addr, bytes;	/* link address */
};
BOB_API void bob_trace_mem_coverage(const struct bob_trace *t, uint32_t process,
				    struct bob_mem_coverage *out);
BOB_API uint32_t bob_trace_unrecorded_count(const struct bob_trace *t, uint32_t process);
BOB_API const struct bob_unrecorded *bob_trace_unrecorded(const struct bob_trace *t,
							  uint32_t process, uint32_t index);
/* Programs that cannot be recorded and that children of the process executed in its memory (vfork,
 * posix_spawn): path and pid; the last of a pid is the one that counts. */
BOB_API uint32_t bob_trace_started_count(const struct bob_trace *t, uint32_t process);
BOB_API const char *bob_trace_started(const struct bob_trace *t, uint32_t process, uint32_t index,
				      uint32_t *pid);
BOB_API const char *bob_trace_log(const struct bob_trace *t, uint32_t process); /* "" if none */

/* (position, time) pairs of a thread, in order. */
struct bob_mark_info {
	uint64_t pos;
	uint64_t mono_ns;
};
BOB_API size_t bob_trace_marks(const struct bob_trace *t, uint32_t thread,
			       const struct bob_mark_info **marks);

/* --- events --- */

enum bob_event_kind {
	BOB_EVENT_ENTRY = 1,
	BOB_EVENT_EXIT = 2,
	/* These two only of bob_cursor_tell_values: */
	BOB_EVENT_VALUES =
		3, /* the thread's next event with values (a call of MPI) begins; `id` is what it is,
				 * `index` the next entry, `depth` the frames that are open */
	BOB_EVENT_NO_PLACE = 4	/* `id` such events of the thread have no place among its calls */
};

enum bob_event_note {
	BOB_NOTE_SIGNAL = 1,	/* this entry is a signal handler's */
	BOB_NOTE_ORPHAN = 2,	/* its direct caller is not known; it lies on the known frames */
	BOB_NOTE_STACK = 4,	/* first event on another stack of the thread */
	BOB_NOTE_GAP = 8,	/* recording was off before this event */
	BOB_NOTE_LOST = 16	/* events were lost just before this one */
};

struct bob_event {
	uint64_t pos;		/* symbol position; exits carry that of the entry that implied them,
				 * exits at a clean end of thread the symbol count */
	uint64_t index;		/* which entry of the thread this is, from 0 */
	uint32_t kind;		/* enum bob_event_kind */
	uint32_t id;		/* function */
	uint32_t depth;		/* of the function's frame on its stack: outermost is 0; frames
				 * inherited over fork count, though bob_cursor_stack has them not */
	uint32_t stack;		/* number of the stack within the thread */
	uint32_t notes;		/* enum bob_event_note bits */
	uint32_t reserved;
};

/* The function that the thread entered last; what comes before is not read. BOB_NONE: no call was
 * recorded of it. BOB_ERR_NOMEM. */
BOB_API bob_status bob_trace_last_entry(const struct bob_trace *t, uint32_t thread, uint32_t *id);

/* Cursor over one thread's events, oldest first, with the call stacks kept up to date. */
struct bob_cursor;

/* Errors: BOB_ERR_NOMEM, BOB_ERR_CORRUPT, BOB_ERR_INVAL (no such thread, null codec). */
BOB_API bob_status bob_cursor_open(const struct bob_trace *t, uint32_t thread,
				   struct bob_cursor **out, struct bob_error *err);
/* *ev is the caller's copy. BOB_END after the last event; BOB_ERR_CORRUPT where the stream stops
 * making sense (err->offset): calling on goes on behind the damage, with note LOST. BOB_ERR_FULL:
 * the stack is deeper than the format's limit; final, like BOB_ERR_NOMEM. Every frame gets its
 * exit, except those still open when the stream ends without a clean end of the thread. */
BOB_API bob_status bob_cursor_next(struct bob_cursor *c, struct bob_event *ev,
				   struct bob_error *err);
/* From now on bob_cursor_next also tells where events with values stand among the calls. */
BOB_API void bob_cursor_tell_values(struct bob_cursor *c);
/* Go to just before symbol `pos`; decodes from the nearest restart point, but the call stack there
 * needs the stream from its start unless a previous pass left it in the cursor's cache. */
BOB_API bob_status bob_cursor_seek(struct bob_cursor *c, uint64_t pos, struct bob_error *err);
/* The open frames of the current stack, outermost first; borrowed until the next call on `c`. */
struct bob_frame {
	uint32_t id;
	uint32_t notes;
	uint64_t pos;		/* of its entry */
};
BOB_API const struct bob_frame *bob_cursor_stack(const struct bob_cursor *c, size_t *depth);
BOB_API void bob_cursor_close(struct bob_cursor *c); /* NULL is allowed */

/* Faster than a cursor where only symbols are needed: call `visit` with runs of decoded symbols
 * (src/run/symbol.h) in order; a non-zero return stops with BOB_NONE. */
BOB_API bob_status bob_trace_symbols(const struct bob_trace *t, uint32_t thread,
				     int (*visit)(void *ctx, const uint32_t *syms, size_t n),
				     void *ctx, struct bob_error *err);

/* A few bytes of a trace may stand for 2^60 events. Cursors that are opened from now on, of calls,
 * accesses, events and their times, end after at most `events` each (0: after their last). Among
 * accesses, marks count that the cursor passes over. Errors: NOMEM. */
BOB_API bob_status bob_trace_limit(struct bob_trace *t, uint64_t events);
/* How many cursors ended because of that. */
BOB_API uint64_t bob_trace_limited(const struct bob_trace *t);

/* --- memory accesses --- */

enum bob_access_type {
	BOB_ACCESS_LOAD = 0,
	BOB_ACCESS_STORE = 1,
	BOB_ACCESS_ATOMIC = 2 /* read, modify and write by one instruction */
};

#define BOB_ACCESS_LOST 1u /* flag: accesses are missing just before this one */

struct bob_access {
	uint64_t address;
	uint64_t pc;		/* link address in `image`; address if it is in none */
	uint32_t image;		/* index in the process, ~0: in none (code made at run time) */
	uint16_t size;		/* bytes */
	uint8_t type;		/* enum bob_access_type */
	uint8_t flags;
};

/* Cursor over the accesses of one thread, in the order of execution. Memory use does not depend on
 * their number. Errors of open: BOB_ERR_NOMEM, BOB_ERR_INVAL (no such thread), BOB_NONE (it has no
 * memory records). */
struct bob_access_cursor;
BOB_API bob_status bob_access_cursor_open(const struct bob_trace *t, uint32_t thread,
					  struct bob_access_cursor **out, struct bob_error *err);
/* The next accesses, at most `room`; BOB_OK with *count > 0. BOB_END after the last;
 * BOB_ERR_CORRUPT where something is damaged: calling on goes on behind it, with the flag LOST. */
BOB_API bob_status bob_access_cursor_read(struct bob_access_cursor *c, struct bob_access *to,
					  size_t room, size_t *count, struct bob_error *err);
BOB_API void bob_access_cursor_close(struct bob_access_cursor *c); /* NULL is allowed */

/* What threads do to each other (docs/memory.md, "Synchronisation"). */
enum bob_sync_order {
	BOB_SYNC_ORDER_NONE = 0,
	BOB_SYNC_ORDER_TURN = 1, /* the `number`th, from 0, of all of `order` in the process */
	BOB_SYNC_ORDER_GIVE = 2, /* one more for those that await `order` */
	BOB_SYNC_ORDER_AWAIT = 3 /* behind `number` of those that give to `order` */
};

struct bob_sync_event {
	uint32_t kind;		/* what it is: bob_sync_name */
	uint32_t rule;		/* enum bob_sync_order */
	uint64_t order;		/* a number for what is ordered */
	uint64_t object;	/* address; number of the thread's stream; team */
	uint64_t number;
};
/* "lock", "at barrier", ...; "" for what is none. */
BOB_API const char *bob_sync_name(uint32_t kind);
/* From now on bob_access_cursor_read also stops where the thread synchronises: BOB_NONE, *count is
 * 0 then, and bob_access_cursor_sync says what it does. With `only` there are no accesses. */
BOB_API void bob_access_cursor_stop_at_syncs(struct bob_access_cursor *c, int only);
BOB_API void bob_access_cursor_sync(const struct bob_access_cursor *c, struct bob_sync_event *sync);
/* Where the thread's events with values, its calls of MPI, stand among its accesses: the n-th of
 * these marks is the n-th event. */
enum bob_value_mark {
	BOB_VALUE_WHOLE = 1,	/* one that nothing was recorded in */
	BOB_VALUE_BEGIN = 2,	/* what comes up to END happened in it */
	BOB_VALUE_END = 3,
	BOB_VALUE_NO_MARK = 4	/* so many events have none */
};
struct bob_value_place {
	uint32_t kind;		/* enum bob_value_mark */
	uint32_t what;		/* MPI: the function's number; of WHOLE and BEGIN */
	uint64_t count;		/* of NO_MARK */
};
/* As bob_access_cursor_stop_at_syncs, for these marks; *place says what was come to. 0: it was
 * synchronisation. */
BOB_API void bob_access_cursor_stop_at_values(struct bob_access_cursor *c);
BOB_API int bob_access_cursor_value(const struct bob_access_cursor *c,
				    struct bob_value_place *place);
/* A stretch of a thread: what it did between two of its events with values, behind the first one's
 * end and before the second one's begin. An event of the program's own has things in it: these are
 * in the stretch that begins with it. */
struct bob_stretch_end {
	int given;		/* 0: where the thread begins, or ends */
	/* of all events; else of those that are `what`, or of the program's own by that name */
	int by_number;
	uint32_t what;
	const char *name;	/* NULL: `what` says */
	uint64_t number;	/* from 0 */
};
struct bob_stretch {
	struct bob_stretch_end from, to;
	/* marks of synchronisation outside of it stay: others wait for them */
	int keep_syncs;
};
enum bob_stretch_lack {
	BOB_STRETCH_FOUND = 0,
	BOB_STRETCH_NO_ACCESSES, /* nothing is recorded but, perhaps, synchronisation */
	BOB_STRETCH_NO_EVENTS,	/* no event has a place among them */
	BOB_STRETCH_NO_FROM,	/* there is no such event */
	BOB_STRETCH_NO_TO,
	BOB_STRETCH_BACKWARDS,	/* it ends before it begins, or where */
	BOB_STRETCH_NO_PLACE,	/* one that is meant has, or may have, no mark */
	BOB_STRETCH_DAMAGED	/* records are missing before it */
};
/* From now on these threads of the trace have no accesses but those of the stretch, and its two
 * events' marks. lack[i] says whether it is there in threads[i]; of one in which it is not nobody
 * should read more. Nobody may read the trace meanwhile, and cursors that are open are not valid
 * any more. What is before a stretch is not expanded where it is affine. Once for each thread.
 * Errors: INVAL (no such thread, or it was restricted before), NOMEM, CORRUPT. */
BOB_API bob_status bob_trace_restrict(struct bob_trace *t, const uint32_t *threads, uint32_t count,
				      const struct bob_stretch *stretch,
				      enum bob_stretch_lack *lack);
/* The same in a thread whose calls are recorded: positions of the symbols that stand for the two
 * events (0 and UINT64_MAX where an end is not given), or why there is no such stretch. */
BOB_API bob_status bob_trace_stretch_positions(const struct bob_trace *t, uint32_t thread,
					       const struct bob_stretch *stretch, uint64_t *first,
					       uint64_t *last, enum bob_stretch_lack *lack);
/* ... and the numbers of the two among all its events. */
BOB_API bob_status bob_trace_stretch_numbers(const struct bob_trace *t, uint32_t thread,
					     const struct bob_stretch *stretch, uint64_t *first,
					     uint64_t *last, enum bob_stretch_lack *lack);
/* What the end of a thread gives: the `order` of it, for those that await it. */
BOB_API uint64_t bob_trace_end_order(const struct bob_trace *t, uint32_t thread);
/* How many accesses a thread has, damaged parts left out. Reads all its records the first time. */
BOB_API uint64_t bob_trace_accesses(const struct bob_trace *t, uint32_t thread);

/* --- what debug information says of an access --- */

enum bob_place_kind {
	BOB_PLACE_NONE = 0,	/* nothing is known */
	/* through the pointer, reference or array that `name` says: "a[]", "p->n" */
	BOB_PLACE_POINTER = 1,
	BOB_PLACE_LOCAL = 2,	/* the variable of the function's frame */
	/* the function's frame, not a variable of it: saved registers, temporaries */
	BOB_PLACE_STACK = 3,
	/* the frame, with an index; `name` only if all its addresses are within it */
	BOB_PLACE_INDEXED = 4,
	BOB_PLACE_THREAD = 5,	/* the image's thread-local variables; `name` is one */
	/* these, with an index; `name` only if all its addresses are within it */
	BOB_PLACE_THREAD_INDEXED = 6
};

/* Where in the source an instruction is, and through what its loads and its stores (atomics are
 * stores) go. */
struct bob_place {
	uint32_t kind;		/* enum bob_place_kind */
	const char *name;	/* "" if none */
	int64_t frame;		/* LOCAL, STACK: the address less the canonical frame address; INDEXED: that of the variable;
				 * THREAD and its INDEXED: the same in the image's block of the thread */
	uint64_t size;		/* of INDEXED ones: of the variable */
};

struct bob_source_line {
	const char *file;	/* "" if not known */
	uint32_t line;		/* 0: not known */
	struct bob_place load, store;
};

/* Of the instruction at link address `pc`. BOB_NONE: nothing is known of it. */
BOB_API bob_status bob_trace_source(const struct bob_trace *t, uint32_t process, uint32_t image,
				    uint64_t pc, struct bob_source_line *out);

/* A static variable, or else a section, of an image. */
struct bob_object {
	const char *name;
	uint64_t address, size;	/* as in the process */
	uint32_t image;
	int is_section;		/* no variable is known there */
};

/* What lies at `address` in the process. BOB_NONE: nothing that is known. */
BOB_API bob_status bob_trace_object(const struct bob_trace *t, uint32_t process, uint64_t address,
				    struct bob_object *out);
/* The stretch around `address` in which that has one answer: *lo <= address < *hi. */
BOB_API void bob_trace_object_span(const struct bob_trace *t, uint32_t process, uint64_t address,
				   uint64_t *lo, uint64_t *hi);
/* --- variables of instrumented sources (docs/source.md) --- */

#define BOB_SHAPE_DIMENSIONS_MAX 15u

/* A variable, and which element of it lies at an address. Dimensions: that which varies fastest
 * comes first. */
struct bob_shape {
	const char *name;	/* "" if not known */
	uint64_t address;	/* of its first element */
	uint32_t image;		/* in the process, ~0: not known */
	uint32_t element;	/* bytes */
	uint32_t rank;		/* dimensions; 0: a scalar */
	int rows_first;		/* people write the fastest dimension last, as in C */
	/* so many different bounds it had, one after the other or in several places */
	uint32_t told;
	/* ... by which an element had other subscripts, or 16 of them, and perhaps others; below
	 * are those of the largest */
	int varies;
	const int64_t (*bounds)[2]; /* of each dimension its lower bound and extent; borrowed */
	uint64_t elements;
	uint64_t number;	/* which element the address is in, from 0 */
	uint32_t offset;	/* bytes into it */
	/* number < elements; else there are no subscripts: it is behind, of what shares its storage
	 * ... */
	int inside;
	/* ... or before: the first byte of the number-th element before the first one, and
	 * `offset` */
	int before;
	int64_t subscript[BOB_SHAPE_DIMENSIONS_MAX];
};

/* BOB_NONE: no variable whose bounds are known is there. */
BOB_API bob_status bob_trace_shape(const struct bob_trace *t, uint32_t process, uint64_t address,
				   struct bob_shape *out);
/* The `index`th one, its first element, in order of their addresses; `element` is 0 if something
 * else is said to lie there. BOB_NONE: there are not so many. */
BOB_API bob_status bob_trace_shape_at(const struct bob_trace *t, uint32_t process, uint32_t index,
				      struct bob_shape *out);

/* Is there source information for any image of the process? */
BOB_API int bob_trace_has_source(const struct bob_trace *t, uint32_t process);

/* --- memory accesses, folded: bobbin/fold.h --- */

struct bob_folded;

/* The folded accesses of a thread, which is *participant of it; NULL: it has none. What was not
 * folded yet when the process was killed is not in it (bob_access_cursor has it all). */
BOB_API const struct bob_folded *bob_trace_folded(const struct bob_trace *t, uint32_t thread,
						  uint32_t *participant);

/* Are all accesses of the thread in there? 0: some are raw, or it has none. */
BOB_API int bob_trace_all_folded(const struct bob_trace *t, uint32_t thread);

#define BOB_LEAF_NO_WORD 0xffu

/* An access of a leaf: at word + offset, or at link address `offset` of its image. */
struct bob_leaf_access {
	int64_t offset;
	uint64_t pc;
	uint16_t size;
	uint8_t type;		/* enum bob_access_type */
	uint8_t word;		/* or BOB_LEAF_NO_WORD */
	uint8_t guarded;	/* happens only sometimes */
	int64_t step;		/* LOOP: from one iteration to the next, ... */
	uint8_t step_word;	/* ... and this word times step_scale */
	uint8_t step_scale;
};

enum bob_leaf_kind {
	BOB_LEAF_BLOCK = 1,	/* happens once */
	BOB_LEAF_LOOP = 2,	/* n times: (last word - word[counter]) / counter_step */
	BOB_LEAF_MARK = 3,	/* no accesses */
	/* no accesses; the next (its word) ones were told before and do not count */
	BOB_LEAF_AGAIN = 4,
	BOB_LEAF_SYNC = 5,	/* no accesses; its words: the object, perhaps a number */
	BOB_LEAF_VALUES = 6	/* no accesses; an event with values, see `value` */
};

struct bob_leaf {
	uint32_t image;		/* ~0: in none */
	uint32_t kind;		/* enum bob_leaf_kind */
	uint32_t words;
	uint32_t counter;
	int64_t counter_step;
	uint64_t pc;		/* of the first instruction */
	uint32_t accesses;
	uint32_t sync;		/* SYNC: what it is, see bob_sync_name */
	uint32_t value;		/* VALUES: enum bob_value_mark; of NO_MARK the count is its word */
	uint32_t value_what;	/* ... what it is */
	/* the stack pointer is this word + sp_begin there; or BOB_LEAF_NO_WORD */
	uint32_t sp_word;
	int32_t sp_begin;
};

/* Of a LOOP: the addresses (without `offset`) of an access whose word is the piece `word`,
 * iterations included, as a piece with one loop more, the innermost. `begin` and `end` are the
 * pieces of words `counter` and `words`, `by` that of `step_word` (NULL: there is none). 0: they do
 * not fit together. */
struct bob_piece; /* bobbin/fold.h */
BOB_API int bob_leaf_iterations(const struct bob_leaf *leaf, const struct bob_leaf_access *a,
				const struct bob_piece *word, const struct bob_piece *begin,
				const struct bob_piece *end, const struct bob_piece *by,
				struct bob_piece *out);

/* A place of a call path there: the image that calls, by its number in the process (0xffff: code in
 * no image), and the call's link address. */
BOB_API void bob_trace_place(const struct bob_trace *t, uint32_t process, uint64_t place,
			     uint32_t *image, uint64_t *pc);

/* What a shape of bob_trace_folded stands for. At most `room` accesses are written to `to` (NULL if
 * none are wanted). BOB_NONE: no such shape, or nothing is known of it. */
BOB_API bob_status bob_trace_leaf(const struct bob_trace *t, uint32_t thread, uint32_t shape,
				  struct bob_leaf *leaf, struct bob_leaf_access *to, size_t room);

/* The folded accesses of a thread one by one, each with its shape and the loops around it. What was
 * not folded yet when the process was killed is not among them. Threads: one cursor, one thread.
 * Errors of open: BOB_ERR_NOMEM, BOB_ERR_INVAL (no such thread), BOB_NONE (nothing is folded). */
struct bob_loop_cursor;
struct bob_fold_at; /* bobbin/fold.h */
BOB_API bob_status bob_loop_cursor_open(const struct bob_trace *t, uint32_t thread,
					struct bob_loop_cursor **out, struct bob_error *err);
/* BOB_END after the last; BOB_ERR_CORRUPT, for good: something is damaged. */
BOB_API bob_status bob_loop_cursor_next(struct bob_loop_cursor *c, struct bob_access *a,
					uint32_t *shape, struct bob_error *err);
/* As bob_fold_cursor_loops, of the access given last. */
BOB_API uint32_t bob_loop_cursor_loops(const struct bob_loop_cursor *c, struct bob_fold_at *to,
				       uint32_t room);
BOB_API void bob_loop_cursor_close(struct bob_loop_cursor *c); /* NULL is allowed */

/* --- events with values: MPI calls --- */

enum bob_value_kind { BOB_VALUES_MPI = 1 };
/* Which of them there can be: calls of MPI, events that the program marks (bobbin/events.h).
 * Bits. */
enum bob_value_origin { BOB_VALUES_OF_MPI = 1, BOB_VALUES_OF_PROGRAM = 2 };
BOB_API uint32_t bob_trace_value_origins(const struct bob_trace *t);

#define BOB_VALUE_VECTORS_MAX 8u

struct bob_value_vector {
	const uint64_t *at;
	uint64_t count;		/* elements ... */
	uint32_t words;		/* ... of so many values */
};

/* What the pointers point to is valid until the next call. */
struct bob_value_event {
	const uint8_t *key;	/* what it is: docs/mpi.md */
	size_t key_len;
	const uint64_t *place;	/* the calls that led there, outermost first: bob_trace_place */
	uint32_t depth;
	uint32_t words, vectors;
	const uint64_t *word;
	struct bob_value_vector vector[BOB_VALUE_VECTORS_MAX];
	/* it had begun and was not complete when recording ended: what it would have brought is 0,
	 * or missing */
	int open;
	int lost;		/* events are missing before this one */
};

/* One thread's events, in order. Memory use does not depend on their number. Threads: one cursor,
 * one thread. Errors of open: BOB_ERR_NOMEM, BOB_ERR_INVAL (no such thread), BOB_NONE (it has none
 * of that kind). */
struct bob_value_cursor;
BOB_API bob_status bob_value_cursor_open(const struct bob_trace *t, uint32_t thread,
					 enum bob_value_kind kind, struct bob_value_cursor **out,
					 struct bob_error *err);
/* BOB_END after the last. BOB_ERR_CORRUPT where something is damaged: calling on goes on behind
 * it. */
BOB_API bob_status bob_value_cursor_next(struct bob_value_cursor *c, struct bob_value_event *e,
					 struct bob_error *err);
BOB_API void bob_value_cursor_close(struct bob_value_cursor *c); /* NULL is allowed */

/* When they began and ended, each of them, where that was recorded (record --time=exact:mpi). */
struct bob_value_span {
	uint64_t gap_ns;	/* since the end of the thread's event before; of the first one 0 */
	uint64_t begin_ns, end_ns; /* by the clock of the process */
	int open;		/* it had not ended: end_ns is begin_ns */
};
/* The n-th one given is that of the thread's n-th event. Memory use does not depend on their
 * number. Threads: one cursor, one thread. Errors of open: BOB_ERR_NOMEM, BOB_ERR_INVAL (no such
 * thread), BOB_NONE (it was not recorded). */
struct bob_span_cursor;
BOB_API bob_status bob_span_cursor_open(const struct bob_trace *t, uint32_t thread,
					enum bob_value_kind kind, struct bob_span_cursor **out,
					struct bob_error *err);
/* BOB_END after the last; of a process that was killed there may be one more than there are events,
 * or one less. BOB_ERR_CORRUPT, for good: something is damaged. */
BOB_API bob_status bob_span_cursor_next(struct bob_span_cursor *c, struct bob_value_span *s,
					struct bob_error *err);
BOB_API void bob_span_cursor_close(struct bob_span_cursor *c); /* NULL is allowed */
/* The clock of a process beside that of rank 0, measured in MPI_Init and in MPI_Finalize. */
struct bob_clock {
	uint32_t count;		/* of measurements, 0 to 2; in order of time */
	int same;		/* it is rank 0's own clock */
	uint64_t at_ns[2];	/* by its own clock */
	int64_t offset_ns[2];	/* to be added */
	uint64_t uncertainty_ns[2];
};
BOB_API void bob_trace_clock(const struct bob_trace *t, uint32_t process, struct bob_clock *out);
#define BOB_CLOCK_UNKNOWN UINT64_MAX
/* A moment of the process as the clock of rank 0 has it: between the two measurements the offset is
 * taken to go from one to the other evenly, before and after them to stand still. *uncertainty_ns:
 * by how much that may be wrong; BOB_CLOCK_UNKNOWN: nothing was measured, and the process was on
 * another host than others. Without measurements hosts are taken to have one clock each. */
BOB_API uint64_t bob_trace_moment(const struct bob_trace *t, uint32_t process, uint64_t ns,
				  uint64_t *uncertainty_ns);
/* Bytes that this takes in the trace. */
BOB_API uint64_t bob_trace_spans_bytes(const struct bob_trace *t);

/* How long they took: of each pair of places (the event before, the event) the time between them,
 * in which the program did something else, and the duration of the second. */
#define BOB_VALUE_TIME_BINS 40u
struct bob_value_times {
	uint64_t min_ns, max_ns, sum_ns;
	uint64_t square[2];	/* sum of squares, 128 bits, low half first */
	uint64_t bin
		[BOB_VALUE_TIME_BINS]; /* how many had so many bits in ns; the last one: or more */
	uint32_t min_thread, max_thread; /* whose these are */
};
struct bob_value_site {
	const uint8_t *key;	/* as in struct bob_value_event; NULL: there is no event before */
	size_t key_len;
	const uint64_t *place;
	uint32_t depth;
	/* one of those that `place` is in the words of: bob_trace_place with its process */
	uint32_t thread;
};
struct bob_value_pair {
	struct bob_value_site from, to;
	uint64_t count;
	struct bob_value_times gap, duration; /* of all threads of a merged trace; else of one */
};
/* Until `visit` returns 1. A pair may come more than once, of several threads. BOB_ERR_NOMEM. */
BOB_API bob_status bob_trace_value_times(const struct bob_trace *t, enum bob_value_kind kind,
					 int (*visit)(void *ctx, const struct bob_value_pair *p),
					 void *ctx);
/* How many a thread has. Reads them all the first time. */
BOB_API uint64_t bob_trace_value_events(const struct bob_trace *t, uint32_t thread,
					enum bob_value_kind kind);

#ifdef __cplusplus
}
#endif
#endif
