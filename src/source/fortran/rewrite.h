/* SPDX-License-Identifier: BSD-3-Clause */
/* A changed copy of a source file: inserted statements, and replaced parts of lines. Untouched
 * lines are the same bytes. Inserted statements, and lines that become too long, are broken at the
 * form's last column and continued; the comment of a long line moves to a separate line before it.
 * `#` line directives keep the line numbers of compilers' messages. Owner: the arena. Threads:
 * those of the file. */
#ifndef BOB_SOURCE_FORTRAN_REWRITE_H
#define BOB_SOURCE_FORTRAN_REWRITE_H

#include "source/fortran/lines.h"

#define BOB_FORTRAN_CONTINUATIONS_MAX 255 /* per statement, by Fortran 2008 and gfortran */

struct bob_fortran_patch;
struct bob_fortran_copy;

struct bob_fortran_patches {
	struct bob_arena *arena;
	const struct bob_fortran_file *file;
	const struct bob_fortran_copy *copies; /* sorted by last_line; NULL: none */
	uint32_t copy_count;
	struct bob_fortran_patch *at; /* in the order of the calls */
	uint32_t count, capacity;
};

/* Lines that are repeated after the last of them, with separate patches. */
struct bob_fortran_copy {
	uint32_t first_line, last_line;
	struct bob_fortran_patches patches;
};

void bob_fortran_patches_init(struct bob_fortran_patches *p, struct bob_arena *arena,
			      const struct bob_fortran_file *f);

/* Inserts a statement on separate lines, at the beginning of a line, or of a statement after a `;`
 * (insertion.h gives both; the `;` becomes the end of the line). `text` is one statement, without
 * comments and continuations; label 0: none. Several at one offset keep the order of the calls.
 * Errors: BOB_ERR_NOMEM; BOB_ERR_INVAL (nothing begins there, or within a statement);
 * BOB_ERR_UNSUPPORTED (more lines than a statement may have, a label of more than 5 digits). */
bob_status bob_fortran_patch_statement(struct bob_fortran_patches *p, uint32_t at, uint32_t label,
				       const char *text);

/* Replaces bytes [at, at + len) of a line of code by `text` (no newline). len 0: inserts before
 * `at`; "": deletes. A label in columns 1 to 5 of fixed form must keep its length: "  " deletes a
 * label of two digits. Errors: BOB_ERR_NOMEM; BOB_ERR_INVAL (not within one line of code). */
bob_status bob_fortran_patch_replace(struct bob_fortran_patches *p, uint32_t at, uint32_t len,
				     const char *text);

/* One line of the output. */
struct bob_fortran_written {
	uint32_t line;		/* line in the original; inserted lines: the next original one */
	bool is_inserted;
};

struct bob_fortran_output {
	char *bytes;		/* in the arena, zero terminated */
	size_t len;
	struct bob_fortran_written *lines; /* entry n - 1 is of line n */
	uint32_t line_count;
};

/* Applies the patches. path: name of the original in line directives (`# 12 "path"`); NULL: no
 * directives. Errors: BOB_ERR_NOMEM; BOB_ERR_INVAL (overlapping patches), BOB_ERR_UNSUPPORTED (a
 * statement gets too many lines): *bad_byte is the place (may be NULL). */
bob_status bob_fortran_patches_apply(const struct bob_fortran_patches *p, const char *path,
				     struct bob_fortran_output *out, uint32_t *bad_byte);

#endif
