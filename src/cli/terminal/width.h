/* SPDX-License-Identifier: BSD-3-Clause */
/* Width of the terminal. */
#ifndef BOB_CLI_WIDTH_H
#define BOB_CLI_WIDTH_H

/* Characters in a line of the terminal; 0 if standard output is not a terminal. */
int cli_terminal_width(void);

#endif
