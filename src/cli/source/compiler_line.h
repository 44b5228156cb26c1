/* SPDX-License-Identifier: BSD-3-Clause */
/* Classifies the words of a compiler's command line. Threads: any. */
#ifndef BOB_CLI_SOURCE_COMPILER_LINE_H
#define BOB_CLI_SOURCE_COMPILER_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/terminal/options.h"

/* Whether the next word is the option's value. */
bool cli_compiler_has_value(const char *option);
/* Whether the command compiles nothing, or its output is not an object. `argv` ends with NULL. */
bool cli_compiler_only_looks(char **argv);
/* Index of the compiler, after words such as `ccache` or `env A=b`: the last word before the first
 * that must be an argument. */
uint32_t cli_compiler_find(char **argv);

/* Checks flags for parsing sources (the last is NULL): 0, or 2 after a complaint about a word that
 * is no flag: a file, a compiler, an option of the verb. */
int cli_compiler_check_flags(const char *verb, const struct cli_option *own, char **flags);

#endif
