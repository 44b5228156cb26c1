/* SPDX-License-Identifier: BSD-3-Clause */
/* A changed copy of a source file: the bytes of the file, with statements put in and pieces of
 * lines replaced. Lines that are not touched are the same bytes. Statements that are put in are cut
 * to the form's columns and continued; so are lines that grow too long (their comment goes on a
 * line of its own before). Directives keep what compilers say about lines. Owner: the arena.
 * Threads: those of the file. */
#ifndef BOB_SOURCE_FORTRAN_PATCH_H
#define BOB_SOURCE_FORTRAN_PATCH_H

#include "source/fortran/lines.h"

#define BOB_FORTRAN_CONTINUATIONS_MAX                                                              \
	255 /* of one statement, by the standard of 2008 and gfortran */

struct bob_fortran_patch;
struct bob_fortran_copy;

struct bob_fortran_patches {
	struct bob_arena *arena;
	const struct bob_fortran_file *file;
	const struct bob_fortran_copy *copies; /* by last_line; NULL: none */
	uint32_t copy_count;
	struct bob_fortran_patch *at; /* in the order of the calls */
	uint32_t count, capacity;
};

/* Lines that are repeated, after the last of them, with separate patches. */
struct bob_fortran_copy {
	uint32_t first_line, last_line;
	struct bob_fortran_patches patches;
};

void bob_fortran_patches_init(struct bob_fortran_patches *p, struct bob_arena *arena,
			      const struct bob_fortran_file *f);

/* A statement on lines of its own, at a byte where a line begins, or where a statement begins after
 * a `;` (place.h gives both; the `;` becomes the end of the line). `text` is one statement, free of
 * comments and continuations; label 0: none. Several at the same byte come in the order of the
 * calls. Errors: BOB_ERR_NOMEM; BOB_ERR_INVAL (nothing begins there, or within a statement);
 * BOB_ERR_UNSUPPORTED (more lines than a statement may have, a label of more than 5 digits). */
bob_status bob_fortran_patch_statement(struct bob_fortran_patches *p, uint32_t at, uint32_t label,
				       const char *text);

/* Bytes [at, at + len) of a line of code become `text` (no newline); len 0 puts it in before `at`,
 * "" takes out. A label in
 * columns 1 to 5 of fixed form keeps its length: "  " takes a label of two digits away.
 * Errors: BOB_ERR_NOMEM; BOB_ERR_INVAL (not within one line of code). */
bob_status bob_fortran_patch_replace(struct bob_fortran_patches *p, uint32_t at, uint32_t len,
				     const char *text);

/* One line of what is written. */
struct bob_fortran_written {
	uint32_t line;		/* of the original; inserted: the one that follows */
	bool is_inserted;
};

struct bob_fortran_output {
	char *bytes;		/* in the arena, terminated by a zero */
	size_t len;
	struct bob_fortran_written *lines; /* of line n at [n - 1] */
	uint32_t line_count;
};

/* The changed file. path: name of the original for line directives (`# 12 "path"`), or NULL: none
 * are written. Errors: BOB_ERR_NOMEM; BOB_ERR_INVAL (patches that overlap), BOB_ERR_UNSUPPORTED (a
 * statement gets too many lines): *bad_byte is where (may be NULL). */
bob_status bob_fortran_patches_apply(const struct bob_fortran_patches *p, const char *path,
				     struct bob_fortran_output *out, uint32_t *bad_byte);

#endif
