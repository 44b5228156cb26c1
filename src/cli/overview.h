/* SPDX-License-Identifier: BSD-3-Clause */
/* What `bobbin --help` and a bare `bobbin` print. */
#ifndef BOB_CLI_OVERVIEW_H
#define BOB_CLI_OVERVIEW_H

#include <stdio.h>

void cli_print_overview(FILE *out);

#endif
