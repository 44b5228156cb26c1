/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of Fortran statements. Constant tables; any thread. */
#ifndef BOB_SOURCE_FORTRAN_KINDS_H
#define BOB_SOURCE_FORTRAN_KINDS_H

#include <stdbool.h>

/* Notes on single kinds:
 *     UNKNOWN        not recognised: copied unchanged, never guessed
 *     EMPTY          only a label, or nothing between two `;`
 *     DIRECTIVE      !$omp, !$acc, !dir$, ...; `text` begins with the sentinel, without its comment
 *                    character
 *     CPP            a preprocessor line, with preceding lines that end in a backslash
 *     DECLARATION    entities with their type; also DEC's RECORD
 *     ATTRIBUTE      ALLOCATABLE, POINTER, TARGET, OPTIONAL, INTENT, PUBLIC, PRIVATE, VALUE, ... as
 *                    statements
 *     PROCEDURE      procedure declarations, type-bound ones, and lists in interfaces
 *     MODULE_PROCEDURE  list in an interface, or the beginning of a body in a submodule (see units)
 *     ASSIGN         also a statement function (see units)
 *     CASE           also CASE DEFAULT; CLASS_IS also CLASS DEFAULT; RANK also RANK DEFAULT
 *     DO_FOREVER     DO without loop control
 *     EVENT, LOCK    EVENT POST, EVENT WAIT; LOCK, UNLOCK */
enum bob_fortran_kind {
#define X(name, text, group) BOB_F_##name,
#include "source/fortran/kinds.def"
#undef X
	BOB_F_KIND_COUNT
};

enum bob_fortran_group {
	BOB_FORTRAN_OTHER,
	BOB_FORTRAN_UNIT,
	BOB_FORTRAN_SPECIFICATION,
	BOB_FORTRAN_EXECUTABLE
};

enum bob_fortran_group bob_fortran_group(enum bob_fortran_kind kind);
/* The name, such as "do while"; never NULL. */
const char *bob_fortran_kind_text(enum bob_fortran_kind kind);

static inline bool bob_fortran_is_loop(enum bob_fortran_kind k)
{
	return k == BOB_F_DO || k == BOB_F_DO_WHILE || k == BOB_F_DO_FOREVER;
}

#endif
