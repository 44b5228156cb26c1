/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls give memory out or take it back: allocators.c. Results are the unit's, or the
 * options'. Threads: one. */
#ifndef BOB_SOURCE_C_ALLOCATORS_H
#define BOB_SOURCE_C_ALLOCATORS_H

#include "source/c/unit.h"

/* What the call gives out or takes back. NULL: nothing. Valid as long as the unit. */
const struct bob_source_c_allocator *bob_c_allocator(struct bob_c_unit *u, CXCursor call);
/* What is called, or the variable or member that leads to it. */
const char *bob_c_callee(struct bob_c_unit *u, CXCursor call);
/* In the scan: the file calls it, which is noted if a command names it. */
void bob_c_allocator_called(struct bob_c_unit *u, CXCursor call);
/* Is it malloc or one of its like, not the program's own? NULL is allowed. */
bool bob_c_is_of_library(const struct bob_source_c_allocator *a);
/* The declaration as clang writes it, without the body: macros are gone, and constants are
 * numbers. */
const char *bob_c_declaration(struct bob_c_unit *u, CXCursor decl);

#endif
