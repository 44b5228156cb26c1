/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that becomes part of instrumented files, or of the files beside them: the folders `runtime`.
 * Each piece is a file that the tests compile and run (test_fortran_runtime.c, test_c_runtime.c),
 * embedded as it is. Threads: constants. */
#ifndef BOB_SOURCE_RUNTIME_H
#define BOB_SOURCE_RUNTIME_H

/* --- fortran/runtime, for the file in C beside an instrumented one, in this order --- */
extern const char bob_source_shared[], bob_source_objects[], bob_source_components[],
	bob_source_box[], bob_source_accesses[], bob_source_moves[], bob_source_holds[],
	bob_source_nest[], bob_source_uneven[], bob_source_events[];

/* --- c/runtime, for the instrumented file itself --- */
extern const char bob_source_c_probes[], bob_source_c_events[];

/* The text of a piece without its first line, which has its licence: it becomes part of a file that
 * has one of its own. */
const char *bob_source_runtime(const char *piece);

#endif
