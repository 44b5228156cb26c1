/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of -o. A file is written under a temporary name next to it and renamed when complete,
 * so a command that fails or is interrupted leaves no partial file and overwrites nothing. */
#ifndef BOB_CLI_OUTPUT_H
#define BOB_CLI_OUTPUT_H

#include <stdio.h>

#include "base/host/embed.h"
#include "cli/terminal/options.h"

/* A row of option tables; `field` gets the file's name. */
#define CLI_OPTION_OUTPUT(type, field)                                                             \
	{ "output", 'o', "FILE", "write to FILE instead of standard output", CLI_TEXT(type, field) }
/* `path` NULL or "-": standard output. NULL after a complaint. */
FILE *cli_output_open(const char *verb, const char *path);
/* Returns 0, or 1 after a complaint. */
int cli_output_close(const char *verb, FILE *out, const char *path);
/* Instead of close: removes the file, as if it had never been opened. */
void cli_output_drop(FILE *out, const char *path);
/* The same for a directory, which must not exist yet: `name` (PATH_MAX bytes) is the one to fill.
 * Then call either _done or _drop. */
int cli_output_directory(const char *verb, const char *path, char *name);
int cli_output_directory_done(const char *verb, const char *name, const char *path);
void cli_output_directory_drop(const char *name);
/* Writes the headers that generated code includes below `dir`. Returns an exit status. */
int cli_output_embedded(const char *verb, const char *dir, const struct bob_embedded *list);

#endif
