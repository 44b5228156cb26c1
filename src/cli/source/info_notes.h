/* SPDX-License-Identifier: BSD-3-Clause */
/* The notes of `bobbin info`: messages of the recorder. One thread. */
#ifndef CLI_SOURCE_INFO_NOTES_H
#define CLI_SOURCE_INFO_NOTES_H

#include <stdio.h>

#include "bobbin/trace.h"

/* Prints the recorder's log lines to `out`, each once. */
void cli_info_notes(const struct bob_trace *t, FILE *out);

#endif
