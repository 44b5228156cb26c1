/* SPDX-License-Identifier: BSD-3-Clause */
/* --hook-functions=PATTERN or a prototype of C, with which calls have parameters: docs/events.md.
 * Threads: one. */
#ifndef BOB_CLI_HOOK_PROTOTYPE_H
#define BOB_CLI_HOOK_PROTOTYPE_H

#include "cli/record/recording.h"

/* BOBBIN_HOOK_FUNCTIONS, and what the recorder wants to know of a prototype in
 * BOBBIN_HOOK_PROTOTYPES (events/signature.h). 0, or the exit status after a complaint. */
int cli_hook_functions_option(const char *verb, void *vars, const char *arg);

#endif
