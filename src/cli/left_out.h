/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports which MPI calls and memory accesses were not recorded, or not kept, for all verbs whose
 * output may lack them. */
#ifndef BOB_CLI_LEFT_OUT_H
#define BOB_CLI_LEFT_OUT_H

#include <stdio.h>

#include "cli/session.h"

/* A line for each thing that is left out of the threads chosen, each once, however many processes
 * have it; of all threads also how many calls have no times, if others have. How many lines. */
uint32_t cli_left_out_print(const struct cli_session *s, const char *before, FILE *out);
/* Was something like NAME=... left out of one of the processes chosen? Its value, NULL: no. */
const char *cli_left_out_value(const struct cli_session *s, const char *name);

#endif
