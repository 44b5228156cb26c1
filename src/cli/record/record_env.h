/* SPDX-License-Identifier: BSD-3-Clause */
/* Environment of a recorded program. */
#ifndef BOB_CLI_RECORD_ENV_H
#define BOB_CLI_RECORD_ENV_H

#include "cli/record/recording.h"

/* This process's environment without the variables in `vars` and those of an outer recording,
 * followed by `vars`. Free the list, not its texts; NULL: out of memory. */
char **cli_record_environment(const struct cli_vars *vars);

#endif
