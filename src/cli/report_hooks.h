/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report --by=hook: what hooks brought at events. */
#ifndef BOB_CLI_REPORT_HOOKS_H
#define BOB_CLI_REPORT_HOOKS_H

#include "cli/report_tables.h"

int cli_report_hooks(struct cli_session *s, const struct cli_report_style *style);

#endif
