/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report --by=hook: what hooks brought at events. */
#ifndef BOB_CLI_REPORT_HOOKS_H
#define BOB_CLI_REPORT_HOOKS_H

#include "archive/events/value_numbers.h"
#include "cli/report.h"
#include "cli/terminal/text_table.h"

int cli_report_hooks(struct cli_session *s, const struct cli_report_style *style);

/* Cells of tables: a number; which numbers there were: "0 (3 times), 1", or "from 4 on (12 times),
 * ...". */
void cli_cell_number(struct cli_table *t, double d);
#define CLI_VALUES_SHOWN 6u
void cli_cell_values(struct cli_table *t, const struct bob_value_numbers *n);

#endif
