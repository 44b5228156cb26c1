/* SPDX-License-Identifier: BSD-3-Clause */
/* Inserts probes into one source file of any supported language: the interface of the front ends to
 * `bobbin instrument` (docs/source.md).
 *
 *   commands.c     what the user wants traced; commands_text.c as text
 *   instrument.c   which front end reads a file
 *   predict.h      what their probes will cost
 *   instrument_c.c requests in the form of the front end for C
 *   c/             C, by libclang
 *   fortran/       Fortran, our own reader
 *   embed.c        the headers that instrumented files include, and code that becomes part of them
 *
 * Owner: a result owns all it points at. Threads: one at a time. Lines and columns from 1. */
#ifndef BOB_SOURCE_INSTRUMENT_H
#define BOB_SOURCE_INSTRUMENT_H

#include "base/host/embed.h"
#include "source/commands.h"
#include "source/predict.h"

enum bob_source_language { BOB_SOURCE_UNKNOWN, BOB_SOURCE_C, BOB_SOURCE_FORTRAN };

struct bob_source_group;

struct bob_source_options {
	const char *const *flags; /* of the compiler: where headers and includes are, macros */
	uint32_t flag_count;
	struct bob_source_group *group; /* the files of the command; NULL: the file alone */
	struct bob_predict *predict; /* borrowed; NULL: nothing is predicted */
	bool is_flat;		/* every access has a probe of its own, in loops, too */
	/* ... and is reported where the compiler evaluates it, not before its statement */
	bool is_exact;
	bool holds_nothing;	/* no loop holds the untraced ranges of its sites */
	bool is_in_place;	/* no copies of procedures for calls that pass what is traced */
	/* the group has not all files that the commands name, or they could not be read together */
	bool is_partial;
	bool has_c_copies;	/* C has them, too; it has none by default */
};

/* What became of references. */
struct bob_source_counts {
	uint32_t variables;
	uint32_t proved;	/* probes that can only see what was asked for */
	uint32_t filtered;	/* probes of which the recorder decides by the address */
	uint32_t dropped;	/* no probe: they cannot touch what was asked for */
	uint32_t nests,
		nest_references; /* loops with one probe before them, and references in these */
	uint32_t loops, calls, communication;
	uint32_t copies;	/* of procedures, for calls that pass what is traced */
};

/* Something that was asked for and has no probe; count 0: something else that is to be said of the
 * line. */
struct bob_source_refusal {
	const char *why;
	uint32_t count;
	uint32_t line;		/* of the first */
	const char *system;	/* NULL; the header of the system: one for each */
	/* not refused: is_exact was requested, but they are reported before their statements */
	bool is_early;
};

struct bob_source_result {
	char *text;		/* the new file */
	size_t len;
	/* a file in C to be compiled and linked as well; NULL: there is none */
	char *beside;
	size_t beside_len;
	/* NULL; the text is the file's own, for it could not be read: why, as a complaint */
	const char *left;
	struct bob_source_counts counts;
	const struct bob_source_refusal *refusals;
	uint32_t refusal_count;
	char *const *headers;	/* that the text has in it, in C */
	uint32_t header_count;
	void *memory;		/* the front end's */
	void (*close)(struct bob_source_result *r);
};

struct bob_source_complaint {
	uint32_t command, column; /* which command it is about, and where in it; 0: none */
	char text
		/* one line; "file: ", or "file:line:column: ", first where there is such a place */
		[512];
};

/* The files of a command, which know of each other: modules, COMMON blocks, who passes what to
 * whom. Requests and options are borrowed and must live as long; results end before it. Errors: as
 * below. */
bob_status bob_source_group_open(const struct bob_request_file *first,
				 const struct bob_source_options *o, struct bob_source_group **out,
				 struct bob_source_complaint *why);
void bob_source_group_close(struct bob_source_group *g); /* NULL is allowed */
/* Why the others do not know this file of the group: its text has an error; NULL: they do.
 * Borrowed, as long as the group. */
const char *bob_source_group_unread(const struct bob_source_group *g,
				    const struct bob_request_file *f);

/* By the file's name. */
enum bob_source_language bob_source_language(const char *path);
/* On BOB_OK *out is the caller's (bob_source_close); a file in C whose text has an error stays as
 * it is (`left`), as units of Fortran do. Else *out is untouched and `why` says what is wrong:
 * BOB_ERR_UNSUPPORTED (no front end for it, or no libclang), BOB_ERR_INVAL (what was asked for is
 * not there), BOB_ERR_NOENT, BOB_ERR_IO, BOB_ERR_NOMEM. */
bob_status bob_source_instrument(const struct bob_request_file *f,
				 const struct bob_source_options *o, struct bob_source_result **out,
				 struct bob_source_complaint *why);
void bob_source_close(struct bob_source_result *r); /* NULL is allowed */

/* Headers that instrumented files include, by the names they do it by; the last has none. */
extern const struct bob_embedded bob_source_headers[];

#endif
