/* SPDX-License-Identifier: BSD-3-Clause */
/* The C front end of `bobbin instrument`: docs/source-c.md. It parses a C file with libclang, finds
 * the requested references, and returns the file with probes inserted. Nothing else in the file
 * changes, except uses of macros and the word `register` that prevent a probe (obstacles.c). Probes
 * call bobbin/probe.h; only emit.c and file_tables.c depend on how.
 *
 * Owner: a result owns everything that it points to. Threads: one at a time (libclang is loaded
 * once). errno is not used. Units: lines and columns count from 1; ranges include both ends. */
#ifndef BOB_SOURCE_C_C_H
#define BOB_SOURCE_C_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"
#include "source/predict.h"

#define BOB_SOURCE_C_RANK_MAX 8u
#define BOB_SOURCE_C_DEPTH_MAX 1000u /* nesting of expressions and statements */

enum bob_source_c_what {
	BOB_SOURCE_C_VARIABLE,
	/* targets of pointers whose address belongs to a requested variable of another file */
	BOB_SOURCE_C_POINTERS,
	BOB_SOURCE_C_LOOPS, /* events of loops that begin in these lines, with their trips */
	BOB_SOURCE_C_CALLS,
	BOB_SOURCE_C_COMMUNICATION	/* calls of MPI and PVM */
};

struct bob_source_c_bounds {
	int64_t low, high;
};

/* One request. */
struct bob_source_c_request {
	enum bob_source_c_what what;
	const char *function;	/* that the variable belongs to; NULL: any, or file scope */
	const char *name;	/* of the variable; "*": all */
	/* access path from it to a member or element that is a pointer, "->v", ".rows[*]": the
	 * request is for the memory that it points to; NULL: for the variable */
	const char *path;
	/* Open ends are INT64_MIN, INT64_MAX. */
	struct bob_source_c_bounds box[BOB_SOURCE_C_RANK_MAX];
	uint32_t rank;		/* subscripts of the box; 0: the whole variable */
	uint32_t first_line, last_line; /* 0: open */
	/* a request of another file, for a variable that both files may access */
	bool is_of_another;
	/* ... in Fortran, which registers the variable and may have requested only a part of it */
	bool is_of_fortran;
};

#define BOB_SOURCE_C_NO_ARGUMENT UINT32_MAX

/* A function, or a member or variable that points to one, that allocates or frees memory. */
struct bob_source_c_allocator {
	const char *name;
	/* arguments, from 0, whose product is the size; NO_ARGUMENT: factor 1 */
	uint32_t bytes, count;
	bool is_counted;	/* in elements of the pointer's target, not in bytes */
	bool is_text; /* the size is the length of the resulting text, with its terminating zero */
	uint32_t old;		/* the freed argument; NO_ARGUMENT: none */
};

/* All zero: no flags, no requests. */
struct bob_source_c_options {
	/* of the compiler; those that do not change the meaning of the text are ignored */
	const char *const *flags;
	uint32_t flag_count;
	const struct bob_source_c_request *requests;
	uint32_t request_count;
	const struct bob_source_c_allocator *allocators; /* in addition to those of the C library */
	uint32_t allocator_count;
	bool *called; /* one for each allocator: set if the file calls it; NULL is allowed */
	const char *const *functions; /* defined in other files of the command, with probes */
	uint32_t function_count;
	bool has_unread; /* some other files were not parsed, so their functions are unknown */
	const char *const
		*left; /* reasons why other files have no probes, for the trace of this file */
	uint32_t left_count;
	/* classes of requested objects of other files that pointers may refer to:
	 * bob_source_c_reach */
	uint32_t reach;
	struct bob_predict *predict; /* borrowed; NULL: no prediction */
	bool is_flat;		/* a probe for each access, in loops, too */
	bool holds_nothing;	/* loops do not hoist the caches of their sites */
	bool has_copies;	/* of functions, for calls that pass traced arguments */
	/* the command names other files, which may call this file's functions */
	bool has_other_files;
	bool has_arguments;	/* another file has a request for an argument */
	/* NULL is allowed. Set with BOB_ERR_INVAL: index of the request that matches nothing */
	uint32_t *missing;
	const char *header;	/* included at the top; NULL: "bobbin/probe.h" */
};

/* Reasons why a requested reference has no probe. */
enum bob_source_c_refusal {
	BOB_SOURCE_C_MACRO,	/* in a macro's text */
	BOB_SOURCE_C_INCLUDED,	/* in an included file */
	BOB_SOURCE_C_REGISTER,	/* no address */
	BOB_SOURCE_C_BITS,	/* a member that may have no address (scalar_storage_order) */
	BOB_SOURCE_C_VECTOR,	/* element of a vector: no address */
	BOB_SOURCE_C_ASSEMBLER,
	BOB_SOURCE_C_ATOMIC_PRAGMA, /* a pragma requires the form of the statement */
	BOB_SOURCE_C_DEEP,
	BOB_SOURCE_C_THREAD,	/* thread-local */
	BOB_SOURCE_C_LARGE,	/* more bytes than a record can contain */
	BOB_SOURCE_C_JUMP,	/* a jump leads over it or into it */
	BOB_SOURCE_C_TWICE,	/* a call that may return twice */
	BOB_SOURCE_C_UNCLEAR,	/* no place for a probe was found */
	BOB_SOURCE_C_REFUSALS
};

struct bob_source_c_counts {
	uint32_t probes;	/* in the text: one for each access or nest */
	uint32_t proved;	/* accesses that are always inside the request */
	uint32_t filtered;	/* accesses whose address is compared at run time */
	/* candidate references that cannot touch a requested variable */
	uint32_t dropped;
	uint32_t nests;		/* loop nests with one probe */
	uint32_t nest_references; /* accesses in them */
	uint32_t loops, calls, communication; /* recorded as events */
	uint32_t variables;	/* rows of the table of variables */
	uint32_t copies;	/* of functions */
	uint32_t refused[BOB_SOURCE_C_REFUSALS];
};

/* Requested references without a probe. count 0: another message about the line. */
struct bob_source_c_refused {
	uint32_t count, line;
	char *why;
	char *system;		/* NULL, or the system header: one entry for each */
};

struct bob_source_c_result {
	char *text;		/* the new file */
	size_t len;
	struct bob_source_c_counts counts;
	struct bob_source_c_refused *refused; /* those in included files are listed by file */
	uint32_t refused_count;
	char **headers;		/* contained in the text; names as of the compiler */
	uint32_t header_count;
};

struct bob_source_c_complaint {
	/* one line; starts with "file:line:column: " if the place is known */
	char text[512];
};

/* On BOB_OK *out belongs to the caller (bob_source_c_close). Otherwise *out is unchanged and `why`
 * has the reason: BOB_ERR_UNSUPPORTED (no libclang), BOB_ERR_CORRUPT (not valid C: the first
 * error), BOB_ERR_INVAL (a request matches nothing), BOB_ERR_NOENT, BOB_ERR_IO, BOB_ERR_FULL (the
 * file is too long), BOB_ERR_NOMEM. */
bob_status bob_source_c_instrument(const char *path, const struct bob_source_c_options *options,
				   struct bob_source_c_result **out,
				   struct bob_source_c_complaint *why);
void bob_source_c_close(struct bob_source_c_result *r); /* NULL is allowed */

/* What other files of the program may access of the traced objects of one file. Requests that are
 * limited to lines of that file do not matter to the others. */
struct bob_source_c_reach {
	uint32_t classes;	/* for options.reach of the other files */
	bool has_arguments;	/* for the options of the other files */
	const char **names;	/* of variables that other files may name */
	uint32_t *requests;	/* ... and the request that matches each */
	uint32_t count;
	const char **functions;	/* defined by the file */
	uint32_t function_count;
};
/* On BOB_OK the caller frees *out and its parts. Errors: as above. */
bob_status bob_source_c_reach(const char *path, const struct bob_source_c_options *options,
			      struct bob_source_c_reach **out, struct bob_source_c_complaint *why);

#endif
