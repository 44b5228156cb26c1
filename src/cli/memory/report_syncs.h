/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report --by=sync of a memory trace: what threads synchronise by. */
#ifndef BOB_CLI_REPORT_SYNCS_H
#define BOB_CLI_REPORT_SYNCS_H

#include "cli/answer.h"

/* Of the chosen threads. 0, or a status for exit after a complaint. */
int cli_report_syncs(struct cli_answer *a);

#endif
