/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report of a memory trace: accesses by function or instruction. */
#ifndef BOB_CLI_REPORT_MEMORY_H
#define BOB_CLI_REPORT_MEMORY_H

#include "cli/report_tables.h"

/* Have the chosen threads memory accesses and no calls? */
int cli_report_is_memory(const struct cli_session *s);
int cli_report_memory(struct cli_session *s, int by_instruction,
		      const struct cli_report_style *style);

#endif
