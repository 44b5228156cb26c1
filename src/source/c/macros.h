/* SPDX-License-Identifier: BSD-3-Clause */
/* The macros that a file and its headers define, and how far each use of one goes in the file.
 * Owner: struct bob_c_definitions owns its table; names and texts are the unit's. Threads: one. */
#ifndef BOB_SOURCE_C_MACROS_H
#define BOB_SOURCE_C_MACROS_H

#include "source/c/unit.h"

struct bob_c_definition {
	const char *name, *text; /* text: after the name, with its parameters; NULL: not known */
	size_t name_len, len;
	bool has_parameters;
	bool is_seen;		/* mark of the function that walks through them */
};

/* Every definition there is; one name may be there more than once. */
struct bob_c_definitions {
	struct bob_c_unit *u;
	BOB_VEC(struct bob_c_definition);
	size_t pragmas;		/* the first of them may stand for one: pragmas.c */
	bool is_named;		/* one of those has a name that is not the system's own */
};

/* By name. No memory: u->is_failed. The caller frees `at`. */
void bob_c_definitions_read(struct bob_c_unit *u, struct bob_c_definitions *to);
/* Needs `d` by name: u->macros.at. A macro that ends with the name of another one that has
 * parameters also takes the brackets that follow it. */
void bob_c_macros_find(struct bob_c_unit *u, const struct bob_c_definitions *d);
/* Which of the unit's uses of macros may stand for a _Pragma. `d` is in another order then. */
void bob_c_pragmas_find(struct bob_c_unit *u, struct bob_c_definitions *d);

#endif
