/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin arrays: explains why the named variable was not found. One thread. */
#ifndef BOB_CLI_ARRAY_NAMES_H
#define BOB_CLI_ARRAY_NAMES_H

#include "analysis/arrays/arrays.h"

/* Says that no variable fits, and which there are; or that one does, but no such element of it was
 * accessed. Returns 1. */
int cli_array_not_found(const char *verb, const struct bob_trace *t,
			const struct bob_arrays_wanted *w);

#endif
