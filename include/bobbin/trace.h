/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a Bobbin trace. Only the trace directory is needed: neither the binaries of the traced
 * program nor a clean end of the run. The same calls salvage the trace of a killed process.
 *
 * This header covers the trace itself: processes, threads, images, functions, sizes, problems,
 * clocks. It includes the headers of the three kinds of streams:
 *
 *   calls.h   function entries and exits        memory.h  loads, stores, synchronisation, variables
 *   values.h  calls of MPI and the program's own events, their durations, stretches between them
 *
 * Ownership: bob_trace_open returns an object that bob_trace_close frees. Everything reached
 * through it (infos, names) is borrowed and valid as long as the trace.
 * Threads: any number of threads may use a const struct bob_trace at once; a cursor belongs to one
 * thread.
 * Units: times are CLOCK_MONOTONIC ns of the recording machine. Positions are symbols (entries and
 * a few bookkeeping symbols) from the start of a thread's stream.
 * Errors: input is untrusted. A damaged file gives BOB_ERR_CORRUPT and the offset, or a problem
 * line if the rest is still readable.
 * ABI: borrowed, sized and fixed structs are explained in bobbin.h; infos here are borrowed unless
 * their comment says otherwise.
 *
 * Texts from a trace (paths, names of threads, functions, variables) are safe for display: control
 * characters (0x00 to 0x1f, 0x7f) are replaced by '?', so no name moves a terminal's cursor or
 * starts a line. Command lines (argv) are unchanged. */
#ifndef BOBBIN_TRACE_H
#define BOBBIN_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/calls.h"
#include "bobbin/memory.h"
#include "bobbin/status.h"
#include "bobbin/values.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bob_trace;

/* Open the trace directory `dir` (default name: bobbin.data). On BOB_OK the caller owns *out; on
 * failure it is untouched. Unreadable files become problems. `err` may be NULL.
 * Errors: BOB_ERR_NOENT (no such directory, or no process file in it), BOB_ERR_CORRUPT (none of the
 * process files is readable), BOB_ERR_NOMEM. */
BOB_API bob_status bob_trace_open(const char *dir, struct bob_trace **out, struct bob_error *err);
BOB_API void bob_trace_close(struct bob_trace *t); /* NULL is allowed */

/* --- processes, threads, images --- */

struct bob_process_info {
	uint32_t pid, ppid, seq;
	int32_t rank;		/* MPI rank in the trace (see bob_world_info); -1: no rank */
	int32_t world;		/* index of its MPI_COMM_WORLD; -1: none */
	int32_t world_size;	/* -1: none */
	uint32_t parent;	/* index of the parent process in this trace; ~0: not traced */
	uint32_t first_thread;	/* its threads are first_thread .. + thread_count - 1 */
	uint32_t thread_count;
	uint32_t image_count;
	/* 0: open or killed, 1: ended, 2: replaced by exec, 3: recording stopped */
	uint32_t state;
	uint32_t stop_reason;
	const char *stop_text;	/* constant phrase for stop_reason, "" if none */
	uint64_t start_real_ns, start_mono_ns, end_mono_ns; /* end 0: unknown */
	/* where end_status comes from: 0 unknown, 1 the process called _exit, 2 the launcher or a
	 * recorded process waited for it */
	uint32_t end_source;
	uint32_t end_status;	/* as from wait(), see WIFEXITED; valid with end_source only */
	const char *host;
	const char *exe;	/* "" if not recorded */
	const char *const *argv; /* NULL terminated */
	const char *const *config; /* NAME=value, NULL terminated */
	/* what lossy folding of its accesses discarded, NAME=value, NULL terminated */
	const char *const *loss;
	/* settings that excluded some of its MPI calls, such as mpi-functions=p2p; NULL
	 * terminated */
	const char *const *left_out;
	const char *cwd;
	const char *file;	/* name of its file inside the directory */
	/* its records before MPI_Finalize are in a file that ranks share */
	int in_head;
	/* a debugger attached at this time, and some functions are not recorded after it; 0:
	 * never */
	uint64_t debugged_mono_ns;
};

struct bob_thread_info {
	uint32_t process;	/* index */
	uint32_t tid;
	uint32_t number;	/* of the thread in its process: 0 is the first */
	uint32_t state;		/* 0 running or killed, 1 ended, 2 alive when the process ended */
	uint32_t codec;		/* 1 run, 2 parlot, 3 none, 4 null */
	const char *name;
	uint64_t symbols;	/* committed, salvaged ones included */
	uint64_t events;	/* function entries among them; from the header if the stream was
				 * closed, else counted by decoding once (cached) */
	uint64_t stream_bytes;	/* coded bytes */
	uint64_t start_mono_ns, end_mono_ns;
	/* self-check counters, see docs/format.md */
	uint64_t top_mismatch, orphans, sp_rule, slow_entries, site_misses, queued, lost, switches,
		restarts;
	/* unrecorded calls: another task made them on this thread's storage */
	uint64_t beside;
	uint64_t outside;	/* unrecorded memory accesses: to addresses that were not
				 * selected */
};

struct bob_image_info {
	const char *path;
	const char *soname;	/* short name: SONAME or base name of path */
	uint64_t bias;
	uint64_t key;		/* of its image file in the trace */
	uint32_t first_id, count, patched;
	uint8_t build_id[20];
	uint8_t build_id_len;
	uint8_t chosen;		/* selected by --images */
	uint8_t runtime_list;	/* on the list of run-time libraries that --images=app excludes */
};

BOB_API uint32_t bob_trace_process_count(const struct bob_trace *t);
BOB_API uint32_t bob_trace_thread_count(const struct bob_trace *t);
/* Borrowed; NULL if the index is out of range. Processes are ordered by rank, then start time;
 * threads by process, then creation. */
BOB_API const struct bob_process_info *bob_trace_process(const struct bob_trace *t, uint32_t index);
BOB_API const struct bob_thread_info *bob_trace_thread(const struct bob_trace *t, uint32_t index);
BOB_API const struct bob_image_info *bob_trace_image(const struct bob_trace *t, uint32_t process,
						     uint32_t image);

/* --- functions --- */

struct bob_function_info {	/* sized */
	uint32_t id;		/* in its process */
	uint32_t image;		/* index in its process; ~0: unknown */
	const char *name;	/* as in the symbol table, not demangled; "" if none */
	uint64_t addr;		/* link address */
	uint32_t size;		/* bytes of code */
	uint32_t skip;		/* enum bob_skip; 0: patched */
	uint32_t flags;		/* BOB_FUNC_* */
	const char *file;	/* "" if unknown */
	uint32_t line;
};

/* BOB_NONE if `id` is in no image of that process; *out then has empty names. */
BOB_API bob_status bob_trace_function_sized(const struct bob_trace *t, uint32_t process,
					    uint32_t id, struct bob_function_info *out,
					    size_t out_size);
static inline bob_status bob_trace_function(const struct bob_trace *t, uint32_t process,
					    uint32_t id, struct bob_function_info *out)
{
	return bob_trace_function_sized(t, process, id, out, sizeof(*out));
}
/* The function that contains the link address `pc`. BOB_NONE: no known function does. */
BOB_API bob_status bob_trace_function_at_sized(const struct bob_trace *t, uint32_t process,
					       uint32_t image, uint64_t pc,
					       struct bob_function_info *out, size_t out_size);
static inline bob_status bob_trace_function_at(const struct bob_trace *t, uint32_t process,
					       uint32_t image, uint64_t pc,
					       struct bob_function_info *out)
{
	return bob_trace_function_at_sized(t, process, image, pc, out, sizeof(*out));
}
/* A constant phrase for an enum bob_skip value. */
BOB_API const char *bob_skip_text(uint32_t skip);

/* Decode a place of a call path (bob_value_event, bob_folded_path): the number of the calling image
 * in the process (0xffff: code in no image), and the link address of the call. */
BOB_API void bob_trace_place(const struct bob_trace *t, uint32_t process, uint64_t place,
			     uint32_t *image, uint64_t *pc);

/* --- worlds of MPI --- */

/* An MPI_COMM_WORLD: that of mpirun, of another mpirun in the same recording, or of processes that
 * MPI_Comm_spawn started. Ranks are numbered consecutively over all worlds: rank r of a world is
 * rank `first` + r of the trace. Worlds are ordered by their start. */
struct bob_world_info {
	uint32_t first, size;
};
BOB_API uint32_t bob_trace_world_count(const struct bob_trace *t);
/* Borrowed; NULL if the index is out of range. */
BOB_API const struct bob_world_info *bob_trace_world(const struct bob_trace *t, uint32_t index);

#define BOB_RANK_UNKNOWN (~0u)
/* Convert a member of a communicator, as in an event of the process, to its rank in the trace.
 * BOB_RANK_UNKNOWN: it is in no world of the trace. */
BOB_API uint32_t bob_trace_member(const struct bob_trace *t, uint32_t process, uint64_t member);

/* A call of MPI_Comm_spawn or MPI_Comm_spawn_multiple that started processes. */
struct bob_spawn_info {
	uint32_t process;	/* the caller with the lowest rank */
	uint32_t started;	/* number of processes that it started */
	uint32_t found;		/* number of them in the trace */
	int32_t world;		/* world of these; -1: none is in the trace */
};
BOB_API uint32_t bob_trace_spawn_count(const struct bob_trace *t);
/* Borrowed; NULL if the index is out of range. */
BOB_API const struct bob_spawn_info *bob_trace_spawn(const struct bob_trace *t, uint32_t index);

/* --- sizes, problems, missing parts --- */

/* In bytes, over the whole directory. */
struct bob_trace_sizes {	/* sized */
	uint64_t events;	/* function entries */
	uint64_t accesses;	/* loads and stores; an atomic instruction counts once */
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
/* Streams that were not closed are decoded once to count their events. */
BOB_API void bob_trace_sizes_sized(const struct bob_trace *t, struct bob_trace_sizes *out,
				   size_t out_size);
static inline void bob_trace_sizes(const struct bob_trace *t, struct bob_trace_sizes *out)
{
	bob_trace_sizes_sized(t, out, sizeof(*out));
}

/* Something that is unreadable or had to be salvaged. */
struct bob_problem {
	const char *file;	/* inside the directory */
	uint64_t offset;
	const char *text;	/* one line */
	int lost;		/* 1: recorded data may be missing; 0: only a remark */
};
BOB_API uint32_t bob_trace_problem_count(const struct bob_trace *t);
BOB_API const struct bob_problem *bob_trace_problem(const struct bob_trace *t, uint32_t index);
/* Read every byte: decode all streams and check all checksums. Adds problems. */
BOB_API bob_status bob_trace_verify(struct bob_trace *t);

/* Whole images that were not traced. */
BOB_API uint32_t bob_trace_skipped_image_count(const struct bob_trace *t, uint32_t process);
BOB_API const char *bob_trace_skipped_image(const struct bob_trace *t, uint32_t process,
					    uint32_t index, uint32_t *reason);
/* Engine native: size of the code whose memory accesses are recorded, and the code among it whose
 * accesses are missing, because it could not be translated. */
struct bob_mem_coverage {	/* fixed */
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
 * posix_spawn): path and pid. If a pid occurs more than once, its last entry counts. */
BOB_API uint32_t bob_trace_started_count(const struct bob_trace *t, uint32_t process);
BOB_API const char *bob_trace_started(const struct bob_trace *t, uint32_t process, uint32_t index,
				      uint32_t *pid);
/* Lines of the agent's log; "" if there are none. */
BOB_API const char *bob_trace_log(const struct bob_trace *t, uint32_t process);

/* --- clocks --- */

/* The start of the run, by the monotonic clock of the process's host. Each host has its own clock;
 * they are related by the time of day at which the first process of each host started. */
BOB_API uint64_t bob_trace_run_start(const struct bob_trace *t, uint32_t process);

/* The offset between the clock of a process and that of rank 0, measured in MPI_Init and in
 * MPI_Finalize. */
struct bob_clock {		/* fixed */
	uint32_t count;		/* of measurements, 0 to 2; in order of time */
	int same;		/* it is rank 0's own clock */
	uint64_t at_ns[2];	/* by its own clock */
	int64_t offset_ns[2];	/* to be added */
	uint64_t uncertainty_ns[2];
};
BOB_API void bob_trace_clock(const struct bob_trace *t, uint32_t process, struct bob_clock *out);
#define BOB_CLOCK_UNKNOWN UINT64_MAX
/* Convert a time of the process to the clock of rank 0. The offset is interpolated linearly between
 * the two measurements and constant before and after them. *uncertainty_ns is the maximum error;
 * BOB_CLOCK_UNKNOWN: nothing was measured and the processes ran on several hosts. Without
 * measurements each host is assumed to have one clock. */
BOB_API uint64_t bob_trace_moment(const struct bob_trace *t, uint32_t process, uint64_t ns,
				  uint64_t *uncertainty_ns);

/* --- limits --- */

/* Bounds the work of readers, because a few bytes of a trace may represent 2^60 events. Cursors
 * opened after this call (of calls, accesses, events and their times) end after at most `events`
 * events each (0: no limit). For accesses, marks that the cursor skips count as well. Errors:
 * BOB_ERR_NOMEM. */
BOB_API bob_status bob_trace_limit(struct bob_trace *t, uint64_t events);
/* The number of cursors that ended because of that limit. */
BOB_API uint64_t bob_trace_limited(const struct bob_trace *t);

#ifdef __cplusplus
}
#endif
#endif
