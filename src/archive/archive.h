/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the archive for Bobbin's own programs and tests, beyond include/bobbin/trace.h. */
#ifndef BOB_ARCHIVE_ARCHIVE_H
#define BOB_ARCHIVE_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bobbin/trace.h"

/* A file of an in-memory trace. Name and bytes must live as long as the trace. */
struct bob_memory_file {
	const char *name;
	const void *bytes;
	size_t len;
};

/* Like bob_trace_open, from files in memory. */
bob_status bob_archive_open_memory(const struct bob_memory_file *files, size_t count,
				   struct bob_trace **out, struct bob_error *err);

/* The same without function names, for bob_archive_merge_running. */
bob_status bob_archive_open_running(const struct bob_memory_file *files, size_t count,
				    struct bob_trace **out, struct bob_error *err);

/* The same for the parts of one trace file, in their order, as input of more.c. */
bob_status bob_archive_open_parts(const struct bob_memory_file *files, size_t count,
				  struct bob_trace **out, struct bob_error *err);

/* Like bob_trace_open, but only the process `root` of this host and its descendants, as named in
 * their files, and without function names. The time does not depend on the number of other
 * processes in the trace. */
bob_status bob_archive_open_below(const char *dir, uint32_t root, struct bob_trace **out,
				  struct bob_error *err);

/* Compresses the chunks of an image file and writes the result to the empty file `to`. BOB_NONE:
 * already compressed, or not profitable; the contents of `to` are then undefined. Errors:
 * BOB_ERR_IO, BOB_ERR_NOMEM. */
bob_status bob_archive_pack_image(const void *bytes, size_t len, FILE *to);

/* Writes the textual form of a whole trace (docs/format.md, `bobbin dump`). BOB_ERR_IO: `to` has an
 * error. A stream that cannot be read further gets a line with the reason. */
bob_status bob_archive_dump(const struct bob_trace *t, FILE *to);
/* Writes the events of one thread, without the `thread` line. */
bob_status bob_archive_dump_thread(const struct bob_trace *t, uint32_t thread, FILE *to);
/* Write the sections after all threads: shapes of variables, durations of events, then lines and
 * variables of the images. */
bob_status bob_archive_dump_shapes(const struct bob_trace *t, FILE *to);
bob_status bob_archive_dump_times(const struct bob_trace *t, FILE *to);
bob_status bob_archive_dump_sources(const struct bob_trace *t, FILE *to);
/* Writes the value sets of hooks, if any. */
bob_status bob_archive_dump_sets(const struct bob_trace *t, FILE *to);

/* Prints a function's name as in a dump: image!function, image+0xaddr, or ?id. */
void bob_archive_print_name(const struct bob_trace *t, uint32_t process, uint32_t id, FILE *to);

/* Settings of lossy folding (docs/fold.md, Loss). All zero: lossless. */
struct bob_fold_plugin;
struct bob_fold_settings {
	uint64_t tolerance;	/* maximal deviation of addresses */
	/* size of the window in which independent records may be reordered; 0: order is kept */
	uint32_t window;
	uint32_t drop_below;	/* omit descriptors that occur in fewer threads than this */
	uint32_t drop_over;	/* number of processes counted together; 0: each is counted
				 * separately */
	const struct bob_fold_plugin *plugin; /* bobbin/fold.h; NULL: none */
};
int bob_fold_settings_any(const struct bob_fold_settings *how); /* NULL is allowed */

/* Rewrites the file of a process with the folded streams of its threads merged. `to` is empty and
 * seekable. Records in record buffers are folded first; with `raw`, also the records of a raw
 * trace. BOB_NONE: nothing to do (no memory records, already merged, or, without `raw`, a raw
 * trace). On BOB_ERR_IO, BOB_ERR_NOMEM and BOB_ERR_CORRUPT the contents of `to` are undefined. */
bob_status bob_archive_merge(const struct bob_trace *t, uint32_t process, int raw, FILE *to,
			     struct bob_error *err);
/* The same with `raw`, and everything is folded again with the settings `how`, which are recorded
 * in the file. */
bob_status bob_archive_fold(const struct bob_trace *t, uint32_t process,
			    const struct bob_fold_settings *how, FILE *to, struct bob_error *err);

/* Merges all processes that have ended, or whose threads are already merged, into one file of kind
 * TRACE, which replaces their files. Processes with raw records or calls are not included. If
 * `drop_below` is not 0, descriptors that occur in fewer threads of all of them are omitted, and
 * the file records this. `is_in` has a byte per process and returns which ones are in the file.
 * `to` as above. BOB_NONE: there are fewer than two such processes, or they are already in one file
 * and nothing is to be omitted. */
bob_status bob_archive_merge_processes(const struct bob_trace *t, uint32_t drop_below, FILE *to,
				       uint8_t *is_in, struct bob_error *err);

/* Has the process's own file lost anything? Such a process is not merged: its file describes the
 * damage. Missing names because of a missing image file do not count; they remain missing in the
 * merged file. */
int bob_archive_is_damaged(const struct bob_trace *t, uint32_t process);
/* Name of a damaged file that contains a process or its head, or that has this name; NULL: none.
 * Borrowed from the trace. */
const char *bob_archive_damaged_outer(const struct bob_trace *t, const char *name);
/* Verifies the checksums of all chunks of trace files and, with `processes`, of process files.
 * Opening a trace does not do so, and merging would hide damage under new checksums. A mismatch
 * becomes a problem of the trace, and its file is marked damaged. */
void bob_archive_sum(struct bob_trace *t, int processes);

/* Merges one or more running processes, in MPI_Finalize. The result is a *head*, which the
 * processes' own files continue. It has no pending calls and no statistics of times. BOB_NONE: no
 * process can be merged. */
bob_status bob_archive_merge_running(const struct bob_trace *t, FILE *to, struct bob_error *err);

/* Merges what a process recorded after the events that it has merged before; of processes in trace
 * files, everything. */
struct bob_rec_after;
struct bob_given {
	struct bob_rec_after *row; /* malloc'ed. In: merged earlier. Out: including the new ones */
	size_t count;
};
/* Applies to the only process of `t` that is in no trace file. On failure *given is unchanged.
 * Errors as above. */
bob_status bob_archive_merge_after(const struct bob_trace *t, struct bob_given *given, FILE *to,
				   struct bob_error *err);
/* Appends the output of bob_archive_merge_after (all of `from`) as a part to the trace file `fd`,
 * open for reading and writing. Readers see the part when it is complete. Removes an incomplete
 * part of an interrupted call. BOB_ERR_IO, BOB_ERR_NOMEM; BOB_ERR_CORRUPT: `fd` is no trace
 * file. */
bob_status bob_archive_append(int fd, FILE *from);

/* Name of the trace file that contains the process or its head; NULL: none. */
const char *bob_archive_outer(const struct bob_trace *t, uint32_t process);

/* Visits every instruction that made a recorded access, possibly several times each. If the records
 * of the process are raw, visits all described instructions. BOB_ERR_NOMEM, BOB_ERR_CORRUPT: not
 * all were visited. */
bob_status bob_archive_used(const struct bob_trace *t, uint32_t process,
			    void (*visit)(void *ctx, uint32_t image, uint64_t pc), void *ctx);
/* Does the process record only events with values, neither function calls nor accesses? Then the
 * only addresses to resolve in its images are the call paths, which bob_archive_used visits. */
int bob_archive_is_of_values(const struct bob_trace *t, uint32_t process);

#endif
