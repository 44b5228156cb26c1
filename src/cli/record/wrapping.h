/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by `wrap` and `record --wrap`: reads a spec and checks it against a program. Prints
 * complaints. */
#ifndef BOB_CLI_WRAPPING_H
#define BOB_CLI_WRAPPING_H

#include "wrap/wrap.h"

/* 0: *out is the caller's. Else an exit status. */
int cli_wrap_read(const char *verb, const char *path, struct bob_wrap_spec **out);

/* Chooses how each function is intercepted in the program at `path`: `own` for those that it
 * defines itself. NULL: no program is known, all functions are in libraries. Warns of unexpected
 * cases, unless `quiet`. Returns an exit status. */
int cli_wrap_choose(const char *verb, struct bob_wrap_spec *s, const char *path,
		    enum bob_wrap_how own, int quiet);

/* Number of functions with this way of interception; warnings about parameters that do not fit in
 * events. */
uint32_t cli_wrap_count(const struct bob_wrap_spec *s, enum bob_wrap_how how);
void cli_wrap_notes(const char *verb, const struct bob_wrap_spec *s);

#endif
