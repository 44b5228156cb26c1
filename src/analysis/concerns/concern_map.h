/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps of concerns: which lines of a program's files belong to which component and to which
 * concern. The text, with all its features (docs/concerns.md):
 *
 *     # a comment, up to the end of the line
 *     [component main]
 *     is.c                     # the whole file
 *     [component perf]
 *     perf.c
 *     common.c  10-40, "int sum(" - "}"   # lines of it: by number, or by a unique text of a line;
 *                                         # after the dash, the next line with that text
 *     [concern perf]
 *     home = perf              # its component; default: the one with most of its lines
 *     perf.c
 *     is.c  17, every "trace_" # every line with that text
 *     [concern sort]
 *     rest                     # all lines of no other concern
 *     [annotations]            # further functions whose calls are annotations
 *     my_mark  my_trace_*
 *
 * Names with blanks are in double quotes. A map owns its texts; bob_concerns_map_destroy frees all.
 * Threads: one map, one thread. */
#ifndef BOB_ANALYSIS_CONCERNS_CONCERN_MAP_H
#define BOB_ANALYSIS_CONCERNS_CONCERN_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/concerns/sloc.h"
#include "bobbin/status.h"

#define BOB_CONCERNS_MAX 32u		/* components, and concerns */
#define BOB_CONCERNS_FILES_MAX 1024u
#define BOB_CONCERNS_MARKS_MAX 256u
#define BOB_CONCERNS_CLAIMS_MAX 16384u
#define BOB_CONCERNS_MAP_BYTES (1u << 20) /* maximal length of a map's text */
#define BOB_CONCERNS_FILES_BYTES (64u << 20) /* of all files together; checked by readers */
#define BOB_CONCERNS_NONE 0xffffffffu

/* One printable line: "FILE:LINE:COLUMN: cause". */
struct bob_concerns_complaint {
	char text[320];
};

struct bob_concerns_name {
	const char *name;
	uint32_t line, column;		/* position of its section */
	uint32_t home;			/* of a concern: index of a component, or NONE */
	/* takes lines without another claim: line of `rest`, or 0 */
	uint32_t rest;
};

/* One end of a range: a line number from 1, or the line with `text` if that is not NULL. */
struct bob_concerns_end {
	uint32_t line;
	const char *text;
};

enum bob_concerns_shape { BOB_CONCERNS_WHOLE, BOB_CONCERNS_RANGE, BOB_CONCERNS_EVERY };

/* Lines of a file that belong to a component or concern. */
struct bob_concerns_claim {
	uint8_t of_concern;
	uint8_t shape;
	uint32_t owner;			/* index of the component or concern */
	uint32_t file;
	struct bob_concerns_end first,
		last; /* of RANGE, equal for a single line; EVERY has first.text */
	uint32_t line, column;		/* position in the map */
};

struct bob_concerns_map {
	const char *name;		/* of the map's file, for messages */
	struct bob_concerns_name component[BOB_CONCERNS_MAX], concern[BOB_CONCERNS_MAX];
	uint32_t components, concerns, files, claims;
	const char *file[BOB_CONCERNS_FILES_MAX];
	enum bob_sloc_language language[BOB_CONCERNS_FILES_MAX];
	struct bob_concerns_claim *claim;
	const char *mark[BOB_CONCERNS_MARKS_MAX]; /* including the predefined ones */
	struct bob_sloc_marks marks;
	char *text;			/* memory of all these words */
};

/* Parses an untrusted text; `name` is the file's. On BOB_OK *out belongs to the caller, otherwise
 * it is unchanged and `why` (or NULL) gets position and cause. Errors: BOB_ERR_CORRUPT,
 * BOB_ERR_FULL (too large), BOB_ERR_NOMEM (`why` is not set). */
bob_status bob_concerns_map_parse(const char *text, size_t len, const char *name,
				  struct bob_concerns_map **out,
				  struct bob_concerns_complaint *why);
void bob_concerns_map_destroy(struct bob_concerns_map *map);

/* Writes "NAME:LINE:COLUMN: " and the message, with '?' for unprintable bytes. Returns `st`. */
bob_status bob_concerns_complain(struct bob_concerns_complaint *why, bob_status st,
				 const char *name, uint32_t line, uint32_t column,
				 const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
