/* SPDX-License-Identifier: BSD-3-Clause */
/* Classifies the words of a compiler's command line. Threads: any. */
#ifndef BOB_CLI_SOURCE_COMPILER_LINE_H
#define BOB_CLI_SOURCE_COMPILER_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/terminal/options.h"

/* Is the next word its value? */
bool cli_compiler_has_value(const char *option);
/* Nothing is compiled, or what is written is not the object's. `argv` ends with NULL. */
bool cli_compiler_only_looks(char **argv);
/* Which word the compiler is, after `ccache`, or `env A=b`: the last one before what must be its
 * own. */
uint32_t cli_compiler_find(char **argv);

/* Flags for how sources are read (the last is NULL): 0, or 2 after a complaint that one is no flag:
 * a file, a compiler, an option of the verb's own. */
int cli_compiler_check_flags(const char *verb, const struct cli_option *own, char **flags);

#endif
