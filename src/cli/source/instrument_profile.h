/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin instrument --profile: trip counts of loops and calls of functions from an earlier run of
 * the program. One thread. */
#ifndef BOB_CLI_INSTRUMENT_PROFILE_H
#define BOB_CLI_INSTRUMENT_PROFILE_H

#include "source/predict.h"

/* Reads the events of the trace `dir`: means over all processes. Complains about a trace that
 * cannot be opened or read, or has no such events. Returns an exit status. */
int cli_predict_profile(const char *verb, struct bob_predict *p, const char *dir);

#endif
