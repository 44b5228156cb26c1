/* SPDX-License-Identifier: BSD-3-Clause */
/* A changed copy of a source file: the bytes of the file, with pieces put in, taken out or replaced. Lines that are not
 * touched are the same bytes. Statements that are put in are cut to the form's columns and continued; so are lines that
 * grow too long; a line directive behind each change keeps what compilers and debuggers say about lines.
 * Owner: the arena. Threads: those of the file. */
#ifndef BOB_SOURCE_FORTRAN_PATCH_H
#define BOB_SOURCE_FORTRAN_PATCH_H

#include "source/fortran/lines.h"

struct bob_fortran_patch;

struct bob_fortran_patches {
	struct bob_arena *arena;
	const struct bob_fortran_file *file;
	struct bob_fortran_patch *first, *last;
	uint32_t count;
};

void bob_fortran_patches_init(struct bob_fortran_patches *p, struct bob_arena *arena,
			      const struct bob_fortran_file *f);

/* A statement on lines of its own, at a byte where a line begins (place.h gives it). `text` is one statement, free of
 * comments and continuations; label 0: none. Several at the same byte come in the order of the calls.
 * Errors: BOB_ERR_NOMEM, BOB_ERR_INVAL (no line begins there), BOB_ERR_UNSUPPORTED (a character constant or
 * too many lines: it cannot be cut). */
bob_status bob_fortran_patch_statement(struct bob_fortran_patches *p, uint32_t at, uint32_t label,
				       const char *text);

/* Bytes [at, at + len) of a line become `text` (no newline); len 0 puts it in, "" takes out. Within a statement or a
 * label. Errors: BOB_ERR_NOMEM, BOB_ERR_INVAL (beyond the line, or in columns that the form does not read). */
bob_status bob_fortran_patch_replace(struct bob_fortran_patches *p, uint32_t at, uint32_t len,
				     const char *text);

/* One line of what is written. */
struct bob_fortran_written {
	uint32_t
		line; /* of the original it stands for; of an inserted line: that of the next original */
	bool is_inserted;
};

struct bob_fortran_output {
	char *bytes;		/* in the arena, with a zero behind */
	size_t len;
	struct bob_fortran_written *lines; /* of line n at [n - 1] */
	uint32_t line_count;
};

/* The changed file. path: name of the original for line directives (`# 12 "path"`), or NULL: none are written.
 * Errors: BOB_ERR_NOMEM, BOB_ERR_INVAL (patches that overlap), BOB_ERR_UNSUPPORTED (a line needs more continuations than
 * the form has: 255; 19 if the file keeps to that), *bad_byte is where. */
bob_status bob_fortran_patches_apply(const struct bob_fortran_patches *p, const char *path,
				     struct bob_fortran_output *out, uint32_t *bad_byte);

#endif
