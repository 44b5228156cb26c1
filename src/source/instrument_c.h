/* SPDX-License-Identifier: BSD-3-Clause */
/* Between commands and the C front end (c/c.h): what was said becomes its options. For
 * instrument.c. One thread. */
#ifndef BOB_SOURCE_INSTRUMENT_C_H
#define BOB_SOURCE_INSTRUMENT_C_H

#include "source/across.h"
#include "source/instrument.h"

/* The C files of a command, as bob_source_group_open has all. */
struct bob_source_c_group;
bob_status bob_source_c_group_open(const struct bob_request_file *first,
				   const struct bob_source_options *o,
				   struct bob_source_c_group **out,
				   struct bob_source_complaint *why);
/* What Fortran files of the command have to look at: valid as long as the group. */
const struct bob_source_across *bob_source_c_across(const struct bob_source_c_group *g);
/* ... and what they want these to look at: borrowed, must live as long as the group is used. */
void bob_source_c_join(struct bob_source_c_group *g, const struct bob_source_across *fortran);
void bob_source_c_group_close(struct bob_source_c_group *g); /* NULL is allowed */
/* As bob_source_group_unread. */
const char *bob_source_c_unread(const struct bob_source_c_group *g,
				const struct bob_request_file *f);
/* As bob_source_instrument. `g`: NULL, or the group that the file is of. */
bob_status bob_source_c_file(const struct bob_source_c_group *g, const struct bob_request_file *f,
			     const struct bob_source_options *o, struct bob_source_result **out,
			     struct bob_source_complaint *why);

#endif
