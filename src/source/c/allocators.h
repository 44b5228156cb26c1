/* SPDX-License-Identifier: BSD-3-Clause */
/* Classifies calls that allocate or free memory: allocators.c. Results are owned by the unit or the
 * options. Threads: one. */
#ifndef BOB_SOURCE_C_ALLOCATORS_H
#define BOB_SOURCE_C_ALLOCATORS_H

#include "source/c/unit.h"

/* The allocator that the call refers to. NULL: no allocator. Valid as long as the unit. */
const struct bob_source_c_allocator *bob_c_allocator(struct bob_c_unit *u, CXCursor call);
/* The name of the called function, or of the variable or member that points to it. */
const char *bob_c_callee(struct bob_c_unit *u, CXCursor call);
/* During the scan: records that the file calls it, if a command names it. */
void bob_c_allocator_called(struct bob_c_unit *u, CXCursor call);
/* True for malloc and the other allocators of the C library. NULL is allowed. */
bool bob_c_is_of_library(const struct bob_source_c_allocator *a);
/* The declaration as printed by clang, without the body: macros are expanded, constants are
 * evaluated. */
const char *bob_c_declaration(struct bob_c_unit *u, CXCursor decl);

#endif
