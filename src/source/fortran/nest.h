/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the reader of units. */
#ifndef BOB_SOURCE_FORTRAN_NEST_H
#define BOB_SOURCE_FORTRAN_NEST_H

#include "source/fortran/units.h"

/* header.c: fills what the statement says of the unit it begins, whose kind is set; false without
 * memory. */
bool bob_fortran_read_header(struct bob_arena *arena, const struct bob_fortran_statement *s,
			     struct bob_fortran_unit *u);

/* bodies.c: where declarations and the first lines that run may be inserted, of each unit. Again
 * once statement functions are known: these are not executable then. */
void bob_fortran_find_bodies(struct bob_fortran_file *f);

/* targets.c: marks the statements whose labels something else than a DO names. Errors:
 * BOB_ERR_NOMEM. */
bob_status bob_fortran_mark_targets(struct bob_fortran_file *f);

#endif
