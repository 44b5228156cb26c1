/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI_COMM_WORLDs of a trace, in words. */
#ifndef BOB_CLI_WORLDS_H
#define BOB_CLI_WORLDS_H

#include <stdio.h>

#include "bobbin/trace.h"

/* A line for each world but the first: which ranks of the trace are its own, and who started it.
 * Each line begins with `before`. */
void cli_worlds_print(const struct bob_trace *t, const char *before, FILE *out);

#endif
