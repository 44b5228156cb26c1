/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends long output through a pager when stdout is a terminal: $BOBBIN_PAGER, $PAGER, or `less
 * -FRX`. begin redirects stdout, end waits until the pager has ended. */
#ifndef BOB_CLI_PAGER_H
#define BOB_CLI_PAGER_H

#include <sys/types.h>

#include "cli/terminal/options.h"

/* A row of option tables. */
#define CLI_OPTION_NO_PAGER(type, field)                                                           \
	{ "no-pager", 0, NULL, "do not use a pager on a terminal", CLI_FLAG(type, field) }

/* Returns the pager's pid, 0 if none is used. */
pid_t cli_pager_begin(int wanted);
void cli_pager_end(pid_t pager);

#endif
