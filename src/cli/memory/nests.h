/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the memory accesses of a thread as the loops that they were folded to, without expanding
 * them. */
#ifndef BOB_CLI_NESTS_H
#define BOB_CLI_NESTS_H

#include <stdio.h>

#include "bobbin/trace.h"

/* At most `lines` lines (0: all). */
bob_status cli_nests_print(const struct bob_trace *t, uint32_t thread, uint64_t lines, FILE *out);

#endif
