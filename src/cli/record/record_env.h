/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment of a recorded program. */
#ifndef BOB_CLI_RECORD_ENV_H
#define BOB_CLI_RECORD_ENV_H

#include "cli/record/recording.h"

/* Ours without what `vars` say and what an outer recording said, then `vars`. The list is the
 * caller's (free), its texts are not; NULL: no memory. */
char **cli_record_environment(const struct cli_vars *vars);

#endif
