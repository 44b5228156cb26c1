/* SPDX-License-Identifier: BSD-3-Clause */
/* What leaves the sight of probes, and is said so: given.c. Notes are the unit's. Threads: one. */
#ifndef BOB_SOURCE_C_GIVEN_H
#define BOB_SOURCE_C_GIVEN_H

#include "source/c/unit.h"

/* A call: what was asked for may be among its arguments. */
void bob_c_given_call(struct bob_c_unit *u, CXCursor call);
/* A variable, or the pointer `to`, gets a value that is no new block. */
void bob_c_given_variable(struct bob_c_unit *u, const struct bob_c_variable *v, CXCursor value);
void bob_c_given_path(struct bob_c_unit *u, CXCursor to, CXCursor value);
/* What is to be said of it, with count 0: so many, in memory of the unit. */
uint32_t bob_c_given_remarks(struct bob_c_unit *u, struct bob_source_c_refused **out);

#endif
