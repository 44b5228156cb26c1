/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps of concerns: which lines of a program's files belong to which component, and which to which
 * concern. The text, with everything there is (docs/concerns.md):
 *
 *     # a comment, up to the end of the line
 *     [component main]
 *     is.c                     # the whole file
 *     [component perf]
 *     perf.c
 *     common.c  10-40, "int sum(" - "}"   # lines of it: by number, or by text that one line has;
 *                                         # after the dash, the next line that has it
 *     [concern perf]
 *     home = perf              # its component; if not said, the one with most of its lines
 *     perf.c
 *     is.c  17, every "trace_" # every line with that text
 *     [concern sort]
 *     rest                     # all lines that are of no other concern
 *     [annotations]            # further functions whose calls are annotations
 *     my_mark  my_trace_*
 *
 * Names with blanks, of files and of anything else, are in double quotes. Who owns what: a map owns
 * its texts; bob_concerns_map_destroy frees all. Threads: one map, one thread. */
#ifndef BOB_ANALYSIS_CONCERNS_MAP_H
#define BOB_ANALYSIS_CONCERNS_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/concerns/sloc.h"
#include "bobbin/status.h"

#define BOB_CONCERNS_MAX 32u		/* components, and concerns */
#define BOB_CONCERNS_FILES_MAX 1024u
#define BOB_CONCERNS_MARKS_MAX 256u
#define BOB_CONCERNS_CLAIMS_MAX 16384u
#define BOB_CONCERNS_MAP_BYTES (1u << 20) /* of a map's text, at most */
#define BOB_CONCERNS_FILES_BYTES (64u << 20) /* of all files together: readers keep to it */
#define BOB_CONCERNS_NONE 0xffffffffu

/* One printable line: "FILE:LINE:COLUMN: cause". */
struct bob_concerns_complaint {
	char text[320];
};

struct bob_concerns_name {
	const char *name;
	uint32_t line, column;		/* where its section begins */
	uint32_t home;			/* of a concern: a component, or NONE */
	/* takes the lines without another claim: the line that says so, or 0 */
	uint32_t rest;
};

/* One end of a range: a line from 1, or if `text` is not NULL a line with that text. */
struct bob_concerns_end {
	uint32_t line;
	const char *text;
};

enum bob_concerns_shape { BOB_CONCERNS_WHOLE, BOB_CONCERNS_RANGE, BOB_CONCERNS_EVERY };

/* Lines of a file, for a component or a concern. */
struct bob_concerns_claim {
	uint8_t of_concern;
	uint8_t shape;
	uint32_t owner;			/* number of the component or concern */
	uint32_t file;
	struct bob_concerns_end first,
		last; /* of RANGE; both are the same for a single line; EVERY has first.text */
	uint32_t line, column;		/* in the map */
};

struct bob_concerns_map {
	const char *name;		/* of the map's file, for complaints */
	struct bob_concerns_name component[BOB_CONCERNS_MAX], concern[BOB_CONCERNS_MAX];
	uint32_t components, concerns, files, claims;
	const char *file[BOB_CONCERNS_FILES_MAX];
	enum bob_sloc_language language[BOB_CONCERNS_FILES_MAX];
	struct bob_concerns_claim *claim;
	const char *mark[BOB_CONCERNS_MARKS_MAX]; /* those that are always there as well */
	struct bob_sloc_marks marks;
	char *text;			/* where all these words lie */
};

/* `text` may be anything; `name` is the file's. On BOB_OK *out is the caller's, else untouched and
 * `why` (or NULL) says where and why. Errors: BOB_ERR_CORRUPT, BOB_ERR_FULL (too large),
 * BOB_ERR_NOMEM (`why` is not set). */
bob_status bob_concerns_map_parse(const char *text, size_t len, const char *name,
				  struct bob_concerns_map **out,
				  struct bob_concerns_complaint *why);
void bob_concerns_map_destroy(struct bob_concerns_map *map);

/* Writes "NAME:LINE:COLUMN: " and the rest, with bytes that cannot be printed as '?'. Returns
 * `st`. */
bob_status bob_concerns_complain(struct bob_concerns_complaint *why, bob_status st,
				 const char *name, uint32_t line, uint32_t column,
				 const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
