/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the parser of program units (units.c). One thread. */
#ifndef BOB_SOURCE_FORTRAN_NEST_H
#define BOB_SOURCE_FORTRAN_NEST_H

#include "source/fortran/units.h"

/* header.c: parses the first statement of a unit, whose kind is set; false without memory. */
bool bob_fortran_read_header(struct bob_arena *arena, const struct bob_fortran_statement *s,
			     struct bob_fortran_unit *u);

/* bodies.c: finds the insertion points of declarations and of first executable statements, in each
 * unit. Repeated when statement functions are known, because these are not executable. */
void bob_fortran_find_bodies(struct bob_fortran_file *f);

/* targets.c: marks statements whose labels are used other than by a DO. Errors: BOB_ERR_NOMEM. */
bob_status bob_fortran_mark_targets(struct bob_fortran_file *f);

#endif
