/* SPDX-License-Identifier: BSD-3-Clause */
/* The notes of `bobbin info`. One thread. */
#ifndef CLI_SOURCE_INFO_NOTES_H
#define CLI_SOURCE_INFO_NOTES_H

#include <stdio.h>

#include "bobbin/trace.h"

/* What its parts had to say while it ran, to stdout. */
void cli_info_notes(const struct bob_trace *t, FILE *out);

#endif
