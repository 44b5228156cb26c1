/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin info: how well events with values fold, and what makes their trace grow. */
#ifndef BOB_CLI_INFO_COLUMNS_H
#define BOB_CLI_INFO_COLUMNS_H

#include "cli/answer.h"

/* Nothing if the trace has none that are folded. Returns an exit status. */
int cli_info_columns(struct cli_answer *answer);

#endif
