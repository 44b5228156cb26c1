/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin info: how well events with values fold, and which columns make the trace grow. */
#ifndef BOB_CLI_INFO_COLUMNS_H
#define BOB_CLI_INFO_COLUMNS_H

#include "cli/answer.h"

/* Prints nothing if the trace has no folded events. Returns an exit status. */
int cli_info_columns(struct cli_answer *answer);

#endif
