/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports what is known to be missing in a trace, in the wording that check and info share. A trace
 * whose bytes are all intact may still lack a part of the run. */
#ifndef BOB_CLI_COMPLETE_H
#define BOB_CLI_COMPLETE_H

#include "bobbin/trace.h"
#include "table/table.h"

/* Adds a finding (findings.h) for each thing: nothing was recorded; ranks without a file, files of
 * several runs; recordings that stopped before their process; programs that were started and left
 * no trace; calls that were dropped; a debugger that came; images that could not be recorded. What
 * the user left out by options is not missing. */
void cli_missing(const struct bob_trace *t, struct bob_table *findings);

#endif
