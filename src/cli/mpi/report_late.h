/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report --by=late: where ranks waited for other ranks. */
#ifndef BOB_CLI_REPORT_LATE_H
#define BOB_CLI_REPORT_LATE_H

#include "cli/report.h"

int cli_report_late(struct cli_answer *a);

#endif
