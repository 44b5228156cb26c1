/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers of the program that have code to be probed. A file's text has them in it, in place of the
 * lines that include them, with #line; so there is one text for each file that includes one, with
 * sites of its own. Headers of the system stay, and so does what cannot be replaced by its text
 * (docs/source-c.md, "Headers").
 *
 * Owner: the caller that receives it frees it (bob_c_sources_free). Threads: one. Lines from 1. */
#ifndef BOB_SOURCE_C_HEADERS_H
#define BOB_SOURCE_C_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/host/arena.h"
#include "source/c/clang.h"

/* A place's line says which file it is in: the number of the file, 0 is that which was named, in
 * its upper bits. */
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

/* From this line of the text on, lines are those of the file from `line` on. */
struct bob_c_piece {
	uint32_t first, file, line;
};

struct bob_c_sources {
	struct bob_arena arena;
	const char **path;	/* as the compiler names them; the first is the file itself */
	uint32_t files;
	BOB_VEC(struct bob_c_piece) pieces;
};

struct bob_c_unit;

/* After a walk that met what was asked for in included files: the text with those of them that it
 * can stand for, which the caller frees. False: there are none, or the text would not mean the
 * same. */
bool bob_c_take_headers(struct bob_c_unit *u, char **text, size_t *len, struct bob_c_sources **out);
/* Would what probes need come before the file has said to the system's headers what it wants of
 * them? */
bool bob_c_is_too_early(const struct bob_c_unit *u);
void bob_c_sources_free(struct bob_c_sources *s); /* NULL is allowed */
/* Of a line of the text; `s` NULL: there is one file. */
uint32_t bob_c_line_of(const struct bob_c_sources *s, uint32_t line);

#endif
