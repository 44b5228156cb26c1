/* SPDX-License-Identifier: BSD-3-Clause */
/* Source lines of code: classifies the lines of a text as blank, comment, annotation or code.
 *
 * A line is code if anything but white space is left after removing comments; a blank line is blank
 * also inside a comment. An annotation is a line that consists of a complete call, as a statement,
 * of a function that only marks an event or a concern (its name is in the list); a call over
 * several lines counts as several. The preprocessor is not run: directives are code, and so is what
 * they exclude. In Fortran, comments that compilers interpret (`!$omp`, `c$omp`, `!$ `) are code,
 * like #pragma in C. Pure functions; any thread. */
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

/* Names of functions; a name that ends in * is a prefix. Borrowed. */
struct bob_sloc_marks {
	const char *const *name;
	size_t count;
};

/* Determines the language from the file name's extension. BOB_NONE: unknown. */
bob_status bob_sloc_language_of(const char *path, enum bob_sloc_language *out);
#define BOB_SLOC_EXTENSIONS                                                                        \
	".c .h .cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .cu .cl "                                \
	".f .for .ftn .f77 .f90 .f95 .f03 .f08"

/* Number of lines; a last line without a newline counts. */
size_t bob_sloc_lines(const char *text, size_t len);

/* `class` has capacity for bob_sloc_lines() elements, `scratch` for `len` bytes. */
void bob_sloc_classify(const char *text, size_t len, enum bob_sloc_language language,
		       const struct bob_sloc_marks *marks, char *scratch, uint8_t *class);

#endif
