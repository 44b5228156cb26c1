/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the writer of changed files: what is written, and lines that are cut to the form's
 * columns. */
#ifndef BOB_SOURCE_FORTRAN_CUT_H
#define BOB_SOURCE_FORTRAN_CUT_H

#include "source/fortran/patch.h"

struct bob_fortran_writer {
	struct bob_arena *arena;
	struct bob_fortran_output *out;
	size_t capacity;
	uint32_t line_capacity;
	uint32_t line;		/* of the original, for the map */
	bool is_inserting, failed;
};

void bob_fortran_write(struct bob_fortran_writer *w, const char *bytes, size_t len);
/* The line's end. */
void bob_fortran_write_end(struct bob_fortran_writer *w);
/* How many lines the statement takes (the first one included), 0: it cannot be cut. */
uint32_t bob_fortran_cut_count(const struct bob_fortran_file *f, const char *text);
/* One statement on its own lines; label 0: none. */
void bob_fortran_cut(struct bob_fortran_writer *w, const struct bob_fortran_file *f, uint32_t label,
		     const char *text);
/* A line of code that may have become too long: cut exactly at the last column. Returns how many
 * lines were added. */
uint32_t bob_fortran_recut(struct bob_fortran_writer *w, const struct bob_fortran_file *f,
			   const char *line, uint32_t len, bool was_long);

#endif
