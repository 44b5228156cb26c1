/* SPDX-License-Identifier: BSD-3-Clause */
/* How a process ended, written into its trace by the launcher, which waited for it: a process that
 * a signal ends cannot do so. One thread; a file that cannot be written stays as it is. */
#ifndef BOB_CLI_END_STATUS_H
#define BOB_CLI_END_STATUS_H

#include <stdint.h>

/* `status` as waitpid gave it. */
void cli_end_status(const char *dir, uint32_t pid, int status);

#endif
