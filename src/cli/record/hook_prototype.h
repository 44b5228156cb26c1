/* SPDX-License-Identifier: BSD-3-Clause */
/* --hook-functions=PATTERN, or a C prototype, which adds the parameters of calls: docs/events.md.
 * Threads: one. */
#ifndef BOB_CLI_HOOK_PROTOTYPE_H
#define BOB_CLI_HOOK_PROTOTYPE_H

#include "cli/record/recording.h"

/* Appends to BOBBIN_HOOK_FUNCTIONS and, for a prototype, to BOBBIN_HOOK_PROTOTYPES
 * (events/signature.h). 0, or the exit status after a complaint. */
int cli_hook_functions_option(const char *verb, void *vars, const char *arg);

#endif
