/* SPDX-License-Identifier: BSD-3-Clause */
/* Source lines of code: which lines of a text are blank, comments, annotations or code.
 *
 * A line is code if anything but white space is left of it without its comments; a blank line is
 * blank wherever it is. An annotation is a line with nothing but a whole call, as a statement of
 * its own, of a function that only marks an event or a concern (its name is in the list); a call
 * over several lines is as many of them. The preprocessor is not run: directives are code, and so
 * is what they leave out. In Fortran, comments that compilers interpret (`!$omp`, `c$omp`, `!$ `)
 * are code, as #pragma is in C. Everything here is by value; any thread. */
#ifndef BOB_ANALYSIS_CONCERNS_SLOC_H
#define BOB_ANALYSIS_CONCERNS_SLOC_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

enum bob_sloc_language {
	BOB_SLOC_C,		/* and C++ */
	BOB_SLOC_FREE,		/* Fortran, free form */
	BOB_SLOC_FIXED		/* Fortran, fixed form: columns 7 to 72 */
};

enum bob_sloc_class { BOB_SLOC_BLANK, BOB_SLOC_COMMENT, BOB_SLOC_ANNOTATION, BOB_SLOC_CODE };

/* Names of functions; one that ends in * stands for all that begin so. Borrowed. */
struct bob_sloc_marks {
	const char *const *name;
	size_t count;
};

/* By the name's extension. BOB_NONE: it is of no language that is known. */
bob_status bob_sloc_language_of(const char *path, enum bob_sloc_language *out);
#define BOB_SLOC_EXTENSIONS                                                                        \
	".c .h .cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .cu .cl .f .for .ftn .f77 .f90 .f95 .f03 .f08"

/* How many lines; a last one without a newline is one. */
size_t bob_sloc_lines(const char *text, size_t len);

/* `class` has the capacity for bob_sloc_lines of them, `scratch` for `len` bytes. */
void bob_sloc_classify(const char *text, size_t len, enum bob_sloc_language language,
		       const struct bob_sloc_marks *marks, char *scratch, uint8_t *class);

#endif
