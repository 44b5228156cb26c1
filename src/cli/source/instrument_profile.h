/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin instrument --profile: trips of loops and calls of functions, as an earlier run of the
 * program had them. One thread. */
#ifndef BOB_CLI_INSTRUMENT_PROFILE_H
#define BOB_CLI_INSTRUMENT_PROFILE_H

#include "source/predict.h"

/* The events of the trace `dir`: means of all processes. Complaints are said: a trace that cannot
 * be opened or read, or has no such events. Returns an exit status. */
int cli_predict_profile(const char *verb, struct bob_predict *p, const char *dir);

#endif
