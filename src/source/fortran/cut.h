/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of the writer of changed files (rewrite.c), and the breaking of long lines at the form's
 * last column. Owner: the arena. One thread. */
#ifndef BOB_SOURCE_FORTRAN_CUT_H
#define BOB_SOURCE_FORTRAN_CUT_H

#include "source/fortran/rewrite.h"

struct bob_fortran_writer {
	struct bob_arena *arena;
	struct bob_fortran_output *out;
	size_t capacity;
	uint32_t line_capacity;
	uint32_t line;		/* of the original, for the line map */
	bool is_inserting, failed;
};

void bob_fortran_write(struct bob_fortran_writer *w, const char *bytes, size_t len);
/* Ends the line. */
void bob_fortran_write_end(struct bob_fortran_writer *w);
/* The number of lines of the statement; 0: it cannot be broken. */
uint32_t bob_fortran_cut_count(const struct bob_fortran_file *f, const char *text);
/* Writes a statement on separate lines; label 0: none. */
void bob_fortran_cut(struct bob_fortran_writer *w, const struct bob_fortran_file *f, uint32_t label,
		     const char *text);
/* Writes a line of code that may be too long: breaks it exactly at the last column. Returns the
 * number of added lines. */
uint32_t bob_fortran_recut(struct bob_fortran_writer *w, const struct bob_fortran_file *f,
			   const char *line, uint32_t len, bool was_long);

#endif
