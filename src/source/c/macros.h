/* SPDX-License-Identifier: BSD-3-Clause */
/* Macro definitions of a file and its headers, and the extent of each use in the file. Owner:
 * struct bob_c_definitions owns its table; names and texts are owned by the unit. Threads: one. */
#ifndef BOB_SOURCE_C_MACROS_H
#define BOB_SOURCE_C_MACROS_H

#include "source/c/unit.h"

struct bob_c_definition {
	const char *name, *text; /* text: parameters and replacement; NULL: unknown */
	size_t name_len, len;
	bool has_parameters;
	bool is_seen;		/* visited mark of graph searches */
};

/* All definitions; a name may occur more than once. */
struct bob_c_definitions {
	struct bob_c_unit *u;
	BOB_VEC(struct bob_c_definition);
	size_t pragmas;		/* the first ones may expand to a pragma: pragmas.c */
	bool is_named;		/* one of those is not a name of the system */
};

/* Reads the definitions, sorted by name. Out of memory: u->is_failed. The caller frees `at`. */
void bob_c_definitions_read(struct bob_c_unit *u, struct bob_c_definitions *to);
/* Finds the uses of macros: u->macros. `d` must be sorted by name. A macro that ends with the name
 * of another one with parameters takes the following argument list, too. */
void bob_c_macros_find(struct bob_c_unit *u, const struct bob_c_definitions *d);
/* Marks the unit's uses of macros that may expand to a _Pragma. Reorders `d`. */
void bob_c_pragmas_find(struct bob_c_unit *u, struct bob_c_definitions *d);

#endif
