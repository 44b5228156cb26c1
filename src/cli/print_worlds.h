/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes the MPI_COMM_WORLDs of a trace. */
#ifndef BOB_CLI_PRINT_WORLDS_H
#define BOB_CLI_PRINT_WORLDS_H

#include <stdio.h>

#include "bobbin/trace.h"

/* Prints a line for each world but the first: its ranks in the trace, and the rank that started it.
 * Each line begins with `before`. */
void cli_worlds_print(const struct bob_trace *t, const char *before, FILE *out);

#endif
