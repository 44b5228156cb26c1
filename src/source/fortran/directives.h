/* SPDX-License-Identifier: BSD-3-Clause */
/* Directives in comments (OpenMP, OpenACC, those of compilers), the statements that they apply to,
 * and the preprocessor lines around them. Pure functions of a file with units. Any thread. */
#ifndef BOB_SOURCE_FORTRAN_DIRECTIVES_H
#define BOB_SOURCE_FORTRAN_DIRECTIVES_H

#include "source/fortran/units.h"

/* True if the directive contains the word, also as the end of a word, before its first parenthesis:
 * `$omp parallel do private(i)` contains `do`, and so does `$omp paralleldo`. */
bool bob_fortran_directive_has(const struct bob_fortran_statement *s, const char *word);
/* True for `$omp end do`, `$omp enddo`. */
bool bob_fortran_directive_ends(const struct bob_fortran_statement *s);
/* Does the directive continue that of the previous line? `!$omp &`, `!$omp&`, or after a line that
 * ends with `&`. */
bool bob_fortran_directive_continues(const struct bob_fortran_file *f, uint32_t statement);
/* Does the statement directly follow a directive? Preprocessor lines may be between. */
bool bob_fortran_is_after_directive(const struct bob_fortran_file *f, uint32_t statement);
/* The first of the directives directly before the statement that apply to it, or the #if around
 * them; the statement itself if there are none. Each line of a continued directive is a statement:
 * `$omp do &`, `$omp& private(i)`. BOB_FORTRAN_NO: nothing can be inserted before them, because the
 * #if contains another directive, too. */
uint32_t bob_fortran_first_directive(const struct bob_fortran_file *f, uint32_t statement);
/* The same after the statement: the last directive that ends at it, or its #endif. */
uint32_t bob_fortran_last_directive(const struct bob_fortran_file *f, uint32_t statement);

#endif
