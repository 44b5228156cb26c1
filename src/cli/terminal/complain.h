/* SPDX-License-Identifier: BSD-3-Clause */
/* Error messages of the commands on stderr: one line "bobbin: <verb>: what, cause, what to do".
 * Both return an exit status so that callers can write `return cli_fail(...)`. */
#ifndef BOB_CLI_COMPLAIN_H
#define BOB_CLI_COMPLAIN_H

#include "bobbin/status.h"

/* The work failed: returns 1. */
int cli_fail(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The command line is wrong: adds where to look, and returns 2. */
int cli_misuse(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_warn(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports a failure described by a reader: `what`, then file, offset and cause. Returns 1. */
int cli_fail_status(const char *verb, const char *what, bob_status st, const struct bob_error *err);
/* Reports that the trace in `dir` cannot be opened. Returns 1. */
int cli_fail_open(const char *verb, const char *dir, bob_status st, const struct bob_error *err);

#endif
