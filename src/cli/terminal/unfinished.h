/* SPDX-License-Identifier: BSD-3-Clause */
/* The file or directory that is being written, one at a time: a command that SIGINT, SIGTERM or
 * SIGHUP ends removes it first. The disposition of an ignored or handled signal is not changed. One
 * thread. */
#ifndef BOB_CLI_UNFINISHED_H
#define BOB_CLI_UNFINISHED_H

void cli_unfinished_begin(const char *name); /* shorter than PATH_MAX */
void cli_unfinished_end(void); /* it has its name, or has been removed */

#endif
