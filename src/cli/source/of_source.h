/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises and describes traces of chosen variables (`record --source`). One thread. */
#ifndef BOB_CLI_OF_SOURCE_H
#define BOB_CLI_OF_SOURCE_H

#include <stdio.h>

#include "bobbin/trace.h"

/* Whether the first process was recorded with --source. */
int cli_is_of_source(const struct bob_trace *t);
/* Why it has no accesses; a part of a sentence. */
const char *cli_source_without_accesses(const struct bob_trace *t);
/* Prints a line for `info`: the names of its variables. */
void cli_source_variables(const struct bob_trace *t, FILE *out);

#endif
