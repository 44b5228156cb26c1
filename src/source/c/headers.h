/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies headers of the program that have probes into the text, in place of the lines that include
 * them, with #line. So each file that includes one has its own text, with separate sites. System
 * headers are not copied, nor are those that cannot be replaced by their text (docs/source-c.md,
 * "Headers").
 *
 * Owner: the caller frees a result (bob_c_sources_free). Threads: one. Lines count from 1. */
#ifndef BOB_SOURCE_C_HEADERS_H
#define BOB_SOURCE_C_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/host/arena.h"
#include "source/c/clang.h"

/* The line of a place also has its file: the number of the file is in the upper bits, 0 for the
 * named file. */
#define BOB_C_LINE_BITS 24u
#define BOB_C_FILES_MAX 255u
static inline uint32_t bob_c_line(uint32_t line)
{
	return line & ((1u << BOB_C_LINE_BITS) - 1);
}
static inline uint32_t bob_c_file(uint32_t line)
{
	return line >> BOB_C_LINE_BITS;
}

/* Maps lines of the text, from this one on, to lines of the file from `line` on. */
struct bob_c_piece {
	uint32_t first, file, line;
};

struct bob_c_sources {
	struct bob_arena arena;
	const char **path;	/* names as of the compiler; the first is the file itself */
	uint32_t files;
	BOB_VEC(struct bob_c_piece) pieces;
};

struct bob_c_unit;

/* After a walk that found requested references in included files: the text with the headers that
 * can be copied; the caller frees it. False: there are none, or the text might have another
 * meaning. */
bool bob_c_take_headers(struct bob_c_unit *u, char **text, size_t *len, struct bob_c_sources **out);
/* True if the probes' headers would be included before the file defines feature macros
 * (_GNU_SOURCE) for the system headers. */
bool bob_c_is_too_early(const struct bob_c_unit *u);
void bob_c_sources_free(struct bob_c_sources *s); /* NULL is allowed */
/* Line of the text to the line in its file; `s` NULL: there is one file. */
uint32_t bob_c_line_of(const struct bob_c_sources *s, uint32_t line);

#endif
