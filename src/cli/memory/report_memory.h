/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report of a memory trace: accesses by function, instruction, line or variable; accesses
 * that did not fold. */
#ifndef BOB_CLI_REPORT_MEMORY_H
#define BOB_CLI_REPORT_MEMORY_H

#include "analysis/memory/memory.h"
#include "cli/answer.h"

/* Whether the chosen threads have memory accesses and no calls. */
int cli_report_is_memory(const struct cli_session *s);
int cli_report_memory(struct cli_answer *a, enum bob_memory_by by);

#endif
