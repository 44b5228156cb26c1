/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports what is known to be missing in a trace, in the words that check and info share. An intact
 * trace, every byte of which can be read, may still lack a part of the run. */
#ifndef BOB_CLI_COMPLETE_H
#define BOB_CLI_COMPLETE_H

#include <stdint.h>
#include <stdio.h>

#include "bobbin/trace.h"

/* A line for each thing: nothing was recorded; ranks without a file, files of several runs;
 * recordings that stopped before their process; programs that were started and left no trace; calls
 * that were dropped; a debugger that came; images that could not be recorded. What the user left
 * out by options is not missing. The text is malloc'ed, each line ends with a newline; NULL: out of
 * memory. *count (may be NULL): how many lines. */
char *cli_missing(const struct bob_trace *t, uint32_t *count);
/* Print them, each after `before`. Returns how many. */
uint32_t cli_missing_print(const struct bob_trace *t, const char *before, FILE *out);

#endif
