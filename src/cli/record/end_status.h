/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes into a process's trace how the process ended. The launcher does this, since it waits for
 * the process; a process that a signal kills cannot. One thread; a file that cannot be written
 * stays unchanged. */
#ifndef BOB_CLI_END_STATUS_H
#define BOB_CLI_END_STATUS_H

#include <stdint.h>

/* `status` as from waitpid. */
void cli_end_status(const char *dir, uint32_t pid, int status);

#endif
