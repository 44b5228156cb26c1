/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report --by=sync of a memory trace: the objects by which threads synchronise. */
#ifndef BOB_CLI_REPORT_SYNCS_H
#define BOB_CLI_REPORT_SYNCS_H

#include "cli/answer.h"

/* For the chosen threads. 0, or an exit status after a complaint. */
int cli_report_syncs(struct cli_answer *a);

#endif
