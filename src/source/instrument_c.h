/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts requests to options of the C front end (c/c.h) and opens the C files of a command as a
 * group. For instrument.c. One thread. */
#ifndef BOB_SOURCE_INSTRUMENT_C_H
#define BOB_SOURCE_INSTRUMENT_C_H

#include "source/across.h"
#include "source/instrument.h"

/* The C files of a command, as in bob_source_group_open. */
struct bob_source_c_group;
bob_status bob_source_c_group_open(const struct bob_request_file *first,
				   const struct bob_source_options *o,
				   struct bob_source_c_group **out,
				   struct bob_source_complaint *why);
/* The requests of these files that concern Fortran files of the command. Borrowed from the
 * group. */
const struct bob_source_across *bob_source_c_across(const struct bob_source_c_group *g);
/* Adds the requests of the Fortran files that concern these files. Borrowed: they must live as long
 * as the group is used. */
void bob_source_c_join(struct bob_source_c_group *g, const struct bob_source_across *fortran);
void bob_source_c_group_close(struct bob_source_c_group *g); /* NULL is allowed */
/* As bob_source_group_unread. */
const char *bob_source_c_unread(const struct bob_source_c_group *g,
				const struct bob_request_file *f);
/* As bob_source_instrument. `g` is the group of the file, or NULL. */
bob_status bob_source_c_file(const struct bob_source_c_group *g, const struct bob_request_file *f,
			     const struct bob_source_options *o, struct bob_source_result **out,
			     struct bob_source_complaint *why);

#endif
