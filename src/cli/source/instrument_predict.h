/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin instrument: the prediction (source/predict.h), as text for people and as a line of the
 * trace. One thread. */
#ifndef BOB_CLI_INSTRUMENT_PREDICT_H
#define BOB_CLI_INSTRUMENT_PREDICT_H

#include <stdio.h>

#include "source/predict.h"

/* What the recorder writes in the log of a trace, a line of this form: dilation from and to (0: not
 * known), seconds more, seconds without probes (0: not given), bytes of code more. */
#define CLI_PREDICTED_BEGIN "predicted: "
#define CLI_PREDICTED "dilation %.4g to %.4g, %.4g s more than %.4g s, %.0f bytes more code"
#define CLI_PREDICTED_SCAN "dilation %lg to %lg, %lg s more than %lg s, %lg bytes more code"

/* Lines of the file `name`; complaints are said. Returns an exit status. */
int cli_predict_assume(const char *verb, struct bob_predict *p, const char *name);
/* After bob_predict_sum: warns of its lines that no file of the command has anything for. */
void cli_predict_unused(const char *verb, const struct bob_predict *p, const char *name);
void cli_predict_print(const struct bob_predict_total *t, FILE *out);
/* The header `path` of the copies says it to the recorder. Returns an exit status. */
int cli_predict_define(const char *verb, const struct bob_predict_total *t, const char *path);

#endif
