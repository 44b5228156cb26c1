/* SPDX-License-Identifier: BSD-3-Clause */
/* The C front end of `bobbin instrument`: docs/source-c.md. Reads one C file with libclang, finds
 * what was asked for, and gives the file's bytes back with probes put in between; nothing of the
 * file is taken away but what is in their way (obstacles.c). What the probes are is bobbin/probe.h;
 * emit.c and table.c alone know how they are written.
 *
 * Owner: a result owns all it points at. Threads: one at a time (libclang is loaded once). errno is
 * not used. Units: lines and columns from 1, both ends of a range belong to it. */
#ifndef BOB_SOURCE_C_C_H
#define BOB_SOURCE_C_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"
#include "source/predict.h"

#define BOB_SOURCE_C_RANK_MAX 8u
#define BOB_SOURCE_C_DEPTH_MAX 1000u /* of expressions and statements in one another */

enum bob_source_c_what {
	BOB_SOURCE_C_VARIABLE,
	/* what is reached through pointers, where its address is that of a variable of another
	 * file */
	BOB_SOURCE_C_POINTERS,
	BOB_SOURCE_C_LOOPS,		/* that begin in these lines, with their trips */
	BOB_SOURCE_C_CALLS,
	BOB_SOURCE_C_COMMUNICATION	/* calls of MPI and PVM */
};

struct bob_source_c_bounds {
	int64_t low, high;
};

/* One thing asked for. */
struct bob_source_c_request {
	enum bob_source_c_what what;
	const char *function;	/* of the variable; NULL: any, and file scope */
	const char *name;	/* of the variable; "*": all */
	/* to a member or element of it that is a pointer, "->v", ".rows[*]": what memory it gets is
	 * meant; NULL: the variable */
	const char *path;
	/* An end may be open: INT64_MIN, INT64_MAX. */
	struct bob_source_c_bounds box[BOB_SOURCE_C_RANK_MAX];
	uint32_t rank;		/* subscripts the box speaks of; 0: the whole variable */
	uint32_t first_line, last_line; /* 0: open */
	/* it is another file's: for a variable that both know, if there is one */
	bool is_of_another;
	/* ... in Fortran, which declares it, and may trace only a part of it */
	bool is_of_fortran;
};

#define BOB_SOURCE_C_NO_ARGUMENT UINT32_MAX

/* A function that gives memory out, or takes it back, as malloc and free do; a member of that name
 * that points to one, too. */
struct bob_source_c_allocator {
	const char *name;
	uint32_t bytes,
		/* its arguments, from 0, that say how much it is, which are multiplied;
		 * NO_ARGUMENT: 1 of it */
		count;
	bool is_counted;	/* in elements of what the pointer leads to, not in bytes */
	bool is_text;		/* as long as a text, with its zero: no arguments */
	uint32_t old;		/* what is freed; NO_ARGUMENT: nothing */
};

/* All zero: no flags, nothing asked for. */
struct bob_source_c_options {
	const char *const *
		/* of the compiler; those that do not change what the text means are passed over */
		flags;
	uint32_t flag_count;
	const struct bob_source_c_request *requests;
	uint32_t request_count;
	const struct bob_source_c_allocator *allocators; /* beside those of the C library */
	uint32_t allocator_count;
	bool *called; /* one for each: set if the file calls it; NULL is allowed */
	const char *const *functions; /* that other files of the command define, with probes */
	uint32_t function_count;
	bool has_unread;	/* there are others, of which that is not known */
	const char *const
		*left; /* why others have no probes, which the trace is to say with this file */
	uint32_t left_count;
	/* what pointers may lead to that was asked for in other files: bob_source_c_reach */
	uint32_t reach;
	struct bob_predict *predict; /* borrowed; NULL: nothing is predicted */
	bool is_flat;		/* every access has a probe of its own, in loops, too */
	bool holds_nothing;	/* no loop holds the untraced ranges of its sites */
	bool has_copies;	/* of functions, for calls that give them what is traced */
	bool has_other_files;	/* the command names others, which may call this one's functions */
	bool has_arguments;	/* in one of those an argument was asked for */
	/* NULL is allowed: with BOB_ERR_INVAL, the index of the request that names nothing */
	uint32_t *missing;
	const char *header;	/* included at the top; NULL: "bobbin/probe.h" */
};

/* Why something asked for got no probe. */
enum bob_source_c_refusal {
	BOB_SOURCE_C_MACRO,	/* it is written in a macro */
	BOB_SOURCE_C_INCLUDED,	/* it is in another file */
	BOB_SOURCE_C_REGISTER,	/* no address */
	BOB_SOURCE_C_BITS,	/* a member that may have no address (scalar_storage_order) */
	BOB_SOURCE_C_VECTOR,	/* element of a vector: no address */
	BOB_SOURCE_C_ASSEMBLER,
	BOB_SOURCE_C_ATOMIC_PRAGMA, /* a pragma rules how it is to be written */
	BOB_SOURCE_C_DEEP,
	BOB_SOURCE_C_THREAD,	/* one for each thread */
	BOB_SOURCE_C_LARGE,	/* more bytes at once than a record can say */
	BOB_SOURCE_C_JUMP,	/* something jumps over it or into it */
	BOB_SOURCE_C_TWICE,	/* a call that may come back twice */
	BOB_SOURCE_C_UNCLEAR,	/* no place for a probe was found */
	BOB_SOURCE_C_REFUSALS
};

struct bob_source_c_counts {
	uint32_t probes;	/* in the text: one for each access, or for each nest */
	uint32_t proved;	/* accesses: what is seen was asked for */
	uint32_t filtered;	/* the run time looks at the address */
	/* references that cannot touch what was asked for, of those that looked like it */
	uint32_t dropped;
	uint32_t nests;		/* loop nests with one probe ... */
	uint32_t nest_references; /* ... and the accesses in them */
	uint32_t loops, calls, communication; /* that are events */
	uint32_t variables;	/* rows of the table */
	uint32_t copies;	/* of functions */
	uint32_t refused[BOB_SOURCE_C_REFUSALS];
};

/* What was asked for and has no probe; count 0: something else that is to be said of the line. */
struct bob_source_c_refused {
	uint32_t count, line;
	char *why;
	char *system;		/* NULL; in this header of the system: of each one */
};

struct bob_source_c_result {
	char *text;		/* the new file */
	size_t len;
	struct bob_source_c_counts counts;
	struct bob_source_c_refused *refused; /* what is in included files is listed by file */
	uint32_t refused_count;
	char **headers;		/* that the text has in it, as the compiler names them */
	uint32_t header_count;
};

struct bob_source_c_complaint {
	/* one line; with "file:line:column: " where there is such a place */
	char text[512];
};

/* On BOB_OK *out belongs to the caller (bob_source_c_close). Else *out is untouched and `why` says
 * what is wrong: BOB_ERR_UNSUPPORTED (no libclang), BOB_ERR_CORRUPT (not C: the first error),
 * BOB_ERR_INVAL (a request for what does not exist), BOB_ERR_NOENT, BOB_ERR_IO, BOB_ERR_FULL (too
 * long), BOB_ERR_NOMEM. */
bob_status bob_source_c_instrument(const char *path, const struct bob_source_c_options *options,
				   struct bob_source_c_result **out,
				   struct bob_source_c_complaint *why);
void bob_source_c_close(struct bob_source_c_result *r); /* NULL is allowed */

/* What other files of the program may access of the traced objects of one file. Requests that are
 * limited to lines of that file do not matter to the others. */
struct bob_source_c_reach {
	uint32_t classes;	/* of types, for their options.reach */
	bool has_arguments;	/* for their options */
	const char **names;	/* of variables that they may know by name, ... */
	uint32_t *requests;	/* ... and which request named it */
	uint32_t count;
	const char **functions;	/* that the file defines */
	uint32_t function_count;
};
/* On BOB_OK *out is the caller's to free (all of it). Errors: as above. */
bob_status bob_source_c_reach(const char *path, const struct bob_source_c_options *options,
			      struct bob_source_c_reach **out, struct bob_source_c_complaint *why);

#endif
