/* SPDX-License-Identifier: BSD-3-Clause */
/* What `bobbin --help` and a bare `bobbin` print. */
#ifndef BOB_CLI_OVERVIEW_H
#define BOB_CLI_OVERVIEW_H

#include <stdio.h>

#ifndef BOB_VERSION
#define BOB_VERSION "0.1.0"
#endif

void cli_print_overview(FILE *out);

#endif
