/* SPDX-License-Identifier: BSD-3-Clause */
/* Inserts probes into one source file of any supported language: the interface of the front ends to
 * `bobbin instrument` (docs/source.md).
 *
 *     commands.c     parses requests; commands_text.c prints them
 *     instrument.c   selects the front end of a file
 *     predict.h      predicts the costs of the probes
 *     instrument_c.c converts requests to the options of the C front end
 *     c/             the C front end, on libclang
 *     fortran/       the Fortran front end, with its own parser
 *     embed.c        headers that instrumented files include, and code that becomes part of them
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
	const char *const *flags; /* of the compiler: include paths, macros */
	uint32_t flag_count;
	struct bob_source_group *group; /* the files of the command; NULL: the file alone */
	struct bob_predict *predict; /* borrowed; NULL: nothing is predicted */
	bool is_flat;		/* a probe for each access, in loops, too */
	/* ... each is reported where the compiler evaluates it, not before its statement */
	bool is_exact;
	bool holds_nothing;	/* loops do not hoist the caches of their sites */
	bool is_in_place;	/* no copies of procedures for calls that pass traced arguments */
	/* some files of the commands are not in the group, or could not be parsed together */
	bool is_partial;
	bool has_c_copies;	/* C has such copies, too; by default it has none */
};

/* What happened to the references of the file. */
struct bob_source_counts {
	uint32_t variables;
	uint32_t proved;	/* probes that record only requested accesses */
	uint32_t filtered;	/* probes whose address the recorder compares */
	uint32_t dropped; /* references without a probe: they cannot touch a requested variable */
	uint32_t nests,
		nest_references; /* loops with one probe before them, and references in these */
	uint32_t loops, calls, communication;
	uint32_t copies;	/* of procedures, for calls that pass traced arguments */
};

/* Requested references without a probe. count 0: another message about the line. */
struct bob_source_refusal {
	const char *why;
	uint32_t count;
	uint32_t line;		/* of the first */
	const char *system;	/* NULL, or the system header: one refusal for each */
	/* not refused, but reported before their statements in spite of is_exact */
	bool is_early;
};

struct bob_source_result {
	char *text;		/* the new file */
	size_t len;
	/* an additional C file to be compiled and linked; NULL: none */
	char *beside;
	size_t beside_len;
	/* NULL, or the reason why the text is the unchanged original: it could not be parsed */
	const char *left;
	struct bob_source_counts counts;
	const struct bob_source_refusal *refusals;
	uint32_t refusal_count;
	char *const *headers;	/* C headers that the text contains */
	uint32_t header_count;
	void *memory;		/* owned by the front end */
	void (*close)(struct bob_source_result *r);
};

struct bob_source_complaint {
	uint32_t command, column; /* position of the command that it is about; 0: none */
	char text
		/* one line; "file: ", or "file:line:column: ", first where there is such a place */
		[512];
};

/* The files of a command, which are analysed together: modules, COMMON blocks, arguments of calls.
 * Requests and options are borrowed and must live as long as the group. Results must be closed
 * before it. Errors: as below. */
bob_status bob_source_group_open(const struct bob_request_file *first,
				 const struct bob_source_options *o, struct bob_source_group **out,
				 struct bob_source_complaint *why);
void bob_source_group_close(struct bob_source_group *g); /* NULL is allowed */
/* The first error of a file of the group that the others are analysed without; NULL: it has none.
 * Borrowed, as long as the group lives. */
const char *bob_source_group_unread(const struct bob_source_group *g,
				    const struct bob_request_file *f);

/* Derived from the file's name. */
enum bob_source_language bob_source_language(const char *path);
/* On BOB_OK *out belongs to the caller (bob_source_close). A C file with an error is returned
 * unchanged (`left`); so are Fortran units. Otherwise *out is unchanged and `why` has the reason:
 * BOB_ERR_UNSUPPORTED (no front end, or no libclang), BOB_ERR_INVAL (a request matches nothing),
 * BOB_ERR_NOENT, BOB_ERR_IO, BOB_ERR_NOMEM. */
bob_status bob_source_instrument(const struct bob_request_file *f,
				 const struct bob_source_options *o, struct bob_source_result **out,
				 struct bob_source_complaint *why);
void bob_source_close(struct bob_source_result *r); /* NULL is allowed */

/* Headers that instrumented files include, by their include names; a NULL name ends the list. */
extern const struct bob_embedded bob_source_headers[];

#endif
