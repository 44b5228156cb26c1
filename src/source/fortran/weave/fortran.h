/* SPDX-License-Identifier: BSD-3-Clause */
/* The Fortran front end: the interface that instrument.c calls. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_FORTRAN_H
#define BOB_SOURCE_FORTRAN_WEAVE_FORTRAN_H

#include "source/across.h"
#include "source/instrument.h"

/* The parsed Fortran files of a command, with their modules, COMMON blocks and procedures. `c`:
 * requests of C files. It, the requests and options are borrowed and must live as long as the
 * group. Errors: as of bob_source_instrument, with the file's name. */
struct bob_source_fortran_group;
bob_status bob_source_fortran_group_open(const struct bob_request_file *first,
					 const struct bob_source_options *o,
					 const struct bob_source_across *c,
					 struct bob_source_fortran_group **out,
					 struct bob_source_complaint *why);
/* Requests of these files that concern C files. Borrowed from the group. */
const struct bob_source_across *bob_source_fortran_across(const struct bob_source_fortran_group *g);
void bob_source_fortran_group_close(struct bob_source_fortran_group *g); /* NULL is allowed */

/* Instruments a file of the group, once; close the result before the group. g NULL: the file
 * alone. */
bob_status bob_source_fortran_instrument(struct bob_source_fortran_group *g,
					 const struct bob_request_file *f,
					 const struct bob_source_options *o,
					 struct bob_source_result **out,
					 struct bob_source_complaint *why);

#endif
