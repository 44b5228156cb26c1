/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report of a memory trace: accesses by function, instruction, line or variable; what did
 * not fold. */
#ifndef BOB_CLI_REPORT_MEMORY_H
#define BOB_CLI_REPORT_MEMORY_H

#include "analysis/memory/memory.h"
#include "cli/answer.h"

/* Have the chosen threads memory accesses and no calls? */
int cli_report_is_memory(const struct cli_session *s);
int cli_report_memory(struct cli_answer *a, enum bob_memory_by by);

#endif
