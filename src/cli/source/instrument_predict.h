/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin instrument: prints the prediction (source/predict.h) for users, and as a line for the
 * trace. One thread. */
#ifndef BOB_CLI_INSTRUMENT_PREDICT_H
#define BOB_CLI_INSTRUMENT_PREDICT_H

#include <stdio.h>

#include "source/predict.h"

/* The line that the recorder writes into a trace's log: dilation from and to (0: unknown),
 * additional seconds, seconds without probes (0: unknown), additional bytes of code. */
#define CLI_PREDICTED_BEGIN "predicted: "
#define CLI_PREDICTED "dilation %.4g to %.4g, %.4g s more than %.4g s, %.0f bytes more code"
#define CLI_PREDICTED_SCAN "dilation %lg to %lg, %lg s more than %lg s, %lg bytes more code"

/* Reads assumptions from the file `name`; complaints are printed. Returns an exit status. */
int cli_predict_assume(const char *verb, struct bob_predict *p, const char *name);
/* After bob_predict_sum: warns of assumptions that apply to no file of the command. */
void cli_predict_unused(const char *verb, const struct bob_predict *p, const char *name);
void cli_predict_print(const struct bob_predict_total *t, FILE *out);
/* Defines the line in the header `path` of the copies, for the recorder. Returns an exit status. */
int cli_predict_define(const char *verb, const struct bob_predict_total *t, const char *path);

#endif
