/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracks the file or directory that is being written, one at a time: SIGINT, SIGTERM and SIGHUP
 * remove it before they end the command. Signals that are ignored or handled already are left
 * alone. One thread. */
#ifndef BOB_CLI_UNFINISHED_H
#define BOB_CLI_UNFINISHED_H

void cli_unfinished_begin(const char *name); /* shorter than PATH_MAX */
void cli_unfinished_end(void); /* it was renamed or removed */

#endif
