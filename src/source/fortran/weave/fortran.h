/* SPDX-License-Identifier: BSD-3-Clause */
/* The Fortran front end of the instrumenter, as source/instrument.h has front ends. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_FORTRAN_H
#define BOB_SOURCE_FORTRAN_WEAVE_FORTRAN_H

#include "source/across.h"
#include "source/instrument.h"

/* The Fortran files among those of a command, read, each knowing what the others have: modules,
 * COMMON blocks, procedures. `c` is what C files want; it, the requests and options are borrowed
 * and must live as long. Errors: as of bob_source_instrument, with the file's name. */
struct bob_source_fortran_group;
bob_status bob_source_fortran_group_open(const struct bob_request_file *first,
					 const struct bob_source_options *o,
					 const struct bob_source_across *c,
					 struct bob_source_fortran_group **out,
					 struct bob_source_complaint *why);
/* What C files have to look at: valid as long as the group. */
const struct bob_source_across *bob_source_fortran_across(const struct bob_source_fortran_group *g);
void bob_source_fortran_group_close(struct bob_source_fortran_group *g); /* NULL is allowed */

/* A file of the group, once; its result ends before the group does. g NULL: the file alone. */
bob_status bob_source_fortran_instrument(struct bob_source_fortran_group *g,
					 const struct bob_request_file *f,
					 const struct bob_source_options *o,
					 struct bob_source_result **out,
					 struct bob_source_complaint *why);

#endif
