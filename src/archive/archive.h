/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the archive for Bobbin's own programs and tests, beyond include/bobbin/trace.h. */
#ifndef BOB_ARCHIVE_ARCHIVE_H
#define BOB_ARCHIVE_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bobbin/trace.h"

/* A file of a trace that is in memory. Name and bytes must live as long as the trace. */
struct bob_memory_file {
	const char *name;
	const void *bytes;
	size_t len;
};

/* As bob_trace_open, on files in memory. */
bob_status bob_archive_open_memory(const struct bob_memory_file *files, size_t count,
				   struct bob_trace **out, struct bob_error *err);

/* The same without names of functions, for bob_archive_merge_running. */
bob_status bob_archive_open_running(const struct bob_memory_file *files, size_t count,
				    struct bob_trace **out, struct bob_error *err);

/* The same, of parts of one trace file, in their order, for what reads such a file (more.c). */
bob_status bob_archive_open_parts(const struct bob_memory_file *files, size_t count,
				  struct bob_trace **out, struct bob_error *err);

/* As bob_trace_open, but only the process `root` of this host and its descendants, as far as their
 * files name them, and without names of functions. The time does not depend on the number of other
 * processes in the trace. */
bob_status bob_archive_open_below(const char *dir, uint32_t root, struct bob_trace **out,
				  struct bob_error *err);

/* The file of an image, with its chunks compressed, into the empty file `to`. BOB_NONE: that has
 * been done, or is not worth it; then `to` has anything. BOB_ERR_IO, BOB_ERR_NOMEM. */
bob_status bob_archive_pack_image(const void *bytes, size_t len, FILE *to);

/* The textual form of a whole trace, as docs/format.md defines it (`bobbin dump`). Returns
 * BOB_ERR_IO if `to` has an error. A stream that cannot be read on gets a line saying so. */
bob_status bob_archive_dump(const struct bob_trace *t, FILE *to);
/* The events of one thread only, without the `thread` line. */
bob_status bob_archive_dump_thread(const struct bob_trace *t, uint32_t thread, FILE *to);
/* What follows all threads: shapes of variables, durations of events, then lines and variables of
 * the images. */
bob_status bob_archive_dump_shapes(const struct bob_trace *t, FILE *to);
bob_status bob_archive_dump_times(const struct bob_trace *t, FILE *to);
bob_status bob_archive_dump_sources(const struct bob_trace *t, FILE *to);
/* What hooks brought; nothing if they brought nothing. */
bob_status bob_archive_dump_sets(const struct bob_trace *t, FILE *to);

/* Print a function's name as the dump does: image!function, image+0xaddr, or ?id. */
void bob_archive_print_name(const struct bob_trace *t, uint32_t process, uint32_t id, FILE *to);

/* How to fold otherwise than exactly (docs/fold.md, Loss). All zero: exactly. */
struct bob_fold_plugin;
struct bob_fold_settings {
	uint64_t tolerance;	/* addresses may be off by so much */
	/* order of independent records given up among so many; 0: it is kept */
	uint32_t window;
	uint32_t drop_below;	/* what occurs in fewer threads than that is left out */
	uint32_t drop_over;	/* of so many processes together; 0: of each by itself */
	const struct bob_fold_plugin *plugin; /* bobbin/fold.h; NULL: none */
};
int bob_fold_settings_any(const struct bob_fold_settings *how); /* NULL is allowed */

/* The file of a process once more, the folded streams of its threads merged. `to` is empty and can
 * be rewound. Records in record buffers are folded first; with `raw`, the records of a raw trace,
 * too. BOB_NONE: there is nothing to do (no memory records, merged already; or, without `raw`, a
 * raw trace). BOB_ERR_IO, BOB_ERR_NOMEM, BOB_ERR_CORRUPT: what `to` has is worth nothing. */
bob_status bob_archive_merge(const struct bob_trace *t, uint32_t process, int raw, FILE *to,
			     struct bob_error *err);
/* The same with `raw`, and everything folded anew as `how` says, which the file says then, too. */
bob_status bob_archive_fold(const struct bob_trace *t, uint32_t process,
			    const struct bob_fold_settings *how, FILE *to, struct bob_error *err);

/* All processes that have ended, or whose threads are merged already, in one file of kind TRACE,
 * which replaces their files. Processes with raw records or calls are left as they are. With
 * `drop_below` not 0, what occurs in fewer threads of all of them is left out, and the file says so.
 * `is_in` has a byte for each process and gets which of them are in the file. `to` as above.
 * BOB_NONE: there are not two such, or they are all in one already and nothing is to be left out. */
bob_status bob_archive_merge_processes(const struct bob_trace *t, uint32_t drop_below, FILE *to,
				       uint8_t *is_in, struct bob_error *err);

/* Is something lost of the process's own file? Such a process is left out of the above: its file
 * says what is missing. That names are missing because the file of an image is, is no damage of
 * this one; it stays known in the merged file. */
int bob_archive_is_damaged(const struct bob_trace *t, uint32_t process);
/* The name of a damaged file that a process, or its head, lies in, or that has this name; NULL:
 * there is none. Borrowed from the trace. */
const char *bob_archive_damaged_outer(const struct bob_trace *t, const char *name);
/* What opening leaves for later, and merging would put under new checksums: those of all chunks, of
 * trace files and, with `processes`, of the processes' own. One that does not match is a problem of
 * the trace, and its file damaged. */
void bob_archive_sum(struct bob_trace *t, int processes);

/* The same while they run, in MPI_Finalize, of one or more: a *head*, which goes on in the
 * processes' own files. What is under way -- a call that has not come back -- and statistics of
 * times are not in it. BOB_NONE: there is no process that could be in it. */
bob_status bob_archive_merge_running(const struct bob_trace *t, FILE *to, struct bob_error *err);

/* The same of what a process recorded after the events that it has merged before; of processes in
 * trace files, everything. */
struct bob_rec_after;
struct bob_given {
	struct bob_rec_after
		*row; /* malloc'ed, by the caller at first; afterwards with what was given now */
	size_t count;
};
/* Of the one process of `t` that lies in no trace file. On failure *given is untouched. Errors as
 * above. */
bob_status bob_archive_merge_after(const struct bob_trace *t, struct bob_given *given, FILE *to,
				   struct bob_error *err);
/* What that has made, all of `from`, becomes a part of the trace file `fd`, which is open to be
 * read and written: readers see it once it is whole. What a call that did not come back has left
 * there goes. BOB_ERR_IO, BOB_ERR_NOMEM; BOB_ERR_CORRUPT: it is no trace file. */
bob_status bob_archive_append(int fd, FILE *from);

/* The name of the trace file that the process, or its head, lies in; NULL: in none. */
const char *bob_archive_outer(const struct bob_trace *t, uint32_t process);

/* Every instruction of the images of a process that a recorded access is of: `visit` may get the
 * same one many times. Of a process whose records are raw, all that are described. BOB_ERR_NOMEM,
 * BOB_ERR_CORRUPT: not all were visited. */
bob_status bob_archive_used(const struct bob_trace *t, uint32_t process,
			    void (*visit)(void *ctx, uint32_t image, uint64_t pc), void *ctx);
/* Are events with values all that the process was to record: neither calls of functions nor
 * accesses? Then nothing but the places of call paths, which that visits, is looked up in its
 * images. */
int bob_archive_is_of_values(const struct bob_trace *t, uint32_t process);

#endif
