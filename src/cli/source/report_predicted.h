/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report of an instrumented program: the prediction of `bobbin instrument`, compared with
 * the time of the run. One thread. */
#ifndef BOB_CLI_REPORT_PREDICTED_H
#define BOB_CLI_REPORT_PREDICTED_H

#include <stdio.h>

#include "cli/session.h"

/* `baseline`: seconds of a run without probes; 0: the value given to `bobbin instrument`, if any.
 * Prints nothing for a trace without prediction, unless a baseline is given. */
void cli_report_predicted(const struct cli_session *s, double baseline, FILE *out);

/* Prints the prediction alone, if there is one. */
void cli_report_prediction(const struct bob_trace *t, FILE *out);

#endif
