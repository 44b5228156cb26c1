/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report of a memory trace: accesses by function, instruction, line or variable; what did
 * not fold. */
#ifndef BOB_CLI_REPORT_MEMORY_H
#define BOB_CLI_REPORT_MEMORY_H

#include "analysis/memory/memory.h"
#include "cli/report.h"

#define CLI_NAME_SHOWN 160 /* bytes of a name, terminated */

/* A name of the trace for a table: C++ as people write it, unless they ask otherwise, and nothing
 * that reaches the terminal's control codes. Returns `text`. */
const char *cli_readable(const struct cli_session *s, const char *name, char text[CLI_NAME_SHOWN]);
/* Have the chosen threads memory accesses and no calls? */
int cli_report_is_memory(const struct cli_session *s);
int cli_report_memory(struct cli_session *s, enum bob_memory_by by,
		      const struct cli_report_style *style);

#endif
