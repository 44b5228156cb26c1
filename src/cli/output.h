/* SPDX-License-Identifier: BSD-3-Clause */
/* Where -o leads. A file is written under a temporary name beside it and renamed when complete, so
 * a failed command leaves no half file and overwrites nothing. */
#ifndef BOB_CLI_OUTPUT_H
#define BOB_CLI_OUTPUT_H

#include <stdio.h>

/* `path` NULL or "-": standard output. NULL after a complaint. */
FILE *cli_output_open(const char *verb, const char *path);
/* Returns 0, or 1 after a complaint. */
int cli_output_close(const char *verb, FILE *out, const char *path);

#endif
