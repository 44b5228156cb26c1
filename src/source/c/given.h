/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects accesses that probes cannot see, for messages: given.c. Notes are owned by the unit.
 * Threads: one. */
#ifndef BOB_SOURCE_C_GIVEN_H
#define BOB_SOURCE_C_GIVEN_H

#include "source/c/unit.h"

/* A call: its arguments may be requested variables. */
void bob_c_given_call(struct bob_c_unit *u, CXCursor call);
/* A variable, or the pointer `to`, is assigned a value that is not a new block. */
void bob_c_given_variable(struct bob_c_unit *u, const struct bob_c_variable *v, CXCursor value);
void bob_c_given_path(struct bob_c_unit *u, CXCursor to, CXCursor value);
/* The messages, with count 0. Returns their number; they are in memory of the unit. */
uint32_t bob_c_given_remarks(struct bob_c_unit *u, struct bob_source_c_refused **out);

#endif
