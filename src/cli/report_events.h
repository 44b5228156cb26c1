/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report --by=hook: data that hooks returned at events; --by=parameter: values of events'
 * parameters. */
#ifndef BOB_CLI_REPORT_EVENTS_H
#define BOB_CLI_REPORT_EVENTS_H

#include "cli/answer.h"

/* Return exit statuses. */
int cli_report_hooks(struct cli_answer *a);
/* For the chosen threads. */
int cli_report_parameters(struct cli_answer *a);

#endif
