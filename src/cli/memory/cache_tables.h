/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of `bobbin cache` around its tables: the machine, and cache lines that cores take from each
 * other. */
#ifndef BOB_CLI_CACHE_TABLES_H
#define BOB_CLI_CACHE_TABLES_H

#include "analysis/cache/tables.h"
#include "cli/answer.h"

/* Prints lines about the machine; `name` is the preset's or the file's. */
void cli_cache_print_machine(const struct bob_cache_config *c, const char *name, const char *about,
			     FILE *out);
/* Prints the lines that cores took from each other in one process, whose simulated threads are
 * `threads`. */
void cli_cache_print_sharing(const struct cli_answer *a, const struct bob_cache_rows *all,
			     const struct bob_cache_replay *r, const uint32_t *threads);

#endif
