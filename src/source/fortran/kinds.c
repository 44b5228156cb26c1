/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and groups of the kinds of statements, from kinds.def. */
#include "source/fortran/kinds.h"

static const struct {
	const char *text;
	enum bob_fortran_group group;
} kinds[] = {
#define OTHER BOB_FORTRAN_OTHER
#define UNIT BOB_FORTRAN_UNIT
#define SPECIFICATION BOB_FORTRAN_SPECIFICATION
#define EXECUTABLE BOB_FORTRAN_EXECUTABLE
#define X(name, text, group) [BOB_F_##name] = { text, group },
#include "source/fortran/kinds.def"
#undef X
};

enum bob_fortran_group bob_fortran_group(enum bob_fortran_kind kind)
{
	return kind < BOB_F_KIND_COUNT ? kinds[kind].group : BOB_FORTRAN_OTHER;
}

const char *bob_fortran_kind_text(enum bob_fortran_kind kind)
{
	return kind < BOB_F_KIND_COUNT ? kinds[kind].text : kinds[0].text;
}
