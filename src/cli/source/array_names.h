/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin arrays: explains why the named variable was not found. One thread. */
#ifndef BOB_CLI_ARRAY_NAMES_H
#define BOB_CLI_ARRAY_NAMES_H

#include "analysis/arrays/arrays.h"

/* Complains that no variable matches, with the existing names; or that one matches, but the
 * selected elements were not accessed. Returns 1. */
int cli_array_not_found(const char *verb, const struct bob_trace *t,
			const struct bob_arrays_wanted *w);

#endif
