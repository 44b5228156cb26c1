/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report --by=parameter: what the parameters of events were. */
#ifndef BOB_CLI_REPORT_PARAMETERS_H
#define BOB_CLI_REPORT_PARAMETERS_H

#include "cli/report.h"

/* Of the chosen threads. An exit status. */
int cli_report_parameters(struct cli_session *s, const struct cli_report_style *style);

#endif
