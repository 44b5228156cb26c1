/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that a trace is one complete run: finds ranks without files, and files of other runs. */
#ifndef BOB_CLI_WHOLE_H
#define BOB_CLI_WHOLE_H

#include <stdio.h>

#include "bobbin/trace.h"

/* The run of a process; record puts it into the environment. */
#define CLI_RUN_VARIABLE "BOBBIN_RUN"
#define CLI_RUN_BYTES 17
/* Sets `run` (CLI_RUN_BYTES) to a short form of the key of a run's directory. */
void cli_run_name(const char *key, char *run);

/* Finds two processes of different runs. 0: none are known. */
int cli_whole_mixed(const struct bob_trace *t, uint32_t *one, uint32_t *other);
/* Prints lines that begin with `before`: missing ranks of the largest world; that there are several
 * runs. Returns their number. */
uint32_t cli_whole_print(const struct bob_trace *t, const char *before, FILE *out);

#endif
