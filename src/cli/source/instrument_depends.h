/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependency lists (-MD and the like) of compiled copies. One thread. */
#ifndef BOB_CLI_INSTRUMENT_DEPENDS_H
#define BOB_CLI_INSTRUMENT_DEPENDS_H

#include <stdint.h>

/* Sets path[PATH_MAX] to the file in which the compiler `argv` (argv[0], ..., a NULL) writes the
 * list of source `name`; "": none. */
void cli_depends_find(char *const *argv, const char *name, char *path);

/* In the list at `path`, if it exists, replaces the copy's name by the original's, and adds the
 * headers [0..count-1] that are embedded in the copy, also as targets if the compiler `argv` was to
 * write such (-MP). Returns 0; 1 after a complaint. */
int cli_depends_mend(const char *verb, const char *path, const char *copy, const char *name,
		     char *const *headers, uint32_t count, char *const *argv);

#endif
