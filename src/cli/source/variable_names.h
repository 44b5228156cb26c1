/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of the variables of instrumented sources in a trace (in its first 16 processes), each
 * once, in order of appearance. The trace owns the names. One thread. */
#ifndef BOB_CLI_VARIABLE_NAMES_H
#define BOB_CLI_VARIABLE_NAMES_H

#include <stddef.h>

#include "bobbin/trace.h"

struct cli_variable_names {
	const char **at;
	size_t count, capacity;
};

/* 0, or 1: out of memory. */
int cli_variable_names_add(struct cli_variable_names *n, const struct bob_trace *t);
/* Formats "a, b, c and 3 more". Returns `to`. */
const char *cli_variable_names_list(const struct cli_variable_names *n, char *to, size_t size);
void cli_variable_names_free(struct cli_variable_names *n);

#endif
