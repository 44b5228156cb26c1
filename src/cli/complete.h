/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports what is known to be missing in a trace, in the wording that check and info share. A trace
 * whose bytes are all intact may still lack a part of the run. */
#ifndef BOB_CLI_COMPLETE_H
#define BOB_CLI_COMPLETE_H

#include <stdint.h>
#include <stdio.h>

#include "bobbin/trace.h"

/* One line for each finding: nothing was recorded; ranks without a file, files of several runs;
 * recordings that stopped before their process; started programs without a trace; dropped calls; an
 * attached debugger; images that could not be recorded. What the user excluded by options is not
 * missing. The text is malloc'ed, each line ends with a newline; NULL: out of memory. *count (may
 * be NULL): number of lines. */
char *cli_missing(const struct bob_trace *t, uint32_t *count);
/* Prints the lines, each after `before`. Returns their number. */
uint32_t cli_missing_print(const struct bob_trace *t, const char *before, FILE *out);

#endif
