/* SPDX-License-Identifier: BSD-3-Clause */
/* show --signatures: a tree of call paths for each process. */
#ifndef BOB_CLI_CALL_PATHS_H
#define BOB_CLI_CALL_PATHS_H

#include <stdio.h>

#include "cli/session.h"

/* For the chosen threads; at most `lines` lines per process (0: all). 0, or an exit status after a
 * complaint. */
int cli_signatures_print(struct cli_session *s, uint64_t lines, FILE *out);

#endif
