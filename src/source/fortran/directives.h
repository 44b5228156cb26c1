/* SPDX-License-Identifier: BSD-3-Clause */
/* Directives in comments (OpenMP, OpenACC, compilers' own), which statements they mean, and the
 * lines of the preprocessor around them. Pure functions of a file that has units. */
#ifndef BOB_SOURCE_FORTRAN_DIRECTIVES_H
#define BOB_SOURCE_FORTRAN_DIRECTIVES_H

#include "source/fortran/units.h"

/* A word of a directive, or the end of one, up to its first bracket: `$omp parallel do private(i)`
 * has do, and so has `$omp paralleldo`. */
bool bob_fortran_directive_has(const struct bob_fortran_statement *s, const char *word);
/* `$omp end do`, `$omp enddo`. */
bool bob_fortran_directive_ends(const struct bob_fortran_statement *s);
/* Does the directive continue the one in the line before? `!$omp &`, `!$omp&`, or after a line that
 * ends with `&`. */
bool bob_fortran_directive_continues(const struct bob_fortran_file *f, uint32_t statement);
/* Does it directly follow a directive? Lines of the preprocessor may be between. */
bool bob_fortran_is_after_directive(const struct bob_fortran_file *f, uint32_t statement);
/* The first of the directives right before the statement that mean it, or the #if around them;
 * itself if there is none. The lines of one that is continued are several statements: `$omp do &`,
 * `$omp& private(i)`. BOB_FORTRAN_NO: nothing can be inserted before them, because the #if has
 * another directive, too. */
uint32_t bob_fortran_first_directive(const struct bob_fortran_file *f, uint32_t statement);
/* The same after the statement: the last of those that end it, or their #endif. */
uint32_t bob_fortran_last_directive(const struct bob_fortran_file *f, uint32_t statement);

#endif
