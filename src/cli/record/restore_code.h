/* SPDX-License-Identifier: BSD-3-Clause */
/* Restores the original code of a traced process from outside, where a breakpoint could fall into
 * the agent's changes (debugger.h). All threads of the process must be stopped. */
#ifndef BOB_CLI_RESTORE_CODE_H
#define BOB_CLI_RESTORE_CODE_H

#include <stdint.h>

/* For process `pid`, whose file in `dir` is `name`; `cache` is the directory of plans;
 * `translates`: memory accesses are recorded. Skips what is not possible: an image without a plan,
 * a process that we may not write to. */
void cli_restore_code(const char *dir, const char *name, uint32_t pid, const char *cache,
		      int translates);

#endif
