/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports which MPI calls and memory accesses were not recorded, or not kept, for all verbs whose
 * output may lack them. */
#ifndef BOB_CLI_LEFT_OUT_H
#define BOB_CLI_LEFT_OUT_H

#include <stdio.h>

#include "cli/session.h"

/* Prints a line for each thing that was left out of the chosen threads, each once, however many
 * processes have it; if all threads are chosen, also the number of calls without times, if others
 * have them. Returns the number of lines. */
uint32_t cli_left_out_print(const struct cli_session *s, const char *before, FILE *out);
/* Value of NAME=... among what was left out of one of the chosen processes; NULL: not there. */
const char *cli_left_out_value(const struct cli_session *s, const char *name);

#endif
