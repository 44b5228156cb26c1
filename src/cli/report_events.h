/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report --by=hook: what hooks returned at events; --by=parameter: what the parameters of
 * events were. */
#ifndef BOB_CLI_REPORT_EVENTS_H
#define BOB_CLI_REPORT_EVENTS_H

#include "cli/answer.h"

/* Exit statuses. */
int cli_report_hooks(struct cli_answer *a);
/* Of the chosen threads. */
int cli_report_parameters(struct cli_answer *a);

#endif
